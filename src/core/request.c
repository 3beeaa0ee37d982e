/* What a request promises: a value out of its range that slipped through would corrupt the
 * books in silence, for -1 read as four billion passes every limit. */
#include "core/request.h"

#include "base/assert.h"

static void check_duration(int64_t duration_us)
{
    ADM_ASSERT(duration_us >= 0);
}

static void check_name(struct adm_name name)
{
    ADM_ASSERT(!adm_name_is_none(name));
}

static void check_ticket(const struct adm_request *request)
{
    if (request->of.ticket.timeout_us != ADM_TIMEOUT_DEFAULT) {
        check_duration(request->of.ticket.timeout_us);
    }
    check_duration(request->of.ticket.attempt_timeout_us);
}

static void check_listener(const struct adm_request *request)
{
    check_name(request->of.listener.principal);
    ADM_ASSERT(request->of.listener.max != ADM_NO_LIMIT);
}

void adm_limits_check(const struct adm_limits *limits, unsigned named)
{
    ADM_ASSERT((named & ~(unsigned)ADM_LIMIT_ALL) == 0);
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        check_duration(limits->min_interval_us);
    }
    if (named & ADM_LIMIT_ADMISSION_TIMEOUT) {
        check_duration(limits->admission_timeout_us);
    }
    if (named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL) {
        ADM_ASSERT(limits->max_listens_per_principal != 0 &&
                   limits->max_listens_per_principal != ADM_NO_LIMIT);
    }
}

static void check_provider(const struct adm_request *request)
{
    ADM_ASSERT((request->of.provider.named & ~(unsigned)ADM_PROVIDER_LIMIT_ALL) == 0);
    check_name(request->of.provider.name);
    if (request->of.provider.named & ADM_LIMIT_MIN_INTERVAL) {
        check_duration(request->of.provider.to.min_interval_us);
    }
}

static void check_cooldown(const struct adm_request *request)
{
    check_name(request->of.cooldown.provider);
    check_duration(request->of.cooldown.delay_us);
}

static void check_handle(const struct adm_request *request)
{
    ADM_ASSERT(request->handle < ADM_HANDLES_MAX);
}

void adm_request_check(const struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        check_handle(request);
        check_ticket(request);
        break;
    case ADM_REQUEST_LISTENER:
        check_handle(request);
        check_listener(request);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_LIVE:
        check_handle(request);
        check_name(request->of.principal);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_DOWN:
        check_handle(request);
        break;
    case ADM_REQUEST_LIMITS:
        adm_limits_check(&request->of.limits.to, request->of.limits.named);
        break;
    case ADM_REQUEST_PROVIDER:
        check_provider(request);
        break;
    case ADM_REQUEST_COOLDOWN:
        check_cooldown(request);
        break;
    case ADM_REQUEST_CLOSE:
        break;
    }
}
