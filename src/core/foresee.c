/* Looking ahead: brings to the cache what coming requests will touch.
 *
 * With a million principals an admit that supersedes waits for memory eight times in a row: the
 * slot and the record of the principal, its oldest and newest listeners, the slots of both ids.
 * Those of one request depend on each other, those of many do not; so each pass goes one step
 * further for all of them, and their waits overlap. It decides nothing.
 *
 * What only hints (HINT) is always inlined: gcc takes a function without any other effect for
 * one that does nothing, and drops the call. */
#include "core/machine.h"

#include "base/assert.h"
#include "core/books.h"

#define HINT __attribute__((always_inline)) static inline

/* Below this many live listeners most is in the cache anyway. */
enum {
    WORTH_IT = 16384
};

HINT void foresee_holding(const struct adm_machine *machine, uint32_t handle, uint64_t id)
{
    const struct adm_table *held = adm_holdings_of(&machine->holdings, handle);
    if (held != NULL) {
        adm_table_prefetch(held, adm_holdings_hash(&machine->holdings, id));
    }
}

HINT void foresee_listener(const struct adm_machine *machine, uint32_t number)
{
    if (number != ADM_LISTENER_NONE) {
        __builtin_prefetch(adm_listeners_at(&machine->listeners, number), 1);
    }
}

/* Pass 1: the slots of the principal and of the new id. */
static uint32_t foresee_slots(const struct adm_machine *machine, struct adm_request *request)
{
    const uint32_t hash =
        adm_listeners_hash(&machine->listeners, request->of.listener.principal);
    request->of.listener.hash = hash;
    request->of.listener.is_hashed = true;
    adm_table_prefetch(&machine->listeners.by_name, hash);
    foresee_holding(machine, request->handle, request->id);
    return hash;
}

/* Pass 2: the record of the principal, as its hash has it. */
static uint32_t foresee_principal(const struct adm_machine *machine, uint32_t hash)
{
    struct adm_table_walk walk;
    const uint32_t number = adm_table_first(&machine->listeners.by_name, hash, &walk);
    if (number != ADM_TABLE_NONE) {
        const struct adm_principal *principal =
            adm_listeners_principal_at(&machine->listeners, number);
        __builtin_prefetch(principal, 1);
        __builtin_prefetch(&principal->n, 1); /* may be in the next cache line */
    }
    return number;
}

/* Pass 3: its oldest and newest listeners. */
static uint32_t foresee_ends(const struct adm_machine *machine, uint32_t number)
{
    if (number == ADM_PRINCIPAL_NONE) {
        return ADM_LISTENER_NONE;
    }
    const struct adm_principal *principal =
        adm_listeners_principal_at(&machine->listeners, number);
    foresee_listener(machine, principal->oldest);
    foresee_listener(machine, principal->newest);
    return principal->oldest;
}

/* Pass 4: what superseding the oldest touches. */
HINT void foresee_superseded(const struct adm_machine *machine, uint32_t number)
{
    if (number != ADM_LISTENER_NONE) {
        const struct adm_listener *oldest = adm_listeners_at(&machine->listeners, number);
        foresee_listener(machine, oldest->newer);
        foresee_holding(machine, oldest->handle, oldest->id);
    }
}

void adm_machine_foresee(const struct adm_machine *machine, struct adm_request *const *requests,
                         size_t n)
{
    ADM_ASSERT(n <= ADM_FORESEE_MAX);
    uint32_t found[ADM_FORESEE_MAX];
    if (n < 2 || machine->listeners.listeners.n_live < WORTH_IT) {
        return;
    }
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (requests[i]->type == ADM_REQUEST_LISTENER) {
            found[n_found++] = foresee_slots(machine, requests[i]);
        }
    }
    for (size_t i = 0; i < n_found; i++) {
        found[i] = foresee_principal(machine, found[i]);
    }
    for (size_t i = 0; i < n_found; i++) {
        found[i] = foresee_ends(machine, found[i]);
    }
    for (size_t i = 0; i < n_found; i++) {
        foresee_superseded(machine, found[i]);
    }
}
