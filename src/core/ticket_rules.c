/* The rules of tickets: T1 to T13.
 *
 * A ticket is refused before it costs anything, or it is recorded and then ends exactly once:
 * refused, left or withdrawn. Whatever could be eligible is in the queue's ready order, so a
 * start looks at one ticket, never at the queue. */
#include "core/books.h"

#include "base/assert.h"

static struct adm_ticket *ticket_at(const struct adm_machine *machine, uint32_t number)
{
    return adm_ticket_at(&machine->tickets, number);
}

static struct adm_provider *provider_of(const struct adm_machine *machine,
                                        const struct adm_ticket *ticket)
{
    return adm_providers_at(&machine->queue.providers, ticket->provider);
}

/* When the interval since the last start of any ticket has passed (T7). */
static int64_t opens_at(const struct adm_machine *machine)
{
    return machine->last_start_at == ADM_NEVER_STARTED
               ? 0
               : adm_time_add(machine->last_start_at, machine->limits.min_interval_us);
}

static bool has_slot(const struct adm_machine *machine)
{
    return adm_limit_has_room(machine->slots.n, machine->limits.max_concurrent);
}

static bool takes_start(const struct adm_machine *machine)
{
    return has_slot(machine) && opens_at(machine) <= machine->now;
}

/* T2, for a ticket that is not recorded yet. */
static bool is_eligible(const struct adm_machine *machine, uint32_t provider, uint32_t key)
{
    return takes_start(machine) &&
           adm_provider_takes_start(adm_providers_at(&machine->queue.providers, provider),
                                    machine->now) &&
           !adm_keys_is_running(&machine->queue.keys, key);
}

/* How long the ticket has been in its present state. */
static int64_t span_of(const struct adm_machine *machine, const struct adm_ticket *ticket)
{
    return machine->now - ticket->since_at;
}

static void count_wait(struct adm_machine *machine, int64_t waited_us)
{
    const int bits = waited_us == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)waited_us);
    machine->counters.waits[bits]++;
}

/* Starts a ticket that is eligible and not, or no longer, queued. */
static void start(struct adm_machine *machine, uint32_t number)
{
    struct adm_ticket *ticket = ticket_at(machine, number);
    const int64_t waited_us = span_of(machine, ticket);
    adm_slots_take(&machine->slots, number, machine->now);
    machine->last_start_at = machine->now;
    struct adm_provider *provider = provider_of(machine, ticket);
    provider->n_running++;
    provider->last_start_at = machine->now;
    adm_providers_reseat(&machine->queue.providers, ticket->provider, machine->now);
    adm_queue_set_key_running(&machine->queue, ticket->key, true, machine->now);
    machine->counters.tickets_granted++;
    count_wait(machine, waited_us);
    *adm_effects_add(machine->effects) = (struct adm_effect){.type = ADM_EFFECT_GRANTED,
                                                             .handle = ticket->handle,
                                                             .id = ticket->id,
                                                             .span_us = waited_us};
}

/* T3. */
void adm_rules_start_eligible(struct adm_machine *machine)
{
    uint32_t number;
    while ((number = adm_queue_first_ready(&machine->queue)) != ADM_TICKET_NONE &&
           takes_start(machine)) {
        adm_queue_remove(&machine->queue, number, machine->now);
        start(machine, number);
    }
}

int64_t adm_rules_eligible_at(const struct adm_machine *machine)
{
    return has_slot(machine)
               ? adm_time_later(opens_at(machine), adm_queue_ready_at(&machine->queue))
               : ADM_NEVER;
}

static void forget(struct adm_machine *machine, uint32_t number)
{
    adm_keys_release(&machine->queue.keys, ticket_at(machine, number)->key);
    adm_pool_return(&machine->tickets, number);
}

/* Why a newcomer that is not recorded yet is refused (H2); ADM_REASON_NONE when it is not, and
 * then `walk` tells where its holding goes. */
static enum adm_reason refusal(const struct adm_machine *machine,
                               const struct adm_request *request, uint32_t provider,
                               struct adm_table_walk *walk)
{
    if (machine->is_closed) {
        return ADM_REASON_CLOSED;
    }
    if (adm_machine_find(machine, request->handle, request->id, walk) != ADM_HOLDING_NONE) {
        return ADM_REASON_DUPLICATE;
    }
    return provider == ADM_PROVIDER_UNKNOWN ? ADM_REASON_UNKNOWN_PROVIDER : ADM_REASON_NONE;
}

/* Why a newcomer that cannot start may not wait either (T5). */
static enum adm_reason refusal_to_wait(const struct adm_machine *machine, uint32_t provider,
                                       int64_t timeout_us)
{
    if (timeout_us == 0) {
        return ADM_REASON_TIMEOUT;
    }
    const struct adm_provider *of = adm_providers_at(&machine->queue.providers, provider);
    return adm_limit_has_room(machine->queue.n, machine->limits.queue_capacity) &&
                   adm_limit_has_room(of->n_queued, of->limits.queue_capacity)
               ? ADM_REASON_NONE
               : ADM_REASON_OVERFLOW;
}

static void refuse_newcomer(struct adm_machine *machine, const struct adm_request *request,
                            enum adm_reason reason)
{
    machine->counters.tickets_refused[reason]++;
    adm_rules_refuse(machine, request->handle, request->id, reason, 0);
}

static uint32_t record(struct adm_machine *machine, const struct adm_request *request,
                       uint32_t provider, uint32_t key, const struct adm_table_walk *walk)
{
    const uint32_t number = adm_pool_take(&machine->tickets);
    *ticket_at(machine, number) = (struct adm_ticket){
        .id = request->id,
        .since_at = machine->now,
        .attempt_timeout_us = request->of.ticket.attempt_timeout_us,
        .handle = request->handle,
        .provider = provider,
        .key = key,
        .position = ADM_HEAP_OUT,
    };
    adm_holdings_add(&machine->holdings, request->handle, walk, adm_holding_ticket(number));
    return number;
}

void adm_rules_admit_ticket(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_keys *keys = &machine->queue.keys;
    const struct adm_name key_name = request->of.ticket.key;
    const int64_t timeout_us = request->of.ticket.timeout_us == ADM_TIMEOUT_DEFAULT
                                   ? machine->limits.admission_timeout_us
                                   : request->of.ticket.timeout_us;
    const uint32_t provider =
        adm_providers_find(&machine->queue.providers, request->of.ticket.provider);
    struct adm_table_walk place_of_key = {0};
    struct adm_table_walk place = {0};
    uint32_t key = adm_keys_find(keys, key_name, &place_of_key);

    enum adm_reason reason = refusal(machine, request, provider, &place);
    const bool starts =
        reason == ADM_REASON_NONE && is_eligible(machine, provider, key); /* T4 */
    if (reason == ADM_REASON_NONE && !starts) {
        reason = refusal_to_wait(machine, provider, timeout_us);
    }
    if (reason != ADM_REASON_NONE) {
        refuse_newcomer(machine, request, reason);
        return;
    }
    if (key == ADM_KEY_NONE && !adm_name_is_none(key_name)) {
        key = adm_keys_add(keys, key_name, &place_of_key);
    }
    const uint32_t number = record(machine, request, provider, key, &place);
    if (starts) {
        start(machine, number);
    } else {
        adm_queue_push(&machine->queue, number, adm_time_add(machine->now, timeout_us),
                       machine->now);
    }
}

void adm_rules_refuse_queued(struct adm_machine *machine, uint32_t number,
                             enum adm_reason reason)
{
    const struct adm_ticket *ticket = ticket_at(machine, number);
    machine->counters.tickets_refused[reason]++;
    adm_rules_refuse(machine, ticket->handle, ticket->id, reason, span_of(machine, ticket));
    adm_holdings_remove(&machine->holdings, ticket->handle, ticket->id,
                        adm_holding_ticket(number));
    adm_queue_remove(&machine->queue, number, machine->now);
    forget(machine, number);
}

void adm_rules_abort(struct adm_machine *machine, uint32_t number, enum adm_reason reason)
{
    const struct adm_ticket *ticket = ticket_at(machine, number);
    adm_slots_abort(&machine->slots, number);
    machine->counters.tickets_aborted[reason]++;
    *adm_effects_add(machine->effects) =
        (struct adm_effect){.type = ADM_EFFECT_ABORT,
                            .reason = reason,
                            .handle = ticket->handle,
                            .id = ticket->id,
                            .span_us = span_of(machine, ticket)};
}

/* T9. */
void adm_rules_cancel(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_table_walk walk;
    const uint32_t holding = adm_machine_find(machine, request->handle, request->id, &walk);
    if (holding == ADM_HOLDING_NONE || adm_holding_is_listener(holding)) {
        return;
    }
    const uint32_t number = adm_holding_number(holding);
    switch (ticket_at(machine, number)->state) {
    case ADM_TICKET_QUEUED:
        adm_rules_refuse_queued(machine, number, ADM_REASON_CANCELLED);
        break;
    case ADM_TICKET_RUNNING:
        adm_rules_abort(machine, number, ADM_REASON_CANCELLED);
        break;
    case ADM_TICKET_ABORTED:
        break;
    }
}

/* T11. */
void adm_rules_abort_expired(struct adm_machine *machine)
{
    uint32_t number;
    while ((number = adm_heap_first_until(&machine->slots.deadlines, machine->now)) !=
           ADM_TICKET_NONE) {
        adm_rules_abort(machine, number, ADM_REASON_TIMEOUT);
    }
}

/* T6. */
void adm_rules_refuse_expired(struct adm_machine *machine, int64_t until)
{
    uint32_t number;
    while ((number = adm_heap_first_until(&machine->queue.deadlines, until)) !=
           ADM_TICKET_NONE) {
        adm_rules_refuse_queued(machine, number, ADM_REASON_TIMEOUT);
    }
}

/* T10: gives back what a running ticket held. */
static void free_slot(struct adm_machine *machine, uint32_t number)
{
    const struct adm_ticket *ticket = ticket_at(machine, number);
    adm_slots_give_back(&machine->slots, number);
    struct adm_provider *provider = provider_of(machine, ticket);
    ADM_ASSERT(provider->n_running > 0);
    provider->n_running--;
    adm_providers_reseat(&machine->queue.providers, ticket->provider, machine->now);
    adm_queue_set_key_running(&machine->queue, ticket->key, false, machine->now);
}

void adm_rules_end_ticket(struct adm_machine *machine, uint32_t number)
{
    if (ticket_at(machine, number)->state == ADM_TICKET_QUEUED) {
        adm_queue_remove(&machine->queue, number, machine->now);
        machine->counters.tickets_withdrawn++;
    } else {
        free_slot(machine, number);
        machine->counters.tickets_left++;
    }
    forget(machine, number);
}
