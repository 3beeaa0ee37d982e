/* What a client reads: the actor's words, each for a ticket, listener or question of its own.
 */
#ifndef ADMISSION_EVENT_H
#define ADMISSION_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum admission_event_type {
    ADMISSION_EVENT_GRANTED = 1, /* the ticket runs: leave it when done (T3, T4) */
    ADMISSION_EVENT_REFUSED,     /* the ticket or listener is not, or no longer, admitted */
    ADMISSION_EVENT_ABORT,      /* the running ticket is to end; its slot waits for its leave */
    ADMISSION_EVENT_ADMITTED,   /* the listener is live (L1) */
    ADMISSION_EVENT_SUPERSEDED, /* the listener is no longer live: a newer one came (L1) */
    ADMISSION_EVENT_CLOSED,     /* the listener is no longer live: the actor closed (K1) */
    ADMISSION_EVENT_LIVE,       /* the answer to a question: who is live (L5) */
} admission_event_type_t;

typedef enum admission_reason {
    ADMISSION_REASON_NONE = 0,
    ADMISSION_REASON_OVERFLOW,  /* of a refusal: the queue or a cap is full (T5, L6, L7) */
    ADMISSION_REASON_TIMEOUT,   /* refused: waited too long (T6); abort: ran so (T11) */
    ADMISSION_REASON_CANCELLED, /* cancelled while queued, or while running (T9) */
    ADMISSION_REASON_CLOSED,    /* the actor has closed (K1) */
    ADMISSION_REASON_UNKNOWN_PROVIDER, /* of a refusal (T12) */
    ADMISSION_REASON_DUPLICATE, /* of a refusal: the id is in use; clients make no such */
} admission_reason_t;

/* One live listener. `owner` is admission_client_number() of its client. */
struct admission_listener {
    uint64_t owner;
    uint64_t id;
    uint64_t order;
};

/* Filled by the functions that read. Members that an event does not have are 0 or NULL. */
struct admission_event {
    admission_event_type_t type;
    admission_reason_t reason;
    uint64_t id;       /* of the ticket, listener or question */
    uint64_t order;    /* ADMITTED: the admission order number, from 0 over all principals */
    int64_t waited_us; /* GRANTED, REFUSED: how long the ticket was queued */
    int64_t ran_us;    /* ABORT: how long the ticket has run */

    /* When the actor sent it, by the wall clock: microseconds since 1970 (Z3). */
    int64_t stamped_at_us;

    /* LIVE: the live listeners of the principal, oldest first. Owned by the client and valid
     * until its next call that reads. */
    const struct admission_listener *live;
    size_t n_live;
};

/* The words of the trace format: "granted", "overflow", ... Static; any thread. */
ADMISSION_EXPORT const char *admission_event_type_text(admission_event_type_t type);
ADMISSION_EXPORT const char *admission_reason_text(admission_reason_t reason);

#ifdef __cplusplus
}
#endif

#endif
