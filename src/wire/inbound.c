/* See wire/inbound.h.
 *
 * A record is a head, the numbers that its flags announce, and its names. Each op has a shape -
 * which flags it may carry, how long its names may be - and, where numbers can follow, a writer
 * and a reader that name them in the same order. Every record has one spelling: a number that
 * says what its absence says is malformed, so what was decoded encodes to the same bytes. Which
 * handles there are, and who may send what, is not known here. */
#include "wire/inbound.h"

#include <string.h>

#include "base/assert.h"
#include "wire/bytes.h"

/* The wire's own numbers: they outlive any order of the enums of the core. */
enum op {
    OP_TICKET = 0,
    OP_LISTENER = 1,
    OP_LEAVE = 2,
    OP_LEAVE_PRINCIPAL = 3,
    OP_CANCEL = 4,
    OP_LIVE = 5,
    OP_DOWN = 6,
    OP_LIMITS = 7,
    OP_PROVIDER = 8,
    OP_COOLDOWN = 9,
    OP_CLOSE = 10,
    OP_OPEN = 11,
    OP_STATS = 12,
    OP_HAS_PROVIDER = 13,
    OP_END = 14,
};
enum {
    N_OPS = OP_END + 1
};

/* The flags of LIMITS and PROVIDER are those of enum adm_limit_bit. */
enum {
    TICKET_TIMEOUT = 1 << 0,
    TICKET_ATTEMPT_TIMEOUT = 1 << 1,
    LISTENER_MAX = 1 << 0,
    LISTENER_REFUSE_WHEN_FULL = 1 << 1,
    DOWN_IS_DEATH = 1 << 0,
    COOLDOWN_DELAY = 1 << 0,
    CLOSE_DRAIN = 1 << 0,
};

/* Which of its two names a record has: a bit for each way that a shape allows. */
enum {
    NO_NAME = 1 << 0,
    FIRST = 1 << 1,
    SECOND = 1 << 2,
    BOTH = 1 << 3,
};

/* Where no type is given it is ADM_INBOUND_STEP, and only there `request` counts. */
static const struct shape {
    enum adm_inbound_type type;
    enum adm_request_type request;
    uint8_t flags;
    uint8_t names;
} shapes[N_OPS] = {
    [OP_TICKET] = {.request = ADM_REQUEST_TICKET,
                   .flags = TICKET_TIMEOUT | TICKET_ATTEMPT_TIMEOUT,
                   .names = NO_NAME | FIRST | SECOND | BOTH},
    [OP_LISTENER] = {.request = ADM_REQUEST_LISTENER,
                     .flags = LISTENER_MAX | LISTENER_REFUSE_WHEN_FULL,
                     .names = FIRST},
    [OP_LEAVE] = {.request = ADM_REQUEST_LEAVE, .names = NO_NAME},
    [OP_LEAVE_PRINCIPAL] = {.request = ADM_REQUEST_LEAVE_PRINCIPAL, .names = FIRST},
    [OP_CANCEL] = {.request = ADM_REQUEST_CANCEL, .names = NO_NAME},
    [OP_LIVE] = {.request = ADM_REQUEST_LIVE, .names = FIRST},
    [OP_DOWN] = {.request = ADM_REQUEST_DOWN, .flags = DOWN_IS_DEATH, .names = NO_NAME},
    [OP_LIMITS] = {.request = ADM_REQUEST_LIMITS, .flags = ADM_LIMIT_ALL, .names = NO_NAME},
    [OP_PROVIDER] = {.request = ADM_REQUEST_PROVIDER,
                     .flags = ADM_PROVIDER_LIMIT_ALL,
                     .names = FIRST},
    [OP_COOLDOWN] = {.request = ADM_REQUEST_COOLDOWN, .flags = COOLDOWN_DELAY, .names = FIRST},
    [OP_CLOSE] = {.type = ADM_INBOUND_CLOSE, .flags = CLOSE_DRAIN, .names = NO_NAME},
    [OP_OPEN] = {.type = ADM_INBOUND_OPEN, .names = NO_NAME},
    [OP_STATS] = {.type = ADM_INBOUND_STATS, .names = NO_NAME},
    [OP_HAS_PROVIDER] = {.type = ADM_INBOUND_HAS_PROVIDER, .names = FIRST},
    [OP_END] = {.type = ADM_INBOUND_END, .names = NO_NAME},
};

static bool fits(const struct shape *shape, uint8_t flags, uint8_t first, uint8_t second)
{
    const unsigned way = (first != 0 ? 1u : 0u) + (second != 0 ? 2u : 0u);
    return (flags & ~shape->flags) == 0 && (shape->names >> way & 1) != 0;
}

static bool has_nul(const void *bytes, size_t n)
{
    return memchr(bytes, 0, n) != NULL;
}

/* Writing. The head comes last: only then are the flags and the lengths known. */

struct writer {
    uint8_t *at;
    uint8_t flags;
    uint8_t first;
    uint8_t second;
};

/* Nothing is written where `flag` is 0, here and below. */
static void put_duration(struct writer *writer, unsigned flag, int64_t duration_us)
{
    if (flag != 0) {
        ADM_ASSERT(duration_us >= 0);
        adm_bytes_put_u64(writer->at, (uint64_t)duration_us);
        writer->at += sizeof(uint64_t);
        writer->flags |= (uint8_t)flag;
    }
}

static void put_count(struct writer *writer, unsigned flag, uint32_t count)
{
    if (flag != 0) {
        adm_bytes_put_u32(writer->at, count);
        writer->at += sizeof(uint32_t);
        writer->flags |= (uint8_t)flag;
    }
}

/* A count of at least 1 that has to be a limit. */
static void put_max(struct writer *writer, unsigned flag, uint32_t max)
{
    ADM_ASSERT(flag == 0 || (max >= 1 && max != ADM_NO_LIMIT));
    put_count(writer, flag, max);
}

static uint8_t put_name(struct writer *writer, struct adm_name name)
{
    if (!adm_name_is_none(name)) {
        ADM_ASSERT(!has_nul(name.bytes, name.length));
        memcpy(writer->at, name.bytes, name.length);
        writer->at += name.length;
    }
    return name.length;
}

static void write_ticket(struct writer *writer, const struct adm_request *request)
{
    const int64_t timeout_us = request->of.ticket.timeout_us;
    const int64_t attempt_us = request->of.ticket.attempt_timeout_us;
    put_duration(writer, timeout_us == ADM_TIMEOUT_DEFAULT ? 0 : TICKET_TIMEOUT, timeout_us);
    put_duration(writer, attempt_us == 0 ? 0 : TICKET_ATTEMPT_TIMEOUT, attempt_us);
    writer->first = put_name(writer, request->of.ticket.provider);
    writer->second = put_name(writer, request->of.ticket.key);
}

static void write_listener(struct writer *writer, const struct adm_request *request)
{
    const uint32_t max = request->of.listener.max;
    put_max(writer, max == ADM_MAX_DEFAULT ? 0 : LISTENER_MAX, max);
    writer->flags |= request->of.listener.refuse_when_full ? LISTENER_REFUSE_WHEN_FULL : 0;
    writer->first = put_name(writer, request->of.listener.principal);
}

static void write_limits(struct writer *writer, const struct adm_request *request)
{
    const unsigned named = request->of.limits.named;
    const struct adm_limits *to = &request->of.limits.to;
    ADM_ASSERT((named & ~(unsigned)ADM_LIMIT_ALL) == 0);
    put_count(writer, named & ADM_LIMIT_MAX_CONCURRENT, to->max_concurrent);
    put_duration(writer, named & ADM_LIMIT_MIN_INTERVAL, to->min_interval_us);
    put_count(writer, named & ADM_LIMIT_QUEUE_CAPACITY, to->queue_capacity);
    put_duration(writer, named & ADM_LIMIT_ADMISSION_TIMEOUT, to->admission_timeout_us);
    put_max(writer, named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL, to->max_listens_per_principal);
    put_count(writer, named & ADM_LIMIT_MAX_LISTENERS, to->max_listeners);
}

static void write_provider(struct writer *writer, const struct adm_request *request)
{
    const unsigned named = request->of.provider.named;
    const struct adm_provider_limits *to = &request->of.provider.to;
    ADM_ASSERT((named & ~(unsigned)ADM_PROVIDER_LIMIT_ALL) == 0);
    put_count(writer, named & ADM_LIMIT_MAX_CONCURRENT, to->max_concurrent);
    put_duration(writer, named & ADM_LIMIT_MIN_INTERVAL, to->min_interval_us);
    put_count(writer, named & ADM_LIMIT_QUEUE_CAPACITY, to->queue_capacity);
    writer->first = put_name(writer, request->of.provider.name);
}

static void write_cooldown(struct writer *writer, const struct adm_request *request)
{
    const int64_t delay_us = request->of.cooldown.delay_us;
    put_duration(writer, delay_us == 0 ? 0 : COOLDOWN_DELAY, delay_us);
    writer->first = put_name(writer, request->of.cooldown.provider);
}

static enum op write_step(struct writer *writer, const struct adm_inbound *inbound)
{
    const struct adm_request *request = &inbound->request;
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        write_ticket(writer, request);
        return OP_TICKET;
    case ADM_REQUEST_LISTENER:
        write_listener(writer, request);
        return OP_LISTENER;
    case ADM_REQUEST_LEAVE:
        return OP_LEAVE;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
        writer->first = put_name(writer, request->of.principal);
        return OP_LEAVE_PRINCIPAL;
    case ADM_REQUEST_CANCEL:
        return OP_CANCEL;
    case ADM_REQUEST_LIVE:
        writer->first = put_name(writer, request->of.principal);
        return OP_LIVE;
    case ADM_REQUEST_DOWN:
        writer->flags = inbound->is_death ? DOWN_IS_DEATH : 0;
        return OP_DOWN;
    case ADM_REQUEST_LIMITS:
        write_limits(writer, request);
        return OP_LIMITS;
    case ADM_REQUEST_PROVIDER:
        write_provider(writer, request);
        return OP_PROVIDER;
    case ADM_REQUEST_COOLDOWN:
        write_cooldown(writer, request);
        return OP_COOLDOWN;
    case ADM_REQUEST_CLOSE:
        break;
    }
    adm_assert_failed(__FILE__, __LINE__, "a step carries any request but CLOSE");
}

static enum op write_body(struct writer *writer, const struct adm_inbound *inbound)
{
    switch (inbound->type) {
    case ADM_INBOUND_STEP:
        return write_step(writer, inbound);
    case ADM_INBOUND_OPEN:
        return OP_OPEN;
    case ADM_INBOUND_STATS:
        return OP_STATS;
    case ADM_INBOUND_HAS_PROVIDER:
        writer->first = put_name(writer, inbound->name);
        return OP_HAS_PROVIDER;
    case ADM_INBOUND_CLOSE:
        put_duration(writer, inbound->drain_us == 0 ? 0 : CLOSE_DRAIN, inbound->drain_us);
        return OP_CLOSE;
    case ADM_INBOUND_END:
        return OP_END;
    }
    adm_assert_failed(__FILE__, __LINE__, "a record is of a known type");
}

size_t adm_inbound_encode(const struct adm_inbound *inbound, uint8_t *bytes)
{
    struct writer writer = {.at = bytes + ADM_WIRE_HEAD};
    const enum op op = write_body(&writer, inbound);
    ADM_ASSERT(fits(&shapes[op], writer.flags, writer.first, writer.second));
    bytes[0] = adm_bytes_tag(ADM_WIRE_VERSION, op);
    bytes[1] = writer.flags;
    bytes[2] = writer.first;
    bytes[3] = writer.second;
    adm_bytes_put_u32(bytes + 4, inbound->request.handle);
    adm_bytes_put_u64(bytes + 8, inbound->request.id);
    return (size_t)(writer.at - bytes);
}

/* Reading. What is wrong on the way makes the cursor bad; at the end the record is refused or
 * its members are set, one by one: a whole struct built aside and copied costs five times as
 * much, for the processor cannot load wide what it has just stored narrow. */

struct reader {
    struct adm_bytes_cursor cursor;
    uint8_t flags;
    uint8_t first;
    uint8_t second;
};

/* A duration of at least `least`; 0 where its flag is not set. */
static int64_t take_duration(struct reader *reader, unsigned flag, uint64_t least)
{
    if ((reader->flags & flag) == 0) {
        return 0;
    }
    const uint64_t duration_us = adm_bytes_take_u64(&reader->cursor);
    reader->cursor.is_bad |= duration_us < least || duration_us > ADM_NEVER;
    return (int64_t)duration_us;
}

/* A count of which any value is one, ADM_NO_LIMIT too; 0 where its flag is not set. */
static uint32_t take_count(struct reader *reader, unsigned flag)
{
    return (reader->flags & flag) == 0 ? 0 : adm_bytes_take_u32(&reader->cursor);
}

/* A count of at least 1 that has to be a limit; 0 where its flag is not set. */
static uint32_t take_max(struct reader *reader, unsigned flag)
{
    if ((reader->flags & flag) == 0) {
        return 0;
    }
    const uint32_t max = adm_bytes_take_u32(&reader->cursor);
    reader->cursor.is_bad |= max == 0 || max == ADM_NO_LIMIT;
    return max;
}

static struct adm_name take_name(struct reader *reader, uint8_t length)
{
    const uint8_t *bytes = adm_bytes_take(&reader->cursor, length);
    if (bytes == NULL || length == 0) {
        return adm_name_none();
    }
    reader->cursor.is_bad |= has_nul(bytes, length);
    return (struct adm_name){.bytes = (const char *)bytes, .length = length};
}

static bool read_ticket(struct reader *reader, struct adm_request *request)
{
    const bool has_timeout = (reader->flags & TICKET_TIMEOUT) != 0;
    const int64_t timeout_us = take_duration(reader, TICKET_TIMEOUT, 0);
    const int64_t attempt_timeout_us = take_duration(reader, TICKET_ATTEMPT_TIMEOUT, 1);
    const struct adm_name provider = take_name(reader, reader->first);
    const struct adm_name key = take_name(reader, reader->second);
    if (reader->cursor.is_bad) {
        return false;
    }
    request->of.ticket.provider = provider;
    request->of.ticket.key = key;
    request->of.ticket.timeout_us = has_timeout ? timeout_us : ADM_TIMEOUT_DEFAULT;
    request->of.ticket.attempt_timeout_us = attempt_timeout_us;
    return true;
}

static bool read_listener(struct reader *reader, struct adm_request *request)
{
    _Static_assert(ADM_MAX_DEFAULT == 0, "what take_max() gives where its flag is not set");
    const uint32_t max = take_max(reader, LISTENER_MAX);
    const struct adm_name principal = take_name(reader, reader->first);
    if (reader->cursor.is_bad) {
        return false;
    }
    request->of.listener.principal = principal;
    request->of.listener.max = max;
    request->of.listener.refuse_when_full = (reader->flags & LISTENER_REFUSE_WHEN_FULL) != 0;
    request->of.listener.is_hashed = false;
    return true;
}

static bool read_limits(struct reader *reader, struct adm_request *request)
{
    struct adm_limits to;
    to.max_concurrent = take_count(reader, ADM_LIMIT_MAX_CONCURRENT);
    to.min_interval_us = take_duration(reader, ADM_LIMIT_MIN_INTERVAL, 0);
    to.queue_capacity = take_count(reader, ADM_LIMIT_QUEUE_CAPACITY);
    to.admission_timeout_us = take_duration(reader, ADM_LIMIT_ADMISSION_TIMEOUT, 0);
    to.max_listens_per_principal = take_max(reader, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL);
    to.max_listeners = take_count(reader, ADM_LIMIT_MAX_LISTENERS);
    if (reader->cursor.is_bad) {
        return false;
    }
    request->of.limits.named = reader->flags;
    request->of.limits.to = to;
    return true;
}

static bool read_provider(struct reader *reader, struct adm_request *request)
{
    struct adm_provider_limits to;
    to.max_concurrent = take_count(reader, ADM_LIMIT_MAX_CONCURRENT);
    to.min_interval_us = take_duration(reader, ADM_LIMIT_MIN_INTERVAL, 0);
    to.queue_capacity = take_count(reader, ADM_LIMIT_QUEUE_CAPACITY);
    const struct adm_name name = take_name(reader, reader->first);
    if (reader->cursor.is_bad) {
        return false;
    }
    request->of.provider.name = name;
    request->of.provider.named = reader->flags;
    request->of.provider.to = to;
    return true;
}

static bool read_cooldown(struct reader *reader, struct adm_request *request)
{
    const int64_t delay_us = take_duration(reader, COOLDOWN_DELAY, 1);
    const struct adm_name provider = take_name(reader, reader->first);
    if (reader->cursor.is_bad) {
        return false;
    }
    request->of.cooldown.provider = provider;
    request->of.cooldown.delay_us = delay_us;
    return true;
}

static bool read_name(struct reader *reader, struct adm_name *name)
{
    const struct adm_name found = take_name(reader, reader->first);
    if (reader->cursor.is_bad) {
        return false;
    }
    *name = found;
    return true;
}

static bool read_close(struct reader *reader, struct adm_inbound *inbound)
{
    const int64_t drain_us = take_duration(reader, CLOSE_DRAIN, 1);
    if (reader->cursor.is_bad) {
        return false;
    }
    inbound->drain_us = drain_us;
    return true;
}

static bool read_body(struct reader *reader, enum op op, struct adm_inbound *inbound)
{
    struct adm_request *request = &inbound->request;
    switch (op) {
    case OP_TICKET:
        return read_ticket(reader, request);
    case OP_LISTENER:
        return read_listener(reader, request);
    case OP_LEAVE_PRINCIPAL:
    case OP_LIVE:
        return read_name(reader, &request->of.principal);
    case OP_DOWN:
        inbound->is_death = (reader->flags & DOWN_IS_DEATH) != 0;
        return true;
    case OP_LIMITS:
        return read_limits(reader, request);
    case OP_PROVIDER:
        return read_provider(reader, request);
    case OP_COOLDOWN:
        return read_cooldown(reader, request);
    case OP_CLOSE:
        return read_close(reader, inbound);
    case OP_HAS_PROVIDER:
        return read_name(reader, &inbound->name);
    case OP_LEAVE:
    case OP_CANCEL:
    case OP_OPEN:
    case OP_STATS:
    case OP_END:
        return true;
    }
    return false;
}

size_t adm_inbound_decode(const uint8_t *bytes, size_t size, struct adm_inbound *inbound)
{
    if (size < ADM_WIRE_HEAD || adm_bytes_tag_version(bytes[0]) != ADM_WIRE_VERSION) {
        return 0;
    }
    const unsigned op = adm_bytes_tag_kind(bytes[0]);
    if (op >= N_OPS || !fits(&shapes[op], bytes[1], bytes[2], bytes[3])) {
        return 0;
    }
    struct reader reader = {
        .cursor = {.at = bytes + ADM_WIRE_HEAD, .left = size - ADM_WIRE_HEAD},
        .flags = bytes[1],
        .first = bytes[2],
        .second = bytes[3],
    };
    if (!read_body(&reader, (enum op)op, inbound)) {
        return 0;
    }
    inbound->type = shapes[op].type;
    inbound->request.type = shapes[op].request;
    inbound->request.handle = adm_bytes_get_u32(bytes + 4);
    inbound->request.id = adm_bytes_get_u64(bytes + 8);
    return size - reader.cursor.left;
}
