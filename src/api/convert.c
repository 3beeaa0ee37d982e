/* See api/convert.h. One row a member, so that what is checked and what is set can't differ. */
#include "api/convert.h"

#include <string.h>

#include "base/time.h"

_Static_assert(ADM_NEVER == ADMISSION_NONE, "no end is no end on either side of the door");

bool adm_convert_name(const char *text, struct adm_name *name)
{
    if (text == NULL) {
        return false;
    }
    const size_t length = strnlen(text, ADM_NAME_MAX + 1);
    if (length == 0 || length > ADM_NAME_MAX) {
        return false;
    }
    *name = (struct adm_name){.bytes = text, .length = (uint8_t)length};
    return true;
}

bool adm_convert_is_duration(int64_t duration_us)
{
    return duration_us >= 0 && duration_us < ADMISSION_NONE;
}

/* A change under translation: the first failure is kept, and what is named. */
struct change {
    unsigned named;
    const char *culprit;
};

static bool is_named(struct change *change, int64_t value, enum adm_limit_bit bit,
                     bool is_valid, const char *member)
{
    if (value == ADMISSION_DEFAULT) {
        return false;
    }
    if (!is_valid) {
        change->culprit = change->culprit == NULL ? member : change->culprit;
        return false;
    }
    change->named |= (unsigned)bit;
    return true;
}

static void set_count(struct change *change, uint32_t *to, int64_t value, int64_t least,
                      enum adm_limit_bit bit, const char *member)
{
    const bool is_valid = value == ADMISSION_NONE || (value >= least && value <= ADM_COUNT_MAX);
    if (is_named(change, value, bit, is_valid, member)) {
        *to = value == ADMISSION_NONE ? ADM_NO_LIMIT : (uint32_t)value;
    }
}

static void set_duration(struct change *change, int64_t *to, int64_t value, bool may_be_none,
                         enum adm_limit_bit bit, const char *member)
{
    const bool is_valid =
        adm_convert_is_duration(value) || (may_be_none && value == ADMISSION_NONE);
    if (is_named(change, value, bit, is_valid, member)) {
        *to = value;
    }
}

static bool finish(const struct change *change, unsigned *named, const char **culprit)
{
    if (change->culprit != NULL) {
        if (culprit != NULL) {
            *culprit = change->culprit;
        }
        return false;
    }
    *named = change->named;
    return true;
}

bool adm_convert_limits(const struct admission_limits *from, struct adm_request *request,
                        const char **culprit)
{
    struct change change = {0};
    struct adm_limits to = adm_limits_default();
    set_count(&change, &to.max_concurrent, from->max_concurrent, 0, ADM_LIMIT_MAX_CONCURRENT,
              "max_concurrent");
    set_duration(&change, &to.min_interval_us, from->min_interval_us, false,
                 ADM_LIMIT_MIN_INTERVAL, "min_interval_us");
    set_count(&change, &to.queue_capacity, from->queue_capacity, 0, ADM_LIMIT_QUEUE_CAPACITY,
              "queue_capacity");
    set_duration(&change, &to.admission_timeout_us, from->admission_timeout_us, true,
                 ADM_LIMIT_ADMISSION_TIMEOUT, "admission_timeout_us");
    const int64_t max_listens = from->max_listens_per_principal;
    if (is_named(&change, max_listens, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL,
                 max_listens >= 1 && max_listens <= ADM_COUNT_MAX,
                 "max_listens_per_principal")) {
        to.max_listens_per_principal = (uint32_t)max_listens;
    }
    set_count(&change, &to.max_listeners, from->max_listeners, 0, ADM_LIMIT_MAX_LISTENERS,
              "max_listeners");
    *request = (struct adm_request){.type = ADM_REQUEST_LIMITS, .handle = ADM_NOBODY};
    request->of.limits.to = to;
    return finish(&change, &request->of.limits.named, culprit);
}

bool adm_convert_provider(const struct admission_provider *from, struct adm_request *request,
                          const char **culprit)
{
    struct change change = {0};
    struct adm_provider_limits to = adm_provider_limits_default();
    *request = (struct adm_request){.type = ADM_REQUEST_PROVIDER, .handle = ADM_NOBODY};
    if (!adm_convert_name(from->name, &request->of.provider.name)) {
        change.culprit = "name";
    }
    set_count(&change, &to.max_concurrent, from->max_concurrent, 0, ADM_LIMIT_MAX_CONCURRENT,
              "max_concurrent");
    set_duration(&change, &to.min_interval_us, from->min_interval_us, false,
                 ADM_LIMIT_MIN_INTERVAL, "min_interval_us");
    set_count(&change, &to.queue_capacity, from->queue_capacity, 0, ADM_LIMIT_QUEUE_CAPACITY,
              "queue_capacity");
    request->of.provider.to = to;
    return finish(&change, &request->of.provider.named, culprit);
}
