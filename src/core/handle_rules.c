/* The rules of handles and of close: H1, H2, K1, and the leave of either kind (T10, L4). */
#include "core/books.h"

#include "base/assert.h"

static uint64_t id_of(const struct adm_machine *machine, uint32_t holding)
{
    const uint32_t number = adm_holding_number(holding);
    return adm_holding_is_listener(holding) ? adm_listeners_at(&machine->listeners, number)->id
                                            : adm_ticket_at(&machine->tickets, number)->id;
}

uint32_t adm_machine_find(const struct adm_machine *machine, uint32_t handle, uint64_t id,
                          struct adm_table_walk *walk)
{
    const uint32_t hash = adm_holdings_hash(&machine->holdings, id);
    uint32_t holding = adm_holdings_first(&machine->holdings, handle, hash, walk);
    while (holding != ADM_HOLDING_NONE && id_of(machine, holding) != id) {
        holding = adm_holdings_next(&machine->holdings, handle, walk);
    }
    return holding;
}

/* Ends a holding that the handle's table no longer has. */
static void end(struct adm_machine *machine, uint32_t holding)
{
    if (adm_holding_is_listener(holding)) {
        adm_rules_leave_listener(machine, adm_holding_number(holding));
    } else {
        adm_rules_end_ticket(machine, adm_holding_number(holding));
    }
}

void adm_rules_leave(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_table_walk walk;
    const uint32_t holding = adm_machine_find(machine, request->handle, request->id, &walk);
    if (holding == ADM_HOLDING_NONE) {
        machine->counters.stray_leaves++;
        return;
    }
    adm_holdings_remove_at(&machine->holdings, request->handle, &walk);
    end(machine, holding);
}

/* H1. The order in which the handle's things end shows nowhere: nothing starts in between. */
void adm_rules_down(struct adm_machine *machine, uint32_t handle)
{
    struct adm_table taken = adm_holdings_take(&machine->holdings, handle);
    for (uint32_t i = 0; i < taken.capacity; i++) {
        if (taken.slots[i].number != ADM_HOLDING_NONE) {
            end(machine, taken.slots[i].number);
        }
    }
    adm_table_deinit(&taken);
}

static void place_nowhere(void *owner, uint32_t number, uint32_t position)
{
    (void)owner;
    (void)number;
    (void)position;
}

static void add(struct adm_heap *heap, uint64_t order, uint32_t number)
{
    adm_heap_add(heap, (struct adm_heap_entry){.major = order, .number = number});
}

static void collect_one(const struct adm_machine *machine, uint32_t holding,
                        struct adm_heap *queued, struct adm_heap *live)
{
    const uint32_t number = adm_holding_number(holding);
    if (adm_holding_is_listener(holding)) {
        add(live, adm_listeners_at(&machine->listeners, number)->order, number);
        return;
    }
    const struct adm_ticket *ticket = adm_ticket_at(&machine->tickets, number);
    if (ticket->state == ADM_TICKET_QUEUED) {
        add(queued, ticket->turn, number);
    }
}

/* Collects the queued tickets by arrival and the live listeners by admission order. Only close
 * needs either, once, so nothing is kept in that order all along. */
static void collect(const struct adm_machine *machine, struct adm_heap *queued,
                    struct adm_heap *live)
{
    for (uint32_t handle = 0; handle < machine->holdings.n_handles; handle++) {
        const struct adm_table *held = adm_holdings_of(&machine->holdings, handle);
        for (uint32_t i = 0; i < held->capacity; i++) {
            if (held->slots[i].number != ADM_HOLDING_NONE) {
                collect_one(machine, held->slots[i].number, queued, live);
            }
        }
    }
}

static uint32_t pop(struct adm_heap *heap)
{
    const struct adm_heap_entry *first = adm_heap_first(heap);
    if (first == NULL) {
        return ADM_POOL_NONE;
    }
    const uint32_t number = first->number;
    adm_heap_remove(heap, 0);
    return number;
}

static void abort_running(struct adm_machine *machine)
{
    uint32_t number = machine->slots.running.first;
    while (number != ADM_TICKET_NONE) {
        const struct adm_ticket *ticket = adm_ticket_at(&machine->tickets, number);
        if (ticket->state == ADM_TICKET_RUNNING) {
            adm_rules_abort(machine, number, ADM_REASON_CLOSED);
        }
        number = ticket->next;
    }
}

/* K1. */
void adm_rules_close(struct adm_machine *machine)
{
    if (machine->is_closed) {
        return;
    }
    machine->is_closed = true;
    struct adm_heap queued;
    struct adm_heap live;
    adm_heap_init(&queued, place_nowhere, NULL);
    adm_heap_init(&live, place_nowhere, NULL);
    collect(machine, &queued, &live);
    uint32_t number;
    while ((number = pop(&queued)) != ADM_POOL_NONE) {
        adm_rules_refuse_queued(machine, number, ADM_REASON_CLOSED);
    }
    abort_running(machine);
    while ((number = pop(&live)) != ADM_POOL_NONE) {
        adm_rules_close_listener(machine, number);
    }
    adm_heap_deinit(&queued);
    adm_heap_deinit(&live);
}
