/* The whole state of the machine, shared by the files that hold its rules, and by nobody else.
 *
 * ticket_rules.c decides about tickets, listener_rules.c about listeners, handle_rules.c about
 * handles and close, machine.c about time, limits, cooldowns, and the order in which all come.
 * A rule appends its effects and keeps the books; none of them steps the clock or starts what
 * is queued: machine.c does, after every request. */
#ifndef ADM_CORE_BOOKS_H
#define ADM_CORE_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "core/effect.h"
#include "core/holdings.h"
#include "core/limits.h"
#include "core/listeners.h"
#include "core/queue.h"
#include "core/request.h"
#include "core/slots.h"
#include "core/stats.h"

/* Invariant, between steps: every ticket and listener is held by exactly one handle; a ticket
 * is either in the queue or in a slot; whatever is due at `now` or before has been done. */
struct adm_machine {
    struct adm_limits limits;
    int64_t now;
    int64_t last_start_at;
    bool is_closed;
    bool is_drained;
    struct adm_pool tickets;
    struct adm_queue queue;
    struct adm_slots slots;
    struct adm_listeners listeners;
    struct adm_holdings holdings;
    struct adm_stats counters;   /* the gauges in it stay 0 */
    struct adm_effects *effects; /* of the step under way */
};

/* What `handle` holds under `id`, or ADM_HOLDING_NONE (H2). `walk` then stands at it, or tells
 * where it would be added. */
uint32_t adm_machine_find(const struct adm_machine *machine, uint32_t handle, uint64_t id,
                          struct adm_table_walk *walk);

/* Tickets. */
void adm_rules_admit_ticket(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_cancel(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_start_eligible(struct adm_machine *machine);
void adm_rules_abort_expired(struct adm_machine *machine);
void adm_rules_refuse_expired(struct adm_machine *machine, int64_t until);
void adm_rules_refuse_queued(struct adm_machine *machine, uint32_t ticket,
                             enum adm_reason reason);
void adm_rules_abort(struct adm_machine *machine, uint32_t ticket, enum adm_reason reason);

/* The instant at which the next queued ticket becomes eligible by time alone (I2). */
int64_t adm_rules_eligible_at(const struct adm_machine *machine);

/* Ends a ticket without a word, as its owner asked; the holding is the caller's to remove. */
void adm_rules_end_ticket(struct adm_machine *machine, uint32_t ticket);

/* Listeners. */
void adm_rules_admit_listener(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_leave_principal(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_live(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_close_listener(struct adm_machine *machine, uint32_t listener);

/* Ends a listener without a word, as its owner asked; the holding is the caller's to remove. */
void adm_rules_leave_listener(struct adm_machine *machine, uint32_t listener);

/* Handles, and close. */
void adm_rules_leave(struct adm_machine *machine, const struct adm_request *request);
void adm_rules_down(struct adm_machine *machine, uint32_t handle);
void adm_rules_close(struct adm_machine *machine);

/* Tells the owner of an admit that it is refused. */
static inline void adm_rules_refuse(struct adm_machine *machine, uint32_t handle, uint64_t id,
                                    enum adm_reason reason, int64_t span_us)
{
    *adm_effects_add(machine->effects) = (struct adm_effect){.type = ADM_EFFECT_REFUSED,
                                                             .reason = reason,
                                                             .handle = handle,
                                                             .id = id,
                                                             .span_us = span_us};
}

#endif
