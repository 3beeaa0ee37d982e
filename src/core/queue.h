/* What waits, in what order, and which of it can start (T2, T3, T5).
 *
 * Queued tickets of one provider and one key form a lane, first come first served; only the
 * head of a lane competes. A lane is ready - it stands in its provider's `ready` heap, by the
 * arrival of its head - as long as its key does not run. So a start or an end of a key touches
 * one entry for each provider at which that key waits, never every waiter; and a blocked ticket
 * blocks nobody but those of its own lane, which are blocked by the same things.
 *
 * Invariant: a lane exists as long as it holds a ticket. */
#ifndef ADM_CORE_QUEUE_H
#define ADM_CORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/pool.h"
#include "base/table.h"
#include "core/keys.h"
#include "core/providers.h"
#include "core/ticket.h"

struct adm_lane {
    uint32_t provider;
    uint32_t key;
    struct adm_ticket_list waiting;
    uint32_t position; /* in the ready heap of its provider; ADM_HEAP_OUT: its key runs */
    uint32_t previous_of_key;
    uint32_t next_of_key;
};

struct adm_queue {
    struct adm_pool *tickets;
    struct adm_keys keys;
    struct adm_providers providers;
    struct adm_pool lanes;
    struct adm_table by_provider_and_key;
    struct adm_heap deadlines; /* of queued tickets, then by arrival (T6) */
    uint64_t n_arrivals;
    uint32_t n;
    struct adm_hash_key hash_key;
};

/* `tickets` outlives the queue, which must not move. */
void adm_queue_init(struct adm_queue *queue, struct adm_pool *tickets,
                    const struct adm_hash_key *hash_key);
void adm_queue_deinit(struct adm_queue *queue);

/* Queues a ticket whose provider, key and since_at are set. `deadline_at` may be ADM_NEVER. */
void adm_queue_push(struct adm_queue *queue, uint32_t ticket, int64_t deadline_at, int64_t now);

/* Takes a queued ticket out, wherever it stands. Its key stays until adm_keys_release(). */
void adm_queue_remove(struct adm_queue *queue, uint32_t ticket, int64_t now);

/* The earliest-arrived ticket that its provider and its key would let start; else
 * ADM_TICKET_NONE. */
uint32_t adm_queue_first_ready(const struct adm_queue *queue);

/* The earliest instant at which adm_queue_first_ready() would find one by time alone. */
int64_t adm_queue_ready_at(const struct adm_queue *queue);

/* Tells the queue that a ticket of this key now runs, or no longer does. */
void adm_queue_set_key_running(struct adm_queue *queue, uint32_t key, bool is_running,
                               int64_t now);

size_t adm_queue_bytes(const struct adm_queue *queue);

#endif
