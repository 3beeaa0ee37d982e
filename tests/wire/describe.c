/* See describe.h. It reads structs as they are and checks nothing: a value out of range is
 * printed like any other. */
#include "describe.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

static void print_name(FILE *out, const char *what, struct adm_name name)
{
    if (adm_name_is_none(name)) {
        fprintf(out, " %s=none", what);
        return;
    }
    fprintf(out, " %s=\"", what);
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char byte = (unsigned char)name.bytes[i];
        const bool is_plain = isprint(byte) && byte != '"' && byte != '\\';
        fprintf(out, is_plain ? "%c" : "\\x%02x", byte);
    }
    fputc('"', out);
}

static void print_count(FILE *out, const char *what, uint32_t count)
{
    if (count == ADM_NO_LIMIT) {
        fprintf(out, " %s=none", what);
    } else {
        fprintf(out, " %s=%" PRIu32, what, count);
    }
}

static void print_duration(FILE *out, const char *what, int64_t duration_us)
{
    if (duration_us == ADM_NEVER) {
        fprintf(out, " %s=never", what);
    } else if (duration_us == ADM_TIMEOUT_DEFAULT) {
        fprintf(out, " %s=default", what);
    } else {
        fprintf(out, " %s=%" PRId64 "us", what, duration_us);
    }
}

static void print_limits(FILE *out, unsigned named, const struct adm_limits *to)
{
    if (named & ADM_LIMIT_MAX_CONCURRENT) {
        print_count(out, "max_concurrent", to->max_concurrent);
    }
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        print_duration(out, "min_interval", to->min_interval_us);
    }
    if (named & ADM_LIMIT_QUEUE_CAPACITY) {
        print_count(out, "queue_capacity", to->queue_capacity);
    }
    if (named & ADM_LIMIT_ADMISSION_TIMEOUT) {
        print_duration(out, "admission_timeout", to->admission_timeout_us);
    }
    if (named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL) {
        print_count(out, "max_listens_per_principal", to->max_listens_per_principal);
    }
    if (named & ADM_LIMIT_MAX_LISTENERS) {
        print_count(out, "max_listeners", to->max_listeners);
    }
}

static void print_provider_limits(FILE *out, unsigned named,
                                  const struct adm_provider_limits *to)
{
    const struct adm_limits limits = {
        .max_concurrent = to->max_concurrent,
        .min_interval_us = to->min_interval_us,
        .queue_capacity = to->queue_capacity,
    };
    print_limits(out, named & ADM_PROVIDER_LIMIT_ALL, &limits);
}

static void print_ticket(FILE *out, const struct adm_request *request)
{
    print_name(out, "provider", request->of.ticket.provider);
    print_name(out, "key", request->of.ticket.key);
    print_duration(out, "timeout", request->of.ticket.timeout_us);
    print_duration(out, "attempt_timeout", request->of.ticket.attempt_timeout_us);
}

static void print_listener(FILE *out, const struct adm_request *request)
{
    print_name(out, "principal", request->of.listener.principal);
    if (request->of.listener.max == ADM_MAX_DEFAULT) {
        fputs(" max=default", out);
    } else {
        print_count(out, "max", request->of.listener.max);
    }
    fprintf(out, " when_full=%s",
            request->of.listener.refuse_when_full ? "refuse" : "supersede");
}

static const char *request_name(enum adm_request_type type)
{
    static const char *const names[] = {
        [ADM_REQUEST_TICKET] = "TICKET",
        [ADM_REQUEST_LISTENER] = "LISTENER",
        [ADM_REQUEST_LEAVE] = "LEAVE",
        [ADM_REQUEST_LEAVE_PRINCIPAL] = "LEAVE_PRINCIPAL",
        [ADM_REQUEST_CANCEL] = "CANCEL",
        [ADM_REQUEST_LIVE] = "LIVE",
        [ADM_REQUEST_DOWN] = "DOWN",
        [ADM_REQUEST_LIMITS] = "LIMITS",
        [ADM_REQUEST_PROVIDER] = "PROVIDER",
        [ADM_REQUEST_COOLDOWN] = "COOLDOWN",
        [ADM_REQUEST_CLOSE] = "(CLOSE as a step)",
    };
    return names[type];
}

static const char *inbound_name(const struct adm_inbound *inbound)
{
    static const char *const names[] = {
        [ADM_INBOUND_OPEN] = "OPEN",   [ADM_INBOUND_STATS] = "STATS",
        [ADM_INBOUND_CLOSE] = "CLOSE", [ADM_INBOUND_HAS_PROVIDER] = "HAS_PROVIDER",
        [ADM_INBOUND_END] = "END",
    };
    return inbound->type == ADM_INBOUND_STEP ? request_name(inbound->request.type)
                                             : names[inbound->type];
}

static void print_request(FILE *out, const struct adm_inbound *inbound)
{
    const struct adm_request *request = &inbound->request;
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        print_ticket(out, request);
        break;
    case ADM_REQUEST_LISTENER:
        print_listener(out, request);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_LIVE:
        print_name(out, "principal", request->of.principal);
        break;
    case ADM_REQUEST_DOWN:
        fprintf(out, " death=%s", inbound->is_death ? "yes" : "no");
        break;
    case ADM_REQUEST_LIMITS:
        print_limits(out, request->of.limits.named, &request->of.limits.to);
        break;
    case ADM_REQUEST_PROVIDER:
        print_name(out, "name", request->of.provider.name);
        print_provider_limits(out, request->of.provider.named, &request->of.provider.to);
        break;
    case ADM_REQUEST_COOLDOWN:
        print_name(out, "provider", request->of.cooldown.provider);
        print_duration(out, "delay", request->of.cooldown.delay_us);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_CLOSE:
        break;
    }
}

static void print_inbound(FILE *out, const struct adm_inbound *inbound)
{
    fputs(inbound_name(inbound), out);
    if (inbound->request.handle == ADM_NOBODY) {
        fputs(" handle=nobody", out);
    } else {
        fprintf(out, " handle=%" PRIu32, inbound->request.handle);
    }
    fprintf(out, " id=%" PRIu64, inbound->request.id);
    switch (inbound->type) {
    case ADM_INBOUND_STEP:
        print_request(out, inbound);
        break;
    case ADM_INBOUND_HAS_PROVIDER:
        print_name(out, "name", inbound->name);
        break;
    case ADM_INBOUND_CLOSE:
        print_duration(out, "drain", inbound->drain_us);
        break;
    case ADM_INBOUND_OPEN:
    case ADM_INBOUND_STATS:
    case ADM_INBOUND_END:
        break;
    }
}

/* Words of its own, for it says what the samples of the documents promise: a word that changed
 * in the sources has to be seen here. */
static const char *reason_name(enum adm_reason reason)
{
    static const char *const names[ADM_N_REASONS] = {
        [ADM_REASON_NONE] = "none",
        [ADM_REASON_OVERFLOW] = "overflow",
        [ADM_REASON_TIMEOUT] = "timeout",
        [ADM_REASON_CANCELLED] = "cancelled",
        [ADM_REASON_CLOSED] = "closed",
        [ADM_REASON_UNKNOWN_PROVIDER] = "unknown-provider",
        [ADM_REASON_DUPLICATE] = "duplicate",
    };
    return names[reason];
}

static void print_event(FILE *out, const struct adm_event *event)
{
    static const char *const names[] = {
        [ADM_EVENT_GRANTED] = "GRANTED",
        [ADM_EVENT_REFUSED] = "REFUSED",
        [ADM_EVENT_ABORT] = "ABORT",
        [ADM_EVENT_ADMITTED] = "ADMITTED",
        [ADM_EVENT_SUPERSEDED] = "SUPERSEDED",
        [ADM_EVENT_CLOSED] = "CLOSED",
        [ADM_EVENT_LIVE] = "LIVE",
        [ADM_EVENT_END] = "END",
    };
    fprintf(out, "%s id=%" PRIu64 " reason=%s", names[event->type], event->id,
            reason_name(event->reason));
    print_duration(out, "span", event->span_us);
    fprintf(out, " order=%" PRIu64 " rows=%" PRIu32, event->order, event->n);
}

/* Reads one record of an outlet with its rows; its length, 0 when it is malformed. */
static size_t print_outlet_record(FILE *out, const uint8_t *bytes, size_t size)
{
    struct adm_event event;
    if (!adm_event_decode(bytes, size, &event)) {
        return 0;
    }
    print_event(out, &event);
    fputc('\n', out);
    size_t at = ADM_EVENT_RECORD;
    for (uint32_t i = 0; i < event.n; i++) {
        struct adm_event_row row;
        if (!adm_event_row_decode(bytes + at, size - at, &row)) {
            return 0;
        }
        fprintf(out, "row owner=%" PRIu64 " id=%" PRIu64 " order=%" PRIu64 "\n", row.owner,
                row.id, row.order);
        at += ADM_EVENT_RECORD;
    }
    return at;
}

char *describe_inbound(const struct adm_inbound *inbound)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    print_inbound(out, inbound);
    fclose(out);
    return text;
}

char *describe_event(const struct adm_event *event)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    print_event(out, event);
    fclose(out);
    return text;
}

char *describe_inlet(const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    while (size > 0) {
        struct adm_inbound inbound;
        const size_t n = adm_inbound_decode(bytes, size, &inbound);
        if (n == 0) {
            fputs("malformed\n", out);
            break;
        }
        print_inbound(out, &inbound);
        fputc('\n', out);
        bytes += n;
        size -= n;
    }
    fclose(out);
    return text;
}

char *describe_outlet(const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int64_t stamp_us;
    size_t at = 0;
    if (adm_event_stamp_decode(bytes, size, &stamp_us)) {
        fprintf(out, "stamp=%" PRId64 "us\n", stamp_us);
        at = ADM_EVENT_STAMP;
    }
    while (at < size) {
        const size_t n = print_outlet_record(out, bytes + at, size - at);
        if (n == 0) {
            fputs("malformed\n", out);
            break;
        }
        at += n;
    }
    fclose(out);
    return text;
}
