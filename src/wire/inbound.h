/* What travels to the actor, as bytes and back.
 *
 * A message of the inlet is one or more records, end to end. Most carry a request of the
 * machine; the rest is between the handles and the actor itself. docs/messages.md has the
 * grammar. Every record begins with a version, so that remote peers can be added; what cannot
 * be read is refused whole, never guessed at. */
#ifndef ADM_WIRE_INBOUND_H
#define ADM_WIRE_INBOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/request.h"

enum adm_inbound_type {
    ADM_INBOUND_STEP,         /* `request`, of any type but CLOSE, is for the machine */
    ADM_INBOUND_OPEN,         /* the handle `request.handle` begins: connect to its outlet */
    ADM_INBOUND_STATS,        /* a call: the statistics */
    ADM_INBOUND_HAS_PROVIDER, /* a call: is there a provider `name`? */
    ADM_INBOUND_CLOSE,        /* a call: close, and answer when drained or after `drain_us` */
    ADM_INBOUND_END,          /* the actor is to end */
};

/* `request.handle` and `request.id` are those of every record; of a call, `id` names the caller
 * who waits (actor/calls.h) and `handle` is ADM_NOBODY. */
struct adm_inbound {
    enum adm_inbound_type type;
    bool is_death; /* of a DOWN: the owner's thread ended without destroying its handle */
    int64_t drain_us;
    struct adm_name name;
    struct adm_request request;
};

enum {
    ADM_WIRE_VERSION = 1,
    ADM_WIRE_HEAD = 16,                                              /* the shortest record */
    ADM_WIRE_INBOUND_MAX = ADM_WIRE_HEAD + 2 * 8 + 2 * ADM_NAME_MAX, /* a ticket with all */
};

/* Writes one record of at most ADM_WIRE_INBOUND_MAX bytes to `bytes`; its length. The members
 * are in range (core/request.h): asserted. */
size_t adm_inbound_encode(const struct adm_inbound *inbound, uint8_t *bytes);

/* Reads the record at the start of `bytes`: its length, or 0 when it is malformed - unknown
 * version or type, unknown flags, cut short, a name of no or with NUL bytes, a number out of
 * range - and then `inbound` is untouched. Members that do not count for the type are left as
 * they were, but for `request.type`, which is always written and means something in a STEP
 * only. Names are borrowed from `bytes`. Never reads beyond `size`. */
size_t adm_inbound_decode(const uint8_t *bytes, size_t size, struct adm_inbound *inbound);

#endif
