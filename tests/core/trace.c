/* Traces as text. See trace.h. */
#include "trace.h"

#include <inttypes.h>

#include "base/time.h"

static void print_handle(FILE *file, uint32_t handle)
{
    if (handle == ADM_NOBODY) {
        fprintf(file, " -");
    } else {
        fprintf(file, " h%" PRIu32, handle);
    }
}

static void print_name(FILE *file, const char *option, struct adm_name name)
{
    if (!adm_name_is_none(name)) {
        fprintf(file, " %s%.*s", option, name.length, name.bytes);
    }
}

static void print_count(FILE *file, const char *option, uint32_t count)
{
    if (count == ADM_NO_LIMIT) {
        fprintf(file, " %snone", option);
    } else {
        fprintf(file, " %s%" PRIu32, option, count);
    }
}

static void print_duration(FILE *file, const char *option, int64_t duration_us)
{
    if (duration_us == ADM_NEVER) {
        fprintf(file, " %snone", option);
    } else {
        fprintf(file, " %s%" PRId64 "us", option, duration_us);
    }
}

static void print_limits(FILE *file, unsigned named, const struct adm_limits *limits)
{
    if (named & ADM_LIMIT_MAX_CONCURRENT) {
        print_count(file, "max_concurrent=", limits->max_concurrent);
    }
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        print_duration(file, "min_interval=", limits->min_interval_us);
    }
    if (named & ADM_LIMIT_QUEUE_CAPACITY) {
        print_count(file, "queue_capacity=", limits->queue_capacity);
    }
    if (named & ADM_LIMIT_ADMISSION_TIMEOUT) {
        print_duration(file, "admission_timeout=", limits->admission_timeout_us);
    }
    if (named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL) {
        print_count(file, "max_listens_per_principal=", limits->max_listens_per_principal);
    }
    if (named & ADM_LIMIT_MAX_LISTENERS) {
        print_count(file, "max_listeners=", limits->max_listeners);
    }
}

static void print_provider(FILE *file, unsigned named, const struct adm_provider_limits *limits)
{
    if (named & ADM_LIMIT_MAX_CONCURRENT) {
        print_count(file, "max_concurrent=", limits->max_concurrent);
    }
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        print_duration(file, "min_interval=", limits->min_interval_us);
    }
    if (named & ADM_LIMIT_QUEUE_CAPACITY) {
        print_count(file, "queue_capacity=", limits->queue_capacity);
    }
}

static void print_ticket(FILE *file, const struct adm_request *request)
{
    print_name(file, "provider=", request->of.ticket.provider);
    print_name(file, "key=", request->of.ticket.key);
    if (request->of.ticket.timeout_us != ADM_TIMEOUT_DEFAULT) {
        print_duration(file, "timeout=", request->of.ticket.timeout_us);
    }
    if (request->of.ticket.attempt_timeout_us != 0) {
        print_duration(file, "attempt_timeout=", request->of.ticket.attempt_timeout_us);
    }
}

static void print_listener(FILE *file, const struct adm_request *request)
{
    print_name(file, "principal=", request->of.listener.principal);
    if (request->of.listener.max != ADM_MAX_DEFAULT) {
        print_count(file, "max=", request->of.listener.max);
    }
    if (request->of.listener.refuse_when_full) {
        fprintf(file, " when_full=refuse");
    }
}

static void print_request(FILE *file, const struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        fprintf(file, " h%" PRIu32 " admit t%" PRIu64, request->handle, request->id);
        print_ticket(file, request);
        break;
    case ADM_REQUEST_LISTENER:
        fprintf(file, " h%" PRIu32 " admit t%" PRIu64, request->handle, request->id);
        print_listener(file, request);
        break;
    case ADM_REQUEST_LEAVE:
        fprintf(file, " h%" PRIu32 " leave t%" PRIu64, request->handle, request->id);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
        fprintf(file, " h%" PRIu32 " leave", request->handle);
        print_name(file, "principal=", request->of.principal);
        break;
    case ADM_REQUEST_CANCEL:
        fprintf(file, " h%" PRIu32 " cancel t%" PRIu64, request->handle, request->id);
        break;
    case ADM_REQUEST_LIVE:
        fprintf(file, " h%" PRIu32 " live", request->handle);
        print_name(file, "principal=", request->of.principal);
        break;
    case ADM_REQUEST_DOWN:
        fprintf(file, " h%" PRIu32 " down", request->handle);
        break;
    case ADM_REQUEST_LIMITS:
        fprintf(file, " - limits");
        print_limits(file, request->of.limits.named, &request->of.limits.to);
        break;
    case ADM_REQUEST_PROVIDER:
        fprintf(file, " - provider");
        print_name(file, "", request->of.provider.name);
        print_provider(file, request->of.provider.named, &request->of.provider.to);
        break;
    case ADM_REQUEST_COOLDOWN:
        fprintf(file, " - cooldown");
        print_name(file, "", request->of.cooldown.provider);
        print_duration(file, "", request->of.cooldown.delay_us);
        break;
    case ADM_REQUEST_CLOSE:
        fprintf(file, " - close");
        break;
    }
}

void trace_print(FILE *file, const struct trace *trace)
{
    fprintf(file, "limits");
    print_limits(file, ADM_LIMIT_ALL, &trace->limits);
    fprintf(file, "\n");
    int64_t last = 0;
    for (size_t i = 0; i < trace->n_lines; i++) {
        const struct line *line = &trace->lines[i];
        last = adm_time_later(last, adm_time_earlier(line->now, ADM_NEVER - 1));
        fprintf(file, "%" PRId64 "us%s", last, line->is_late ? "!" : "");
        if (line->has_request) {
            print_request(file, &line->request);
        } else {
            fprintf(file, " - end");
        }
        if (line->now != last) {
            fprintf(file, " # now was %" PRId64, line->now);
        }
        fprintf(file, "\n");
    }
}

static const char *effect_word(enum adm_effect_type type)
{
    switch (type) {
    case ADM_EFFECT_GRANTED:
        return "granted";
    case ADM_EFFECT_REFUSED:
        return "refused";
    case ADM_EFFECT_ABORT:
        return "abort";
    case ADM_EFFECT_ADMITTED:
        return "admitted";
    case ADM_EFFECT_SUPERSEDED:
        return "superseded";
    case ADM_EFFECT_CLOSED:
        return "closed";
    case ADM_EFFECT_LIVE:
        return "live";
    case ADM_EFFECT_LISTENER:
        return "listener";
    case ADM_EFFECT_NO_PROVIDER:
        return "no-provider";
    case ADM_EFFECT_DRAINED:
        return "drained";
    }
    return "no effect of ours";
}

void trace_print_effect(FILE *file, const struct adm_effect *effect)
{
    print_handle(file, effect->handle);
    fprintf(file, " %s t%" PRIu64, effect_word(effect->type), effect->id);
    if (effect->reason != ADM_REASON_NONE) {
        fprintf(file, " %s", adm_reason_text(effect->reason));
    }
    fprintf(file, " (order %" PRIu64 ", n %" PRIu32 ", span %" PRId64 "us)\n", effect->order,
            effect->n, effect->span_us);
}
