/* The rules of listeners: L1 to L7. An admit counts, supersedes and records in one step. */
#include "core/books.h"

#include <stdlib.h>

#include "base/memory.h"

/* Takes a listener out of the live set and of its handle's holdings, and tells its owner. */
static void end_listener(struct adm_machine *machine, uint32_t number,
                         enum adm_effect_type word)
{
    const struct adm_listener *listener = adm_listeners_at(&machine->listeners, number);
    *adm_effects_add(machine->effects) =
        (struct adm_effect){.type = word, .handle = listener->handle, .id = listener->id};
    adm_holdings_remove(&machine->holdings, listener->handle, listener->id,
                        adm_holding_listener(number));
    adm_listeners_remove(&machine->listeners, number);
}

/* How many live listeners of its own principal a newcomer would supersede (L1). */
static uint32_t n_superseded_by_one_more(uint32_t n_live, uint32_t max)
{
    return n_live >= max ? n_live - max + 1 : 0;
}

/* Why a newcomer is refused (H2, L6, L7); ADM_REASON_NONE when it is not, and then `walk` tells
 * where its holding goes. */
static enum adm_reason refusal(const struct adm_machine *machine,
                               const struct adm_request *request, uint32_t n_live, uint32_t max,
                               struct adm_table_walk *walk)
{
    if (machine->is_closed) {
        return ADM_REASON_CLOSED;
    }
    if (adm_machine_find(machine, request->handle, request->id, walk) != ADM_HOLDING_NONE) {
        return ADM_REASON_DUPLICATE;
    }
    if (request->of.listener.refuse_when_full && n_live >= max) {
        return ADM_REASON_OVERFLOW;
    }
    const uint32_t n_after =
        machine->listeners.listeners.n_live - n_superseded_by_one_more(n_live, max) + 1;
    return machine->limits.max_listeners != ADM_NO_LIMIT &&
                   n_after > machine->limits.max_listeners
               ? ADM_REASON_OVERFLOW
               : ADM_REASON_NONE;
}

/* Records first and supersedes then, so that the principal outlives the change. */
static void admit(struct adm_machine *machine, const struct adm_request *request,
                  uint32_t principal, uint32_t max, const struct adm_table_walk *walk)
{
    struct adm_listeners *listeners = &machine->listeners;
    const struct adm_principal *of = adm_listeners_principal_at(listeners, principal);
    const uint32_t number =
        adm_listeners_add(listeners, principal, request->handle, request->id);
    adm_holdings_add(&machine->holdings, request->handle, walk, adm_holding_listener(number));
    while (of->n > max) {
        machine->counters.listeners_superseded++;
        end_listener(machine, of->oldest, ADM_EFFECT_SUPERSEDED);
    }
    machine->counters.listeners_admitted++;
    *adm_effects_add(machine->effects) =
        (struct adm_effect){.type = ADM_EFFECT_ADMITTED,
                            .handle = request->handle,
                            .id = request->id,
                            .order = adm_listeners_at(listeners, number)->order};
}

static uint32_t hash_of(const struct adm_listeners *listeners,
                        const struct adm_request *request)
{
    return request->of.listener.is_hashed
               ? request->of.listener.hash
               : adm_listeners_hash(listeners, request->of.listener.principal);
}

void adm_rules_admit_listener(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_listeners *listeners = &machine->listeners;
    const uint32_t max = request->of.listener.max == ADM_MAX_DEFAULT
                             ? machine->limits.max_listens_per_principal
                             : request->of.listener.max;
    const struct adm_name name = request->of.listener.principal;
    struct adm_table_walk place_of_principal;
    struct adm_table_walk place = {0};
    uint32_t principal =
        adm_listeners_find(listeners, name, hash_of(listeners, request), &place_of_principal);
    const uint32_t n_live = principal == ADM_PRINCIPAL_NONE
                                ? 0
                                : adm_listeners_principal_at(listeners, principal)->n;
    const enum adm_reason reason = refusal(machine, request, n_live, max, &place);
    if (reason != ADM_REASON_NONE) {
        machine->counters.listeners_refused[reason]++;
        adm_rules_refuse(machine, request->handle, request->id, reason, 0);
        return;
    }
    if (principal == ADM_PRINCIPAL_NONE) {
        principal = adm_listeners_add_principal(listeners, name, &place_of_principal);
    }
    admit(machine, request, principal, max, &place);
}

/* The oldest live listener of a principal, or ADM_LISTENER_NONE. */
static uint32_t oldest_of(const struct adm_machine *machine, struct adm_name name)
{
    const struct adm_listeners *listeners = &machine->listeners;
    struct adm_table_walk walk;
    const uint32_t principal =
        adm_listeners_find(listeners, name, adm_listeners_hash(listeners, name), &walk);
    return principal == ADM_PRINCIPAL_NONE
               ? ADM_LISTENER_NONE
               : adm_listeners_principal_at(listeners, principal)->oldest;
}

void adm_rules_leave_listener(struct adm_machine *machine, uint32_t number)
{
    adm_listeners_remove(&machine->listeners, number);
    machine->counters.listeners_left++;
}

static void leave(struct adm_machine *machine, uint32_t number)
{
    const struct adm_listener *listener = adm_listeners_at(&machine->listeners, number);
    adm_holdings_remove(&machine->holdings, listener->handle, listener->id,
                        adm_holding_listener(number));
    adm_rules_leave_listener(machine, number);
}

/* The listeners of a principal that a handle holds, for a leave that must not walk the table it
 * changes. */
struct found {
    uint32_t *numbers;
    size_t n;
    size_t room;
};

static void note(struct found *found, uint32_t number)
{
    found->numbers =
        adm_memory_reserve(found->numbers, &found->room, found->n + 1, sizeof *found->numbers);
    found->numbers[found->n++] = number;
}

static void find_among_held(const struct adm_machine *machine, const struct adm_table *held,
                            uint32_t principal, struct found *found)
{
    for (uint32_t i = 0; i < held->capacity; i++) {
        const uint32_t holding = held->slots[i].number;
        if (holding == ADM_HOLDING_NONE || !adm_holding_is_listener(holding)) {
            continue;
        }
        const uint32_t number = adm_holding_number(holding);
        if (adm_listeners_at(&machine->listeners, number)->principal == principal) {
            note(found, number);
        }
    }
}

static void find_among_live(const struct adm_machine *machine, uint32_t handle,
                            uint32_t principal, struct found *found)
{
    uint32_t number = adm_listeners_principal_at(&machine->listeners, principal)->oldest;
    while (number != ADM_LISTENER_NONE) {
        const struct adm_listener *listener = adm_listeners_at(&machine->listeners, number);
        if (listener->handle == handle) {
            note(found, number);
        }
        number = listener->newer;
    }
}

/* L4. It walks whichever is shorter: what the handle holds, or what is live of the principal.
 */
void adm_rules_leave_principal(struct adm_machine *machine, const struct adm_request *request)
{
    const struct adm_listeners *listeners = &machine->listeners;
    struct adm_table_walk walk;
    const struct adm_name name = request->of.principal;
    const uint32_t principal =
        adm_listeners_find(listeners, name, adm_listeners_hash(listeners, name), &walk);
    const struct adm_table *held = adm_holdings_of(&machine->holdings, request->handle);
    struct found found = {0};
    if (principal != ADM_PRINCIPAL_NONE && held != NULL) {
        if (held->capacity < adm_listeners_principal_at(listeners, principal)->n) {
            find_among_held(machine, held, principal, &found);
        } else {
            find_among_live(machine, request->handle, principal, &found);
        }
    }
    for (size_t i = 0; i < found.n; i++) {
        leave(machine, found.numbers[i]);
    }
    machine->counters.stray_leaves += found.n == 0;
    free(found.numbers);
}

/* L5. */
void adm_rules_live(struct adm_machine *machine, const struct adm_request *request)
{
    const size_t answer = machine->effects->n;
    uint32_t n = 0;
    *adm_effects_add(machine->effects) = (struct adm_effect){
        .type = ADM_EFFECT_LIVE, .handle = request->handle, .id = request->id};
    uint32_t number = oldest_of(machine, request->of.principal);
    while (number != ADM_LISTENER_NONE) {
        const struct adm_listener *listener = adm_listeners_at(&machine->listeners, number);
        *adm_effects_add(machine->effects) = (struct adm_effect){.type = ADM_EFFECT_LISTENER,
                                                                 .handle = listener->handle,
                                                                 .id = listener->id,
                                                                 .order = listener->order};
        n++;
        number = listener->newer;
    }
    machine->effects->items[answer].n = n;
}

void adm_rules_close_listener(struct adm_machine *machine, uint32_t number)
{
    machine->counters.listeners_closed++;
    end_listener(machine, number, ADM_EFFECT_CLOSED);
}
