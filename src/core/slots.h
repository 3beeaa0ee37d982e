/* What runs: the slots, in the order in which they were taken, and when their time is up.
 *
 * Invariant: `running` is in start order; `deadlines` holds the running tickets that have
 * an attempt timeout and have not been aborted (T11). */
#ifndef ADM_CORE_SLOTS_H
#define ADM_CORE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/pool.h"
#include "core/ticket.h"

struct adm_slots {
    struct adm_pool *tickets;
    struct adm_heap deadlines;
    uint64_t n_starts;
    uint32_t n;
    struct adm_ticket_list running;
};

/* `tickets` outlives the slots, which must not move. */
void adm_slots_init(struct adm_slots *slots, struct adm_pool *tickets);
void adm_slots_deinit(struct adm_slots *slots);

/* Gives a slot to a ticket that is not queued: it runs from `now`. */
void adm_slots_take(struct adm_slots *slots, uint32_t ticket, int64_t now);

/* Takes the slot of a running ticket back. */
void adm_slots_give_back(struct adm_slots *slots, uint32_t ticket);

/* Marks a running ticket as told to end: it has no deadline any more. */
void adm_slots_abort(struct adm_slots *slots, uint32_t ticket);

#endif
