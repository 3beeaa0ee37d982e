/* The rules L1 to L7 of the naive model. See naive_model.h. */
#include "naive_model.h"

#include <string.h>

#include "base/memory.h"

struct listener *naive_find_listener(const struct naive *naive, uint32_t handle, uint64_t id)
{
    for (size_t i = 0; i < naive->n_listeners; i++) {
        if (naive->listeners[i].handle == handle && naive->listeners[i].id == id) {
            return &naive->listeners[i];
        }
    }
    return NULL;
}

uint32_t naive_n_live(const struct naive *naive, struct adm_name principal)
{
    uint32_t n = 0;
    for (size_t i = 0; i < naive->n_listeners; i++) {
        n += adm_name_equal(naive->listeners[i].principal, principal);
    }
    return n;
}

static struct listener *oldest(const struct naive *naive, struct adm_name principal)
{
    for (size_t i = 0; i < naive->n_listeners; i++) {
        if (adm_name_equal(naive->listeners[i].principal, principal)) {
            return &naive->listeners[i];
        }
    }
    return NULL;
}

void naive_remove_listener(struct naive *naive, struct listener *listener)
{
    const size_t at = (size_t)(listener - naive->listeners);
    naive->n_listeners--;
    memmove(listener, listener + 1, (naive->n_listeners - at) * sizeof *listener);
}

/* What a newcomer would do: `n_live` are live of its principal, `n_superseded` would go. */
struct plan {
    uint32_t max;
    bool refuse_when_full;
    uint32_t n_live;
    uint32_t n_superseded;
};

/* L1 and L2: at most `max` are live, the newcomer included. */
static struct plan make_plan(const struct naive *naive, const struct adm_request *request)
{
    const uint32_t named = request->of.listener.max;
    struct plan plan = {
        .max = named == ADM_MAX_DEFAULT ? naive->limits.max_listens_per_principal : named,
        .refuse_when_full = request->of.listener.refuse_when_full,
        .n_live = naive_n_live(naive, request->of.listener.principal),
    };
    if (!plan.refuse_when_full && plan.n_live + 1 > plan.max) {
        plan.n_superseded = plan.n_live + 1 - plan.max;
    }
    return plan;
}

/* L6 */
static bool is_principal_full(const struct plan *plan)
{
    return plan->refuse_when_full && plan->n_live >= plan->max;
}

/* L7, after the superseding of the newcomer's own principal. */
static bool is_house_full(const struct naive *naive, const struct plan *plan)
{
    const size_t n_after = naive->n_listeners - plan->n_superseded + 1;
    return naive->limits.max_listeners != ADM_NO_LIMIT && n_after > naive->limits.max_listeners;
}

static void reach_refused(const struct naive *naive, const struct adm_request *request,
                          const struct plan *plan, const bool *faults)
{
    naive_reach_if(naive, faults[FAULT_CLOSED] && faults[FAULT_DUPLICATE],
                   H2_LISTENER_CLOSED_DUPLICATE);
    naive_reach_if(naive, faults[FAULT_CLOSED] && faults[FAULT_OVERFLOW],
                   H2_LISTENER_CLOSED_OVERFLOW);
    naive_reach_if(naive, faults[FAULT_DUPLICATE] && faults[FAULT_OVERFLOW],
                   H2_LISTENER_DUPLICATE_OVERFLOW);
    if (faults[FAULT_CLOSED]) {
        naive_reach(naive, K1_LISTENER);
    } else if (faults[FAULT_DUPLICATE]) {
        const struct ticket *twin = naive_find_ticket(naive, request->handle, request->id);
        naive_reach(naive, twin == NULL       ? H2_LISTENER_LIVE
                           : twin->is_running ? H2_LISTENER_RUNNING
                                              : H2_LISTENER_QUEUED);
    } else if (is_principal_full(plan)) {
        naive_reach(naive, L6_REFUSED);
        naive_reach_if(naive, plan->n_live > plan->max, L6_MORE);
    } else {
        naive_reach(naive, L7_REFUSED);
        naive_reach_if(naive, plan->n_superseded > 0, L7_SUPERSEDES_NOTHING);
        naive_reach_if(naive, plan->refuse_when_full, L7_WHEN_FULL_REFUSE);
    }
}

static void reach_admitted(const struct naive *naive, const struct adm_request *request,
                           const struct plan *plan)
{
    naive_reach(naive, L1_ADMITTED);
    naive_reach_if(naive, plan->n_superseded == 1, L1_ONE);
    naive_reach_if(naive, plan->n_superseded > 1, L1_SEVERAL);
    naive_reach(naive, request->of.listener.max == ADM_MAX_DEFAULT ? L2_LIMIT : L2_NAMED);
    naive_reach_if(naive, plan->max < plan->n_live, L2_SMALLER);
    naive_reach_if(naive, plan->refuse_when_full, L6_ADMITTED);
    naive_reach_if(naive,
                   plan->n_superseded > 0 && naive->limits.max_listeners != ADM_NO_LIMIT &&
                       naive->n_listeners >= naive->limits.max_listeners,
                   L7_MAKES_ROOM);
    for (size_t i = 0; i < naive->n_listeners; i++) {
        const struct listener *listener = &naive->listeners[i];
        naive_reach_if(naive,
                       listener->admitted_at == naive->now &&
                           adm_name_equal(listener->principal, request->of.listener.principal),
                       L3_BURST);
    }
}

static void supersede_oldest(struct naive *naive, const struct adm_request *request)
{
    struct listener *listener = oldest(naive, request->of.listener.principal);
    naive_reach_if(naive, listener->handle != request->handle, L1_OTHER_HANDLE);
    naive->books.listeners_superseded++;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_SUPERSEDED,
                                          .handle = listener->handle,
                                          .id = listener->id});
    naive_remove_listener(naive, listener);
}

static void add(struct naive *naive, const struct adm_request *request)
{
    naive->listeners = adm_memory_reserve(naive->listeners, &naive->listener_room,
                                          naive->n_listeners + 1, sizeof *naive->listeners);
    naive->listeners[naive->n_listeners++] = (struct listener){
        .handle = request->handle,
        .id = request->id,
        .order = naive->next_order,
        .admitted_at = naive->now,
        .principal = request->of.listener.principal,
    };
    naive->books.listeners_admitted++;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_ADMITTED,
                                          .handle = request->handle,
                                          .id = request->id,
                                          .order = naive->next_order});
    naive->next_order++;
}

/* L1, L2, L6, L7 and the order of H2. */
void naive_admit_listener(struct naive *naive, const struct adm_request *request)
{
    const struct plan plan = make_plan(naive, request);
    const bool faults[N_FAULTS] = {
        [FAULT_CLOSED] = naive->is_closed,
        [FAULT_DUPLICATE] = naive_is_duplicate(naive, request->handle, request->id),
        [FAULT_OVERFLOW] = is_principal_full(&plan) || is_house_full(naive, &plan),
    };
    const enum adm_reason reason = naive_first_fault(faults);
    if (reason != ADM_REASON_NONE) {
        reach_refused(naive, request, &plan, faults);
        naive->books.listeners_refused[reason]++;
        naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_REFUSED,
                                              .reason = reason,
                                              .handle = request->handle,
                                              .id = request->id});
        return;
    }
    naive_remember(naive, request->handle, request->id);
    reach_admitted(naive, request, &plan);
    for (uint32_t i = 0; i < plan.n_superseded; i++) {
        supersede_oldest(naive, request);
    }
    add(naive, request);
}

/* The first listener of one principal that one handle owns. */
static struct listener *find_own(const struct naive *naive, uint32_t handle,
                                 struct adm_name principal)
{
    for (size_t i = 0; i < naive->n_listeners; i++) {
        struct listener *listener = &naive->listeners[i];
        if (listener->handle == handle && adm_name_equal(listener->principal, principal)) {
            return listener;
        }
    }
    return NULL;
}

/* L4, of all of one principal */
void naive_leave_principal(struct naive *naive, const struct adm_request *request)
{
    const struct adm_name principal = request->of.principal;
    uint32_t n = 0;
    for (struct listener *own = find_own(naive, request->handle, principal); own != NULL;
         own = find_own(naive, request->handle, principal)) {
        naive_remove_listener(naive, own);
        n++;
    }
    naive->books.listeners_left += n;
    naive->books.stray_leaves += n == 0;
    naive_reach_if(naive, n == 0, L4_NONE);
    naive_reach_if(naive, n > 1, L4_PRINCIPAL);
    naive_reach_if(naive, n > 0 && naive_n_live(naive, principal) > 0, L4_ONLY_OWN);
}

/* L5 */
void naive_live(struct naive *naive, const struct adm_request *request)
{
    const uint32_t n = naive_n_live(naive, request->of.principal);
    naive_reach_if(naive, n == 0, L5_EMPTY);
    naive_reach_if(naive, n > 1, L5_SEVERAL);
    naive_reach_if(naive, naive->is_closed, K1_LIVE);
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_LIVE,
                                          .handle = request->handle,
                                          .id = request->id,
                                          .n = n});
    for (size_t i = 0; i < naive->n_listeners; i++) {
        const struct listener *listener = &naive->listeners[i];
        if (adm_name_equal(listener->principal, request->of.principal)) {
            naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_LISTENER,
                                                  .handle = listener->handle,
                                                  .id = listener->id,
                                                  .order = listener->order});
        }
    }
}
