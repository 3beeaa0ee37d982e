/* What travels from the actor to a handle, as bytes and back.
 *
 * A message of an outlet is an 8-byte wall-clock stamp (microseconds since 1970, Z3) and one or
 * more records, end to end: 24 bytes each, so that one answer needs no malloc in libzmq (33
 * bytes at most); the record LIVE is followed by `n` rows of 24 bytes. docs/messages.md has the
 * grammar. */
#ifndef ADM_WIRE_EVENT_H
#define ADM_WIRE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/effect.h"

enum adm_event_type {
    ADM_EVENT_GRANTED,
    ADM_EVENT_REFUSED,
    ADM_EVENT_ABORT,
    ADM_EVENT_ADMITTED,
    ADM_EVENT_SUPERSEDED,
    ADM_EVENT_CLOSED,
    ADM_EVENT_LIVE,
    ADM_EVENT_END, /* the actor has ended: the last record that the handle gets */
};

struct adm_event {
    enum adm_event_type type;
    enum adm_reason reason; /* of REFUSED and ABORT */
    uint32_t n;             /* of LIVE: the rows that follow */
    uint64_t id;
    int64_t span_us; /* of GRANTED and REFUSED: queued; of ABORT: run; else 0 */
    uint64_t order;  /* of ADMITTED; else 0 */
};

/* One live listener. `owner` is the public number of its handle, never used twice. */
struct adm_event_row {
    uint64_t owner;
    uint64_t id;
    uint64_t order;
};

enum {
    ADM_EVENT_STAMP = 8,
    ADM_EVENT_RECORD = 24
};

void adm_event_stamp_encode(int64_t stamp_us, uint8_t bytes[ADM_EVENT_STAMP]);
void adm_event_encode(const struct adm_event *event, uint8_t bytes[ADM_EVENT_RECORD]);
void adm_event_row_encode(const struct adm_event_row *row, uint8_t bytes[ADM_EVENT_RECORD]);

/* Each reads from the start of `bytes`: false, and outputs untouched, when `size` is too short
 * or the record is malformed (a LIVE whose rows do not fit in `size` is). */
bool adm_event_stamp_decode(const uint8_t *bytes, size_t size, int64_t *stamp_us);
bool adm_event_decode(const uint8_t *bytes, size_t size, struct adm_event *event);
bool adm_event_row_decode(const uint8_t *bytes, size_t size, struct adm_event_row *row);

#endif
