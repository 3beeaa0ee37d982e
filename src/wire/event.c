/* See wire/event.h.
 *
 * One table says of each type which reasons it can give and what its last number means; the
 * writer is held to it as the reader is. What a type has no use for is zero on the wire, so
 * every record has one spelling. Whose handle a record is for and which rows belong together is
 * not known here. */
#include "wire/event.h"

#include "base/assert.h"
#include "wire/bytes.h"
#include "wire/inbound.h"

/* What the last number of a record is. */
enum measure {
    NOTHING,
    SPAN,
    ORDER
};

enum {
    NO_REASON = 1 << ADM_REASON_NONE,
    ABORT_REASONS =
        1 << ADM_REASON_TIMEOUT | 1 << ADM_REASON_CANCELLED | 1 << ADM_REASON_CLOSED,
    REFUSE_REASONS = (1 << ADM_N_REASONS) - 1 - NO_REASON,
};

static const struct shape {
    unsigned reasons;
    enum measure measure;
} shapes[] = {
    [ADM_EVENT_GRANTED] = {.reasons = NO_REASON, .measure = SPAN},
    [ADM_EVENT_REFUSED] = {.reasons = REFUSE_REASONS, .measure = SPAN},
    [ADM_EVENT_ABORT] = {.reasons = ABORT_REASONS, .measure = SPAN},
    [ADM_EVENT_ADMITTED] = {.reasons = NO_REASON, .measure = ORDER},
    [ADM_EVENT_SUPERSEDED] = {.reasons = NO_REASON},
    [ADM_EVENT_CLOSED] = {.reasons = NO_REASON},
    [ADM_EVENT_LIVE] = {.reasons = NO_REASON},
    [ADM_EVENT_END] = {.reasons = NO_REASON},
};
enum {
    N_TYPES = sizeof shapes / sizeof *shapes
};

/* Whether `event` is in range and zero where its type has no use for a member. */
static bool is_sound(const struct adm_event *event)
{
    if ((unsigned)event->type >= N_TYPES || (unsigned)event->reason >= ADM_N_REASONS) {
        return false;
    }
    const struct shape *shape = &shapes[event->type];
    return (shape->reasons >> event->reason & 1) != 0 &&
           (event->n == 0 || event->type == ADM_EVENT_LIVE) && event->span_us >= 0 &&
           (event->span_us == 0 || shape->measure == SPAN) &&
           (event->order == 0 || shape->measure == ORDER);
}

void adm_event_stamp_encode(int64_t stamp_us, uint8_t bytes[ADM_EVENT_STAMP])
{
    adm_bytes_put_u64(bytes, (uint64_t)stamp_us);
}

void adm_event_encode(const struct adm_event *event, uint8_t bytes[ADM_EVENT_RECORD])
{
    ADM_ASSERT(is_sound(event));
    const uint64_t measure = event->order | (uint64_t)event->span_us; /* one of them is 0 */
    bytes[0] = adm_bytes_tag(ADM_WIRE_VERSION, event->type);
    bytes[1] = (uint8_t)event->reason;
    bytes[2] = 0;
    bytes[3] = 0;
    adm_bytes_put_u32(bytes + 4, event->n);
    adm_bytes_put_u64(bytes + 8, event->id);
    adm_bytes_put_u64(bytes + 16, measure);
}

void adm_event_row_encode(const struct adm_event_row *row, uint8_t bytes[ADM_EVENT_RECORD])
{
    adm_bytes_put_u64(bytes, row->owner);
    adm_bytes_put_u64(bytes + 8, row->id);
    adm_bytes_put_u64(bytes + 16, row->order);
}

bool adm_event_stamp_decode(const uint8_t *bytes, size_t size, int64_t *stamp_us)
{
    if (size < ADM_EVENT_STAMP) {
        return false;
    }
    *stamp_us = (int64_t)adm_bytes_get_u64(bytes);
    return true;
}

bool adm_event_decode(const uint8_t *bytes, size_t size, struct adm_event *event)
{
    if (size < ADM_EVENT_RECORD || adm_bytes_tag_version(bytes[0]) != ADM_WIRE_VERSION) {
        return false;
    }
    const unsigned type = adm_bytes_tag_kind(bytes[0]);
    if (type >= N_TYPES || bytes[2] != 0 || bytes[3] != 0) {
        return false;
    }
    const uint64_t measure = adm_bytes_get_u64(bytes + 16);
    const struct adm_event found = {
        .type = (enum adm_event_type)type,
        .reason = (enum adm_reason)bytes[1],
        .n = adm_bytes_get_u32(bytes + 4),
        .id = adm_bytes_get_u64(bytes + 8),
        .span_us = shapes[type].measure == ORDER ? 0 : (int64_t)measure,
        .order = shapes[type].measure == ORDER ? measure : 0,
    };
    if (!is_sound(&found) || found.n > (size - ADM_EVENT_RECORD) / ADM_EVENT_RECORD) {
        return false;
    }
    *event = found;
    return true;
}

bool adm_event_row_decode(const uint8_t *bytes, size_t size, struct adm_event_row *row)
{
    if (size < ADM_EVENT_RECORD) {
        return false;
    }
    *row = (struct adm_event_row){
        .owner = adm_bytes_get_u64(bytes),
        .id = adm_bytes_get_u64(bytes + 8),
        .order = adm_bytes_get_u64(bytes + 16),
    };
    return true;
}
