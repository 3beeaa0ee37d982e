/* See core/machine.h. This file holds what every step goes through - time, and the order of one
 * instant (Z2, I1) - and leaves the rules of each kind to core/books.h. */
#include "core/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "core/books.h"

struct adm_machine *adm_machine_new(const struct adm_limits *limits,
                                    const struct adm_hash_key *key)
{
    adm_limits_check(limits, ADM_LIMIT_ALL);
    struct adm_machine *machine = adm_memory_new(1, sizeof *machine);
    machine->limits = *limits;
    machine->last_start_at = ADM_NEVER_STARTED;
    adm_pool_init(&machine->tickets, sizeof(struct adm_ticket));
    adm_queue_init(&machine->queue, &machine->tickets, key);
    adm_slots_init(&machine->slots, &machine->tickets);
    adm_listeners_init(&machine->listeners, key);
    adm_holdings_init(&machine->holdings, key);
    return machine;
}

void adm_machine_destroy(struct adm_machine **machine_ptr)
{
    struct adm_machine *machine = *machine_ptr;
    if (machine == NULL) {
        return;
    }
    for (uint32_t handle = 0; handle < machine->holdings.n_handles; handle++) {
        adm_rules_down(machine, handle);
    }
    adm_holdings_deinit(&machine->holdings);
    adm_listeners_deinit(&machine->listeners);
    adm_slots_deinit(&machine->slots);
    adm_queue_deinit(&machine->queue);
    adm_pool_deinit(&machine->tickets);
    free(machine);
    *machine_ptr = NULL;
}

/* Nothing is due, and nothing will be by time alone: as nearly always where only listeners are
 * admitted. */
static bool has_no_deadline(const struct adm_machine *machine)
{
    return machine->queue.n == 0 && machine->slots.deadlines.n == 0;
}

/* I1, up to the message. */
static void advance(struct adm_machine *machine, int64_t now)
{
    const int64_t last_time_there_is = ADM_NEVER - 1;
    machine->now = adm_time_later(machine->now, adm_time_earlier(now, last_time_there_is));
    if (has_no_deadline(machine)) {
        return;
    }
    adm_providers_advance(&machine->queue.providers, machine->now);
    if (adm_machine_due_at(machine) > machine->now) {
        return;
    }
    adm_rules_abort_expired(machine);
    adm_rules_refuse_expired(machine, machine->now - 1);
    adm_rules_start_eligible(machine);
    adm_rules_refuse_expired(machine, machine->now);
}

/* R1: what changed is its limits, so only its seat needs looking at. */
static void change_provider(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_providers *providers = &machine->queue.providers;
    uint32_t number = adm_providers_find(providers, request->of.provider.name);
    if (number == ADM_PROVIDER_UNKNOWN) {
        number = adm_providers_add(providers, request->of.provider.name);
    }
    adm_provider_limits_change(&adm_providers_at(providers, number)->limits,
                               request->of.provider.named, &request->of.provider.to);
    adm_providers_reseat(providers, number, machine->now);
}

/* T8. */
static void cool_down(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_providers *providers = &machine->queue.providers;
    const uint32_t number = adm_providers_find(providers, request->of.cooldown.provider);
    if (number == ADM_PROVIDER_UNKNOWN) {
        *adm_effects_add(machine->effects) = (struct adm_effect){
            .type = ADM_EFFECT_NO_PROVIDER, .handle = request->handle, .id = request->id};
        return;
    }
    struct adm_provider *provider = adm_providers_at(providers, number);
    provider->not_before = adm_time_later(
        provider->not_before, adm_time_add(machine->now, request->of.cooldown.delay_us));
    adm_providers_reseat(providers, number, machine->now);
}

static void apply(struct adm_machine *machine, const struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        adm_rules_admit_ticket(machine, request);
        break;
    case ADM_REQUEST_LISTENER:
        adm_rules_admit_listener(machine, request);
        break;
    case ADM_REQUEST_LEAVE:
        adm_rules_leave(machine, request);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
        adm_rules_leave_principal(machine, request);
        break;
    case ADM_REQUEST_CANCEL:
        adm_rules_cancel(machine, request);
        break;
    case ADM_REQUEST_LIVE:
        adm_rules_live(machine, request);
        break;
    case ADM_REQUEST_DOWN:
        adm_rules_down(machine, request->handle);
        break;
    case ADM_REQUEST_LIMITS:
        adm_limits_change(&machine->limits, request->of.limits.named, &request->of.limits.to);
        break;
    case ADM_REQUEST_PROVIDER:
        change_provider(machine, request);
        break;
    case ADM_REQUEST_COOLDOWN:
        cool_down(machine, request);
        break;
    case ADM_REQUEST_CLOSE:
        adm_rules_close(machine);
        break;
    }
}

/* K2, once. */
static void tell_drained(struct adm_machine *machine)
{
    if (machine->is_closed && !machine->is_drained && machine->slots.n == 0) {
        machine->is_drained = true;
        *adm_effects_add(machine->effects) =
            (struct adm_effect){.type = ADM_EFFECT_DRAINED, .handle = ADM_NOBODY};
    }
}

void adm_machine_step(struct adm_machine *machine, int64_t now,
                      const struct adm_request *request, struct adm_effects *effects)
{
    machine->effects = effects;
    advance(machine, now);
    if (request != NULL) {
        adm_request_check(request);
        apply(machine, request);
        if (machine->queue.n > 0) {
            adm_rules_start_eligible(machine);
        }
        tell_drained(machine);
    }
    machine->effects = NULL;
}

int64_t adm_machine_due_at(const struct adm_machine *machine)
{
    int64_t due_at = adm_rules_eligible_at(machine);
    const struct adm_heap_entry *attempt = adm_heap_first(&machine->slots.deadlines);
    const struct adm_heap_entry *queued = adm_heap_first(&machine->queue.deadlines);
    if (attempt != NULL) {
        due_at = adm_time_earlier(due_at, (int64_t)attempt->major);
    }
    if (queued != NULL) {
        due_at = adm_time_earlier(due_at, (int64_t)queued->major);
    }
    return due_at;
}

void adm_machine_stats(const struct adm_machine *machine, struct adm_stats *stats)
{
    *stats = machine->counters;
    stats->running = machine->slots.n;
    stats->queued = machine->queue.n;
    stats->listeners = machine->listeners.listeners.n_live;
    stats->principals = machine->listeners.principals.n_live;
    stats->max_concurrent = machine->limits.max_concurrent;
    stats->longest_provider = adm_name_none();
    stats->longest_key = adm_name_none();
    if (machine->slots.n == 0) {
        return;
    }
    const struct adm_ticket *longest =
        adm_ticket_at(&machine->tickets, machine->slots.running.first);
    stats->longest_held_us = machine->now - longest->since_at;
    stats->longest_handle = longest->handle;
    stats->longest_id = longest->id;
    stats->longest_provider = adm_owned_name_view(
        &adm_providers_at(&machine->queue.providers, longest->provider)->name);
    if (longest->key != ADM_KEY_NONE) {
        stats->longest_key =
            adm_owned_name_view(&adm_keys_at(&machine->queue.keys, longest->key)->name);
    }
}

bool adm_machine_has_provider(const struct adm_machine *machine, struct adm_name name)
{
    return adm_providers_find(&machine->queue.providers, name) != ADM_PROVIDER_UNKNOWN;
}

uint32_t adm_machine_held(const struct adm_machine *machine, uint32_t handle)
{
    const struct adm_table *held = adm_holdings_of(&machine->holdings, handle);
    return held == NULL ? 0 : held->n;
}

size_t adm_machine_bytes(const struct adm_machine *machine)
{
    return sizeof *machine + adm_pool_bytes(&machine->tickets) +
           adm_queue_bytes(&machine->queue) + adm_heap_bytes(&machine->slots.deadlines) +
           adm_listeners_bytes(&machine->listeners) + adm_holdings_bytes(&machine->holdings);
}
