/* The rules T1 to T13 of the naive model. See naive_model.h. */
#include "naive_model.h"

#include <string.h>

#include "base/memory.h"
#include "base/time.h"

struct provider *naive_find_provider(const struct naive *naive, struct adm_name name)
{
    for (size_t i = 0; i < naive->n_providers; i++) {
        if (adm_name_equal(naive->providers[i].name, name)) {
            return &naive->providers[i];
        }
    }
    return NULL;
}

struct ticket *naive_find_ticket(const struct naive *naive, uint32_t handle, uint64_t id)
{
    for (size_t i = 0; i < naive->n_tickets; i++) {
        if (naive->tickets[i].handle == handle && naive->tickets[i].id == id) {
            return &naive->tickets[i];
        }
    }
    return NULL;
}

/* How many tickets run (or are queued); of one provider, when it is named. */
static uint32_t count(const struct naive *naive, bool is_running, struct adm_name provider)
{
    uint32_t n = 0;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        const struct ticket *ticket = &naive->tickets[i];
        n += ticket->is_running == is_running &&
             (adm_name_is_none(provider) || adm_name_equal(ticket->provider, provider));
    }
    return n;
}

uint32_t naive_n_running(const struct naive *naive, struct adm_name provider)
{
    return count(naive, true, provider);
}

uint32_t naive_n_queued(const struct naive *naive, struct adm_name provider)
{
    return count(naive, false, provider);
}

/* The running ticket of this key; NULL when none runs or there is no key. */
static const struct ticket *key_holder(const struct naive *naive, struct adm_name key)
{
    for (size_t i = 0; i < naive->n_tickets; i++) {
        const struct ticket *ticket = &naive->tickets[i];
        if (ticket->is_running && !adm_name_is_none(key) && adm_name_equal(ticket->key, key)) {
            return ticket;
        }
    }
    return NULL;
}

/* T1: "fewer than" a limit that is none holds for every count. */
static bool is_below(uint32_t n, uint32_t limit)
{
    return limit == ADM_NO_LIMIT || n < limit;
}

/* The part of T2 that time alone does not change: T1. */
bool naive_has_room(const struct naive *naive, const struct ticket *ticket)
{
    const struct provider *provider = naive_find_provider(naive, ticket->provider);
    return is_below(naive_n_running(naive, adm_name_none()), naive->limits.max_concurrent) &&
           (provider == NULL || is_below(naive_n_running(naive, provider->name),
                                         provider->limits.max_concurrent)) &&
           key_holder(naive, ticket->key) == NULL;
}

/* T2: before the first start there is no interval to wait for. */
static int64_t gap_ends_at(struct last_start last, int64_t min_interval_us)
{
    return last.is_any ? adm_time_add(last.at, min_interval_us) : 0;
}

/* The part of T2 that is time: from when on nothing but room can hold the ticket back. */
int64_t naive_opens_at(const struct naive *naive, const struct ticket *ticket)
{
    const struct provider *provider = naive_find_provider(naive, ticket->provider);
    int64_t at = gap_ends_at(naive->last_start, naive->limits.min_interval_us);
    if (provider != NULL) {
        at = adm_time_later(
            at, gap_ends_at(provider->last_start, provider->limits.min_interval_us));
        at = adm_time_later(at, provider->not_before_at);
    }
    return at;
}

/* T2 */
static bool is_eligible(const struct naive *naive, const struct ticket *ticket)
{
    return naive_has_room(naive, ticket) && naive_opens_at(naive, ticket) <= naive->now;
}

/* Counts everything that holds a newcomer back. */
static void reach_holds(const struct naive *naive, const struct ticket *ticket)
{
    const uint32_t max = naive->limits.max_concurrent;
    naive_reach_if(naive, max == 0, T1_PAUSE);
    naive_reach_if(naive, max > 0 && !is_below(naive_n_running(naive, adm_name_none()), max),
                   T1_FULL);
    naive_reach_if(naive, key_holder(naive, ticket->key) != NULL, T1_KEY);
    const int64_t gap_at = gap_ends_at(naive->last_start, naive->limits.min_interval_us);
    naive_reach_if(naive, gap_at > naive->now, T2_INTERVAL);
    naive_reach_if(naive, gap_at == ADM_NEVER, Z1_INTERVAL);

    const struct provider *provider = naive_find_provider(naive, ticket->provider);
    if (provider == NULL) {
        return;
    }
    const uint32_t most = provider->limits.max_concurrent;
    naive_reach_if(naive, most == 0, T1_PROVIDER_PAUSE);
    naive_reach_if(naive, most > 0 && !is_below(naive_n_running(naive, provider->name), most),
                   T1_PROVIDER_FULL);
    naive_reach_if(
        naive, gap_ends_at(provider->last_start, provider->limits.min_interval_us) > naive->now,
        T2_PROVIDER_INTERVAL);
    naive_reach_if(naive, provider->not_before_at > naive->now, T2_COOLDOWN);
}

void naive_remove_ticket(struct naive *naive, struct ticket *ticket)
{
    const size_t at = (size_t)(ticket - naive->tickets);
    naive->n_tickets--;
    memmove(ticket, ticket + 1, (naive->n_tickets - at) * sizeof *ticket);
}

static void reach_start(const struct naive *naive, const struct ticket *ticket)
{
    for (const struct ticket *earlier = naive->tickets; earlier < ticket; earlier++) {
        const bool is_same_key =
            !adm_name_is_none(ticket->key) && adm_name_equal(earlier->key, ticket->key);
        naive_reach_if(naive, !earlier->is_running, T3_PASSES_BLOCKED);
        naive_reach_if(naive, !earlier->is_running && is_same_key, T3_PASSES_OWN_KEY);
    }
    const int64_t gap = naive->limits.min_interval_us;
    const struct last_start last = naive->last_start;
    naive_reach_if(naive, !last.is_any && gap > 0, T2_FIRST_START);
    naive_reach_if(naive,
                   last.had_waited && gap > 0 && adm_time_add(last.at, gap) == naive->now,
                   T7_FROM_ACTUAL_START);
    naive_reach_if(naive, ticket->deadline_at == naive->now, T6_STARTS_AT_DEADLINE);
    naive_reach_if(naive, ticket->attempt_timeout_us == 0, T11_NONE);
    naive_reach_if(naive,
                   ticket->attempt_timeout_us > 0 &&
                       adm_time_add(naive->now, ticket->attempt_timeout_us) == ADM_NEVER,
                   Z1_ATTEMPT_DEADLINE);
}

/* Which element of `waits` a time queued belongs to. */
static int wait_class(int64_t waited_us)
{
    int class = 0;
    while (waited_us > 0) {
        class ++;
        waited_us /= 2;
    }
    return class;
}

static void start(struct naive *naive, struct ticket *ticket)
{
    reach_start(naive, ticket);
    const int64_t waited_us = naive->now - ticket->arrived_at;
    ticket->is_running = true;
    ticket->started_at = naive->now;
    ticket->start_number = naive->n_starts++;
    ticket->attempt_deadline_at = ticket->attempt_timeout_us == 0
                                      ? ADM_NEVER
                                      : adm_time_add(naive->now, ticket->attempt_timeout_us);
    naive->last_start =
        (struct last_start){.is_any = true, .at = naive->now, .had_waited = waited_us > 0};
    struct provider *provider = naive_find_provider(naive, ticket->provider);
    if (provider != NULL) {
        provider->last_start = naive->last_start;
    }
    naive->books.tickets_granted++;
    naive->books.waits[wait_class(waited_us)]++;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_GRANTED,
                                          .handle = ticket->handle,
                                          .id = ticket->id,
                                          .span_us = waited_us});
}

static struct ticket *first_eligible(const struct naive *naive)
{
    for (size_t i = 0; i < naive->n_tickets; i++) {
        struct ticket *ticket = &naive->tickets[i];
        if (!ticket->is_running && is_eligible(naive, ticket)) {
            return ticket;
        }
    }
    return NULL;
}

/* T3. Returns how many have started. */
uint32_t naive_start_eligible(struct naive *naive)
{
    uint32_t n = 0;
    for (struct ticket *ticket = first_eligible(naive); ticket != NULL;
         ticket = first_eligible(naive)) {
        start(naive, ticket);
        n++;
    }
    naive_reach_if(naive, n > 1, T3_SEVERAL);
    return n;
}

static void refuse(struct naive *naive, const struct ticket *ticket, enum adm_reason reason)
{
    naive->books.tickets_refused[reason]++;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_REFUSED,
                                          .reason = reason,
                                          .handle = ticket->handle,
                                          .id = ticket->id,
                                          .span_us = naive->now - ticket->arrived_at});
}

void naive_refuse_queued(struct naive *naive, struct ticket *ticket, enum adm_reason reason)
{
    const struct ticket *holder = key_holder(naive, ticket->key);
    naive_reach_if(naive, reason == ADM_REASON_TIMEOUT && holder != NULL && holder->is_aborted,
                   T13_KEY_HELD);
    naive_reach_if(naive,
                   reason == ADM_REASON_TIMEOUT && ticket->deadline_at < naive->now &&
                       is_eligible(naive, ticket),
                   T6_LATE_BUT_ELIGIBLE);
    refuse(naive, ticket, reason);
    naive_remove_ticket(naive, ticket);
}

/* T11: told at most once; the slot stays held. */
void naive_abort(struct naive *naive, struct ticket *ticket, enum adm_reason reason)
{
    if (ticket->is_aborted) {
        return;
    }
    ticket->is_aborted = true;
    naive->books.tickets_aborted[reason]++;
    naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_ABORT,
                                          .reason = reason,
                                          .handle = ticket->handle,
                                          .id = ticket->id,
                                          .span_us = naive->now - ticket->started_at});
}

struct ticket *naive_first_started(const struct naive *naive, bool only_not_aborted)
{
    struct ticket *first = NULL;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        struct ticket *ticket = &naive->tickets[i];
        if (ticket->is_running && !(only_not_aborted && ticket->is_aborted) &&
            (first == NULL || ticket->start_number < first->start_number)) {
            first = ticket;
        }
    }
    return first;
}

/* T5: is `n` at a queue_capacity or above it? */
static bool is_full(uint32_t n, uint32_t capacity)
{
    return !is_below(n, capacity);
}

static bool is_queue_full(const struct naive *naive, const struct provider *provider)
{
    return is_full(naive_n_queued(naive, adm_name_none()), naive->limits.queue_capacity) ||
           (provider != NULL &&
            is_full(naive_n_queued(naive, provider->name), provider->limits.queue_capacity));
}

static void reach_faults(const struct naive *naive, const bool *faults)
{
    static const enum clause before[N_FAULTS][N_FAULTS] = {
        [FAULT_CLOSED] = {[FAULT_DUPLICATE] = H2_CLOSED_DUPLICATE,
                          [FAULT_UNKNOWN_PROVIDER] = H2_CLOSED_UNKNOWN,
                          [FAULT_TIMEOUT] = H2_CLOSED_TIMEOUT,
                          [FAULT_OVERFLOW] = H2_CLOSED_OVERFLOW},
        [FAULT_DUPLICATE] = {[FAULT_UNKNOWN_PROVIDER] = H2_DUPLICATE_UNKNOWN,
                             [FAULT_TIMEOUT] = H2_DUPLICATE_TIMEOUT,
                             [FAULT_OVERFLOW] = H2_DUPLICATE_OVERFLOW},
        [FAULT_UNKNOWN_PROVIDER] =
            {[FAULT_TIMEOUT] = H2_UNKNOWN_TIMEOUT, [FAULT_OVERFLOW] = H2_UNKNOWN_OVERFLOW},
        [FAULT_TIMEOUT] = {[FAULT_OVERFLOW] = H2_TIMEOUT_OVERFLOW},
    };
    for (int first = 0; first < N_FAULTS; first++) {
        for (int second = first + 1; second < N_FAULTS; second++) {
            naive_reach_if(naive, faults[first] && faults[second], before[first][second]);
        }
    }
}

static void reach_refused(const struct naive *naive, const struct ticket *newcomer,
                          const bool *faults, enum adm_reason reason)
{
    reach_faults(naive, faults);
    const struct ticket *twin = naive_find_ticket(naive, newcomer->handle, newcomer->id);
    naive_reach_if(naive, reason == ADM_REASON_CLOSED, K1_TICKET);
    if (reason == ADM_REASON_DUPLICATE) {
        naive_reach(naive, twin == NULL       ? H2_TICKET_LIVE
                           : twin->is_running ? H2_TICKET_RUNNING
                                              : H2_TICKET_QUEUED);
    }
    naive_reach_if(naive, reason == ADM_REASON_UNKNOWN_PROVIDER, T12_UNKNOWN);
    naive_reach_if(naive, reason == ADM_REASON_TIMEOUT, T5_TIMEOUT_0);
    if (reason == ADM_REASON_OVERFLOW) {
        const uint32_t n = naive_n_queued(naive, adm_name_none());
        const bool is_global = is_full(n, naive->limits.queue_capacity);
        naive_reach(naive, is_global ? T5_OVERFLOW : T5_OVERFLOW_PROVIDER);
        naive_reach_if(naive, naive->limits.queue_capacity == 0, T5_CAPACITY_0);
    }
}

static struct ticket *append(struct naive *naive, struct ticket newcomer)
{
    naive->tickets = adm_memory_reserve(naive->tickets, &naive->ticket_room,
                                        naive->n_tickets + 1, sizeof *naive->tickets);
    naive->tickets[naive->n_tickets] = newcomer;
    return &naive->tickets[naive->n_tickets++];
}

static void reach_queued(const struct naive *naive, const struct ticket *newcomer,
                         bool is_by_limit)
{
    naive_reach(naive, T5_QUEUED);
    const bool has_deadline = newcomer->deadline_at != ADM_NEVER;
    naive_reach_if(naive, is_by_limit && has_deadline, T6_LIMIT);
    naive_reach_if(naive, !has_deadline, T6_NONE);
}

/* T4, T5, T6, T12 and the order of H2. */
void naive_admit_ticket(struct naive *naive, const struct adm_request *request)
{
    const bool is_by_limit = request->of.ticket.timeout_us == ADM_TIMEOUT_DEFAULT;
    const int64_t timeout_us =
        is_by_limit ? naive->limits.admission_timeout_us : request->of.ticket.timeout_us;
    const struct ticket newcomer = {
        .handle = request->handle,
        .id = request->id,
        .provider = request->of.ticket.provider,
        .key = request->of.ticket.key,
        .arrived_at = naive->now,
        .deadline_at = adm_time_add(naive->now, timeout_us),
        .attempt_timeout_us = request->of.ticket.attempt_timeout_us,
    };
    const struct provider *provider = naive_find_provider(naive, newcomer.provider);
    const bool can_start = is_eligible(naive, &newcomer);
    const bool is_overflow = is_queue_full(naive, provider);
    const bool faults[N_FAULTS] = {
        [FAULT_CLOSED] = naive->is_closed,
        [FAULT_DUPLICATE] = naive_is_duplicate(naive, newcomer.handle, newcomer.id),
        [FAULT_UNKNOWN_PROVIDER] = !adm_name_is_none(newcomer.provider) && provider == NULL,
        [FAULT_TIMEOUT] = !can_start && timeout_us == 0,
        [FAULT_OVERFLOW] = !can_start && is_overflow,
    };
    const enum adm_reason reason = naive_first_fault(faults);
    if (!can_start) {
        reach_holds(naive, &newcomer);
    }
    if (reason != ADM_REASON_NONE) {
        reach_refused(naive, &newcomer, faults, reason);
        refuse(naive, &newcomer, reason);
        return;
    }
    naive_remember(naive, newcomer.handle, newcomer.id);
    if (can_start) {
        naive_reach(naive, T4_AT_ONCE);
        naive_reach_if(naive, naive_n_queued(naive, adm_name_none()) > 0, T4_PASSES_BLOCKED);
        naive_reach_if(naive, is_overflow, T4_FULL_QUEUE);
        start(naive, append(naive, newcomer));
    } else {
        reach_queued(naive, &newcomer, is_by_limit);
        naive_reach_if(naive, timeout_us != ADM_NEVER && newcomer.deadline_at == ADM_NEVER,
                       Z1_QUEUE_DEADLINE);
        append(naive, newcomer);
    }
}

/* T9 */
void naive_cancel(struct naive *naive, const struct adm_request *request)
{
    struct ticket *ticket = naive_find_ticket(naive, request->handle, request->id);
    if (ticket == NULL) {
        const bool is_listener =
            naive_find_listener(naive, request->handle, request->id) != NULL;
        naive_reach(naive, is_listener ? T9_LISTENER : T9_NOTHING);
    } else if (ticket->is_running) {
        naive_reach(naive, ticket->is_aborted ? T9_ABORTED : T9_RUNNING);
        naive_reach_if(naive, naive->is_closed, K1_CANCEL);
        naive_abort(naive, ticket, ADM_REASON_CANCELLED);
    } else {
        naive_reach(naive, T9_QUEUED);
        naive_refuse_queued(naive, ticket, ADM_REASON_CANCELLED);
    }
}

/* T10, and what H1 does to each ticket of a handle. */
void naive_leave_ticket(struct naive *naive, struct ticket *ticket)
{
    if (ticket->is_running) {
        naive->books.tickets_left++;
    } else {
        naive->books.tickets_withdrawn++;
    }
    naive_remove_ticket(naive, ticket);
}

/* T8 */
void naive_cool_down(struct naive *naive, const struct adm_request *request)
{
    struct provider *provider = naive_find_provider(naive, request->of.cooldown.provider);
    if (provider == NULL) {
        naive_reach(naive, T8_UNKNOWN);
        naive_reach_if(naive, naive->is_closed, K1_COOLDOWN);
        naive_tell(naive, (struct adm_effect){.type = ADM_EFFECT_NO_PROVIDER,
                                              .handle = request->handle,
                                              .id = request->id});
        return;
    }
    const int64_t old_at = provider->not_before_at;
    const int64_t new_at = adm_time_add(naive->now, request->of.cooldown.delay_us);
    naive_reach_if(naive, old_at > naive->now && new_at > old_at, T8_EXTENDS);
    naive_reach_if(naive, new_at < old_at, T8_NEVER_SHORTENS);
    naive_reach_if(naive, naive_n_running(naive, provider->name) > 0, T8_RUNNING);
    naive_reach_if(naive, new_at == ADM_NEVER, Z1_COOLDOWN);
    provider->not_before_at = adm_time_later(old_at, new_at);
}
