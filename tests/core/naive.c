/* The naive model: the step, and the rules Z, H, K, R and I2. See naive.h. */
#include "naive_model.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/time.h"

void naive_reach(const struct naive *naive, enum clause clause)
{
    naive->clauses->n_reached[clause]++;
}

void naive_reach_if(const struct naive *naive, bool is_reached, enum clause clause)
{
    naive->clauses->n_reached[clause] += is_reached;
}

void naive_tell(struct naive *naive, struct adm_effect effect)
{
    *adm_effects_add(naive->effects) = effect;
}

struct naive *naive_new(const struct adm_limits *limits, struct clauses *clauses)
{
    struct naive *naive = adm_memory_new(1, sizeof *naive);
    naive->limits = *limits;
    naive->clauses = clauses;
    return naive;
}

void naive_destroy(struct naive **naive)
{
    free((*naive)->tickets);
    free((*naive)->listeners);
    free((*naive)->providers);
    free((*naive)->pasts);
    free(*naive);
    *naive = NULL;
}

/* Z1, Z2 */
static void move_clock(struct naive *naive, int64_t now)
{
    naive_reach_if(naive, now < 0, Z2_NEGATIVE);
    naive_reach_if(naive, now >= 0 && now < naive->now, Z2_BACK);
    naive_reach_if(naive, now == ADM_NEVER, Z1_END_OF_TIME);
    const int64_t possible = now == ADM_NEVER ? ADM_NEVER - 1 : now;
    naive->now = adm_time_later(naive->now, possible);
}

/* H2: the first cause counts. */
enum adm_reason naive_first_fault(const bool *faults)
{
    static const enum adm_reason reasons[N_FAULTS] = {
        [FAULT_CLOSED] = ADM_REASON_CLOSED,
        [FAULT_DUPLICATE] = ADM_REASON_DUPLICATE,
        [FAULT_UNKNOWN_PROVIDER] = ADM_REASON_UNKNOWN_PROVIDER,
        [FAULT_TIMEOUT] = ADM_REASON_TIMEOUT,
        [FAULT_OVERFLOW] = ADM_REASON_OVERFLOW,
    };
    for (int fault = 0; fault < N_FAULTS; fault++) {
        if (faults[fault]) {
            return reasons[fault];
        }
    }
    return ADM_REASON_NONE;
}

/* H2 */
bool naive_is_duplicate(const struct naive *naive, uint32_t handle, uint64_t id)
{
    return naive_find_ticket(naive, handle, id) != NULL ||
           naive_find_listener(naive, handle, id) != NULL;
}

static bool is_used_elsewhere(const struct naive *naive, uint32_t handle, uint64_t id)
{
    for (size_t i = 0; i < naive->n_tickets; i++) {
        if (naive->tickets[i].handle != handle && naive->tickets[i].id == id) {
            return true;
        }
    }
    return false;
}

/* Notes an id that is about to be admitted, only to count what its past makes of it. */
void naive_remember(struct naive *naive, uint32_t handle, uint64_t id)
{
    naive_reach_if(naive, is_used_elsewhere(naive, handle, id), H2_OTHER_HANDLE);
    for (size_t i = 0; i < naive->n_pasts; i++) {
        if (naive->pasts[i].handle == handle && naive->pasts[i].id == id) {
            naive_reach(naive, naive->pasts[i].is_down ? H1_AGAIN : H2_AGAIN);
            naive->pasts[i].is_down = false;
            return;
        }
    }
    naive->pasts = adm_memory_reserve(naive->pasts, &naive->past_room, naive->n_pasts + 1,
                                      sizeof *naive->pasts);
    naive->pasts[naive->n_pasts++] = (struct past){.handle = handle, .id = id};
}

/* T10, L4 */
static void leave(struct naive *naive, const struct adm_request *request)
{
    struct ticket *ticket = naive_find_ticket(naive, request->handle, request->id);
    struct listener *listener = naive_find_listener(naive, request->handle, request->id);
    if (ticket != NULL) {
        naive_reach(naive, !ticket->is_running  ? T10_QUEUED
                           : ticket->is_aborted ? T10_ABORTED
                                                : T10_RUNNING);
        naive_leave_ticket(naive, ticket);
        naive_reach_if(naive, naive->is_closed && naive_n_running(naive, adm_name_none()) > 0,
                       K2_NOT_YET);
    } else if (listener != NULL) {
        naive_reach(naive, L4_ONE);
        naive->books.listeners_left++;
        naive_remove_listener(naive, listener);
    } else {
        naive_reach(naive, T10_NOTHING);
        naive->books.stray_leaves++;
    }
}

/* H1 */
static void take_down(struct naive *naive, uint32_t handle)
{
    uint32_t n_running = 0;
    uint32_t n_queued = 0;
    uint32_t n_live = 0;
    for (size_t i = naive->n_listeners; i-- > 0;) {
        if (naive->listeners[i].handle == handle) {
            naive_remove_listener(naive, &naive->listeners[i]);
            naive->books.listeners_left++;
            n_live++;
        }
    }
    for (size_t i = naive->n_tickets; i-- > 0;) {
        if (naive->tickets[i].handle == handle) {
            n_running += naive->tickets[i].is_running;
            n_queued += !naive->tickets[i].is_running;
            naive_leave_ticket(naive, &naive->tickets[i]);
        }
    }
    for (size_t i = 0; i < naive->n_pasts; i++) {
        naive->pasts[i].is_down |= naive->pasts[i].handle == handle;
    }
    naive_reach_if(naive, n_live > 0, H1_LISTENERS);
    naive_reach_if(naive, n_queued > 0, H1_QUEUED);
    naive_reach_if(naive, n_running > 0, H1_RUNNING);
    naive_reach_if(naive, n_live > 0 && n_queued > 0 && n_running > 0, H1_ALL);
    naive_reach_if(naive, n_live + n_queued + n_running == 0, H1_NOTHING);
}

static void close_queue(struct naive *naive)
{
    uint32_t n = 0;
    for (size_t i = 0; i < naive->n_tickets;) {
        if (naive->tickets[i].is_running) {
            i++;
        } else {
            naive_refuse_queued(naive, &naive->tickets[i], ADM_REASON_CLOSED);
            n++;
        }
    }
    naive_reach_if(naive, n > 1, K1_QUEUED);
}

static void close_running(struct naive *naive)
{
    uint32_t n = 0;
    const struct ticket *last = NULL;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        naive_reach_if(naive, naive->tickets[i].is_aborted, K1_ABORTED);
    }
    for (struct ticket *ticket = naive_first_started(naive, true); ticket != NULL;
         ticket = naive_first_started(naive, true)) {
        naive_reach_if(naive, last > ticket, K1_START_ORDER);
        naive_abort(naive, ticket, ADM_REASON_CLOSED);
        last = ticket;
        n++;
    }
    naive_reach_if(naive, n > 1, K1_RUNNING);
}

static void close_listeners(struct naive *naive)
{
    for (size_t i = 0; i < naive->n_listeners; i++) {
        const struct listener *listener = &naive->listeners[i];
        naive_reach_if(naive,
                       !adm_name_equal(listener->principal, naive->listeners[0].principal),
                       K1_LISTENERS);
        naive->books.listeners_closed++;
        naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_CLOSED,
                                              .handle = listener->handle,
                                              .id = listener->id});
    }
    naive->n_listeners = 0;
}

/* K1 */
static void close_down(struct naive *naive)
{
    if (naive->is_closed) {
        naive_reach(naive, K1_AGAIN);
        return;
    }
    naive_reach_if(naive,
                   naive->n_listeners > 0 && naive_n_queued(naive, adm_name_none()) > 0 &&
                       naive_n_running(naive, adm_name_none()) > 0,
                   K1_ALL);
    naive->is_closed = true;
    close_queue(naive);
    close_running(naive);
    close_listeners(naive);
}

/* K2 */
static void tell_drained(struct naive *naive, const struct adm_request *request)
{
    if (!naive->is_closed || naive->is_drained || naive_n_running(naive, adm_name_none()) > 0) {
        return;
    }
    naive_reach_if(naive, request->type == ADM_REQUEST_CLOSE, K2_AT_CLOSE);
    naive_reach_if(naive, request->type == ADM_REQUEST_LEAVE, K2_BY_LEAVE);
    naive_reach_if(naive, request->type == ADM_REQUEST_DOWN, K2_BY_DOWN);
    naive->is_drained = true;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_DRAINED, .handle = ADM_NOBODY});
}

static bool is_lower(uint32_t limit, uint32_t than)
{
    return limit != ADM_NO_LIMIT && limit < than;
}

static bool has_deadlines(const struct naive *naive)
{
    for (size_t i = 0; i < naive->n_tickets; i++) {
        if (!naive->tickets[i].is_running && naive->tickets[i].deadline_at != ADM_NEVER) {
            return true;
        }
    }
    return false;
}

static void reach_limits(const struct naive *naive, const struct adm_limits *old)
{
    const struct adm_limits *limits = &naive->limits;
    naive_reach_if(
        naive,
        limits->max_concurrent != old->max_concurrent &&
            is_lower(limits->max_concurrent, naive_n_running(naive, adm_name_none())),
        R1_MAX_CONCURRENT);
    naive_reach_if(naive,
                   limits->queue_capacity != old->queue_capacity &&
                       is_lower(limits->queue_capacity, naive_n_queued(naive, adm_name_none())),
                   R1_QUEUE_CAPACITY);
    naive_reach_if(naive,
                   limits->admission_timeout_us != old->admission_timeout_us &&
                       has_deadlines(naive),
                   R1_ADMISSION_TIMEOUT);
    naive_reach_if(naive,
                   limits->max_listeners != old->max_listeners &&
                       is_lower(limits->max_listeners, (uint32_t)naive->n_listeners),
                   R1_MAX_LISTENERS);
    naive_reach_if(naive,
                   limits->min_interval_us != old->min_interval_us && naive->last_start.is_any,
                   R1_MIN_INTERVAL);
    for (size_t i = 0; i < naive->n_listeners; i++) {
        const struct adm_name principal = naive->listeners[i].principal;
        naive_reach_if(
            naive,
            limits->max_listens_per_principal < old->max_listens_per_principal &&
                is_lower(limits->max_listens_per_principal, naive_n_live(naive, principal)),
            R1_MAX_LISTENS);
    }
}

/* R1: what is named changes, with effect on what comes after and on what waits. */
static void change_limits(struct naive *naive, const struct adm_request *request)
{
    const struct adm_limits old = naive->limits;
    const struct adm_limits to = request->of.limits.to;
    const unsigned named = request->of.limits.named;
    naive->limits = (struct adm_limits){
        .max_concurrent =
            named & ADM_LIMIT_MAX_CONCURRENT ? to.max_concurrent : old.max_concurrent,
        .min_interval_us =
            named & ADM_LIMIT_MIN_INTERVAL ? to.min_interval_us : old.min_interval_us,
        .queue_capacity =
            named & ADM_LIMIT_QUEUE_CAPACITY ? to.queue_capacity : old.queue_capacity,
        .admission_timeout_us = named & ADM_LIMIT_ADMISSION_TIMEOUT ? to.admission_timeout_us
                                                                    : old.admission_timeout_us,
        .max_listens_per_principal = named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL
                                         ? to.max_listens_per_principal
                                         : old.max_listens_per_principal,
        .max_listeners = named & ADM_LIMIT_MAX_LISTENERS ? to.max_listeners : old.max_listeners,
    };
    reach_limits(naive, &old);
}

static struct provider *add_provider(struct naive *naive, struct adm_name name)
{
    naive_reach(naive, R1_ADDS_PROVIDER);
    naive->providers = adm_memory_reserve(naive->providers, &naive->provider_room,
                                          naive->n_providers + 1, sizeof *naive->providers);
    naive->providers[naive->n_providers] = (struct provider){
        .name = name,
        .limits = {.max_concurrent = ADM_NO_LIMIT, .queue_capacity = ADM_NO_LIMIT},
    };
    return &naive->providers[naive->n_providers++];
}

static void reach_provider(const struct naive *naive, const struct provider *provider,
                           const struct adm_provider_limits *old)
{
    const struct adm_provider_limits *limits = &provider->limits;
    const struct adm_name name = provider->name;
    naive_reach_if(naive,
                   limits->max_concurrent != old->max_concurrent &&
                       is_lower(limits->max_concurrent, naive_n_running(naive, name)),
                   R1_PROVIDER_MAX_CONCURRENT);
    naive_reach_if(naive,
                   limits->queue_capacity != old->queue_capacity &&
                       is_lower(limits->queue_capacity, naive_n_queued(naive, name)),
                   R1_PROVIDER_QUEUE_CAPACITY);
    naive_reach_if(
        naive, limits->min_interval_us != old->min_interval_us && provider->last_start.is_any,
        R1_PROVIDER_MIN_INTERVAL);
}

/* R1 */
static void change_provider(struct naive *naive, const struct adm_request *request)
{
    const struct adm_name name = request->of.provider.name;
    struct provider *provider = naive_find_provider(naive, name);
    if (provider == NULL) {
        provider = add_provider(naive, name);
    }
    const struct adm_provider_limits old = provider->limits;
    const struct adm_provider_limits to = request->of.provider.to;
    const unsigned named = request->of.provider.named;
    provider->limits = (struct adm_provider_limits){
        .max_concurrent =
            named & ADM_LIMIT_MAX_CONCURRENT ? to.max_concurrent : old.max_concurrent,
        .min_interval_us =
            named & ADM_LIMIT_MIN_INTERVAL ? to.min_interval_us : old.min_interval_us,
        .queue_capacity =
            named & ADM_LIMIT_QUEUE_CAPACITY ? to.queue_capacity : old.queue_capacity,
    };
    reach_provider(naive, provider, &old);
}

static void apply(struct naive *naive, const struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        naive_admit_ticket(naive, request);
        break;
    case ADM_REQUEST_LISTENER:
        naive_admit_listener(naive, request);
        break;
    case ADM_REQUEST_LEAVE:
        leave(naive, request);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
        naive_leave_principal(naive, request);
        break;
    case ADM_REQUEST_CANCEL:
        naive_cancel(naive, request);
        break;
    case ADM_REQUEST_LIVE:
        naive_live(naive, request);
        break;
    case ADM_REQUEST_DOWN:
        take_down(naive, request->handle);
        break;
    case ADM_REQUEST_LIMITS:
        change_limits(naive, request);
        break;
    case ADM_REQUEST_PROVIDER:
        change_provider(naive, request);
        break;
    case ADM_REQUEST_COOLDOWN:
        naive_cool_down(naive, request);
        break;
    case ADM_REQUEST_CLOSE:
        close_down(naive);
        break;
    }
}

void naive_step(struct naive *naive, int64_t now, const struct adm_request *request,
                struct adm_effects *effects)
{
    naive->effects = effects;
    move_clock(naive, now);
    const bool was_due = naive_step_to_now(naive); /* I1 */
    if (request == NULL) {
        return;
    }
    naive_reach_if(naive, was_due, I1_THEN_MESSAGE);
    apply(naive, request);
    const bool has_started = naive_start_eligible(naive) > 0; /* T3 */
    naive_reach_if(naive, has_started && request->type == ADM_REQUEST_LEAVE, T10_LETS_START);
    naive_reach_if(naive, has_started && request->type == ADM_REQUEST_DOWN, H1_LETS_START);
    naive_reach_if(naive, has_started && request->type == ADM_REQUEST_LIMITS, R1_LETS_START);
    naive_reach_if(naive, has_started && request->type == ADM_REQUEST_PROVIDER,
                   R1_PROVIDER_LETS_START);
    tell_drained(naive, request);
}

/* I2, of one ticket */
static int64_t ticket_due_at(const struct naive *naive, const struct ticket *ticket)
{
    if (ticket->is_running) {
        return ticket->is_aborted ? ADM_NEVER : ticket->attempt_deadline_at;
    }
    if (!naive_has_room(naive, ticket)) {
        naive_reach_if(naive, naive_opens_at(naive, ticket) > naive->now, I2_OPENS_BUT_FULL);
        return ticket->deadline_at;
    }
    return adm_time_earlier(ticket->deadline_at, naive_opens_at(naive, ticket));
}

int64_t naive_due_at(const struct naive *naive)
{
    int64_t due_at = ADM_NEVER;
    enum clause clause = I2_NOTHING;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        const struct ticket *ticket = &naive->tickets[i];
        const int64_t at = ticket_due_at(naive, ticket);
        if (at < due_at) {
            due_at = at;
            clause = ticket->is_running          ? I2_ATTEMPT
                     : at == ticket->deadline_at ? I2_DEADLINE
                                                 : I2_OPENS;
        }
    }
    naive_reach(naive, clause);
    return due_at;
}

/* How many principals have a live listener: each is counted at its oldest one. */
static uint32_t n_principals(const struct naive *naive)
{
    uint32_t n = 0;
    for (size_t i = 0; i < naive->n_listeners; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i; j++) {
            is_first = is_first && !adm_name_equal(naive->listeners[j].principal,
                                                   naive->listeners[i].principal);
        }
        n += is_first;
    }
    return n;
}

void naive_stats(const struct naive *naive, struct adm_stats *stats)
{
    *stats = naive->books;
    stats->running = naive_n_running(naive, adm_name_none());
    stats->queued = naive_n_queued(naive, adm_name_none());
    stats->listeners = (uint32_t)naive->n_listeners;
    stats->principals = n_principals(naive);
    stats->max_concurrent = naive->limits.max_concurrent;
    stats->longest_provider = stats->longest_key = adm_name_none();
    const struct ticket *longest = naive_first_started(naive, false); /* T13 */
    if (longest != NULL) {
        stats->longest_held_us = naive->now - longest->started_at;
        stats->longest_handle = longest->handle;
        stats->longest_id = longest->id;
        stats->longest_provider = longest->provider;
        stats->longest_key = longest->key;
    }
}

bool naive_has_provider(const struct naive *naive, struct adm_name name)
{
    return naive_find_provider(naive, name) != NULL;
}

uint32_t naive_held(const struct naive *naive, uint32_t handle)
{
    uint32_t n = 0;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        n += naive->tickets[i].handle == handle;
    }
    for (size_t i = 0; i < naive->n_listeners; i++) {
        n += naive->listeners[i].handle == handle;
    }
    return n;
}
