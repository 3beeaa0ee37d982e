/* See core/slots.h. */
#include "core/slots.h"

#include "base/assert.h"
#include "base/time.h"

static void place(void *owner, uint32_t number, uint32_t position)
{
    const struct adm_slots *slots = owner;
    adm_ticket_at(slots->tickets, number)->position = position;
}

void adm_slots_init(struct adm_slots *slots, struct adm_pool *tickets)
{
    *slots = (struct adm_slots){.tickets = tickets, .running = adm_ticket_list_empty()};
    adm_heap_init(&slots->deadlines, place, slots);
}

void adm_slots_deinit(struct adm_slots *slots)
{
    ADM_ASSERT(slots->n == 0 && slots->deadlines.n == 0);
    adm_heap_deinit(&slots->deadlines);
}

static void set_deadline(struct adm_slots *slots, uint32_t number, int64_t now)
{
    const struct adm_ticket *ticket = adm_ticket_at(slots->tickets, number);
    if (ticket->attempt_timeout_us == 0) {
        return;
    }
    const int64_t deadline_at = adm_time_add(now, ticket->attempt_timeout_us);
    if (deadline_at != ADM_NEVER) {
        adm_heap_add(&slots->deadlines, (struct adm_heap_entry){.major = (uint64_t)deadline_at,
                                                                .minor = ticket->turn,
                                                                .number = number});
    }
}

void adm_slots_take(struct adm_slots *slots, uint32_t number, int64_t now)
{
    struct adm_ticket *ticket = adm_ticket_at(slots->tickets, number);
    ticket->state = ADM_TICKET_RUNNING;
    ticket->turn = slots->n_starts++;
    ticket->since_at = now;
    ticket->position = ADM_HEAP_OUT;
    adm_ticket_list_append(&slots->running, slots->tickets, number);
    slots->n++;
    set_deadline(slots, number, now);
}

static void drop_deadline(struct adm_slots *slots, const struct adm_ticket *ticket)
{
    if (ticket->position != ADM_HEAP_OUT) {
        adm_heap_remove(&slots->deadlines, ticket->position);
    }
}

void adm_slots_give_back(struct adm_slots *slots, uint32_t number)
{
    const struct adm_ticket *ticket = adm_ticket_at(slots->tickets, number);
    ADM_ASSERT(ticket->state != ADM_TICKET_QUEUED);
    adm_ticket_list_remove(&slots->running, slots->tickets, number);
    slots->n--;
    drop_deadline(slots, ticket);
}

void adm_slots_abort(struct adm_slots *slots, uint32_t number)
{
    struct adm_ticket *ticket = adm_ticket_at(slots->tickets, number);
    ADM_ASSERT(ticket->state == ADM_TICKET_RUNNING);
    ticket->state = ADM_TICKET_ABORTED;
    drop_deadline(slots, ticket);
}
