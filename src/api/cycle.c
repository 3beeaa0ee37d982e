/* The steps of a cycle.
 *
 * A ticket is given back in one place, adm_cycle_leave(), once the function has returned or
 * will never be called. The function runs with no lock held. A cycle that is stopped while its
 * ticket is in the actor's hands cancels it, and goes on to its final word: so a grant that
 * crosses the cancel is given back, not lost. */
#include "api/cycle.h"

#include "admission/retry_after.h"
#include "base/assert.h"
#include "base/time.h"

static const struct adm_clock *clock_of(const struct adm_cycle *cycle)
{
    return &cycle->query->hub->clock;
}

/* What a cycle that begins now is to meet. Later changes of the query's state are told to each
 * of its cycles, so that what counts is when a cycle began, and not how far it has come. */
static void begin_as(struct adm_cycle *cycle, enum adm_query_state state)
{
    cycle->phase = ADM_PHASE_READY;
    switch (state) {
    case ADM_QUERY_OPEN:
        break;
    case ADM_QUERY_HOLDING:
        cycle->phase = ADM_PHASE_HELD;
        break;
    case ADM_QUERY_REFUSING:
        cycle->stop = ADMISSION_ABORT_PAUSED;
        break;
    case ADM_QUERY_DISPOSED:
        cycle->stop = ADMISSION_ABORT_DISPOSED;
        break;
    }
}

void adm_cycle_init(struct adm_cycle *cycle, struct admission_query *query, uint64_t *number)
{
    cycle->query = query;
    adm_signal_init(&cycle->signal, query->hub);
    begin_as(cycle, query->state);
    adm_query_keep(query);
    cycle->result.cycle = ++query->n_cycles;
    TAILQ_INSERT_TAIL(&query->cycles, cycle, link);
    if (number != NULL) {
        *number = cycle->result.cycle;
    }
}

void adm_cycle_deinit(struct adm_cycle *cycle)
{
    adm_cycle_leave(cycle);
    pthread_mutex_lock(&cycle->query->lock);
    TAILQ_REMOVE(&cycle->query->cycles, cycle, link);
    adm_query_release(cycle->query);
}

enum adm_phase adm_cycle_phase(struct adm_cycle *cycle)
{
    pthread_mutex_lock(&cycle->query->lock);
    const enum adm_phase phase = cycle->phase;
    pthread_mutex_unlock(&cycle->query->lock);
    return phase;
}

bool adm_cycle_has_rested(struct adm_cycle *cycle)
{
    pthread_mutex_lock(&cycle->query->lock);
    const bool is_stopped = cycle->stop != ADMISSION_ABORT_NONE;
    pthread_mutex_unlock(&cycle->query->lock);
    return is_stopped || adm_hub_is_closed(cycle->query->hub) ||
           cycle->rest_until <= adm_clock_elapsed(clock_of(cycle));
}

/* How it ends. The lock is held. */

static void end(struct adm_cycle *cycle, admission_outcome_t outcome)
{
    cycle->result.outcome = outcome;
    cycle->result.received_at_us = adm_clock_now(clock_of(cycle));
    cycle->phase = ADM_PHASE_OVER;
}

static void end_aborted(struct adm_cycle *cycle, admission_abort_t why)
{
    cycle->result.abort = why;
    end(cycle, ADMISSION_OUTCOME_ABORTED);
}

static void end_refused(struct adm_cycle *cycle, admission_reason_t reason)
{
    cycle->result.reason = reason;
    end(cycle, ADMISSION_OUTCOME_ADMISSION);
}

/* Admission. */

static void request(struct adm_cycle *cycle)
{
    const struct admission_query_options *options = &cycle->query->options;
    const struct admission_ticket ticket = {
        .provider = options->provider,
        .key = options->key,
        .timeout_us = options->admission_timeout_us,
        .attempt_timeout_us = options->attempt_timeout_us,
    };
    adm_signal_renew(&cycle->signal, -1);
    const admission_status_t status =
        adm_client_request_marked(cycle->client, &ticket, cycle->mark, &cycle->ticket);
    if (status == ADMISSION_OK) {
        cycle->phase = ADM_PHASE_QUEUED;
        return;
    }
    ADM_ASSERT(status != ADMISSION_INVALID); /* the query was checked when it was made */
    cycle->ticket = 0;
    end_refused(cycle,
                status == ADMISSION_BUSY ? ADMISSION_REASON_OVERFLOW : ADMISSION_REASON_CLOSED);
}

enum adm_phase adm_cycle_ask(struct adm_cycle *cycle)
{
    pthread_mutex_lock(&cycle->query->lock);
    if (cycle->stop != ADMISSION_ABORT_NONE) {
        end_aborted(cycle, cycle->stop);
    } else if (cycle->phase != ADM_PHASE_HELD || adm_hub_is_closed(cycle->query->hub)) {
        request(cycle);
    }
    const enum adm_phase phase = cycle->phase;
    pthread_mutex_unlock(&cycle->query->lock);
    return phase;
}

enum adm_phase adm_cycle_answer(struct adm_cycle *cycle, const struct admission_event *word)
{
    pthread_mutex_lock(&cycle->query->lock);
    cycle->result.waited_us = adm_time_add(cycle->result.waited_us, word->waited_us);
    if (word->type == ADMISSION_EVENT_GRANTED) {
        cycle->is_running = true;
        cycle->phase = ADM_PHASE_GRANTED;
    } else {
        cycle->ticket = 0;
        if (cycle->stop != ADMISSION_ABORT_NONE) {
            end_aborted(cycle, cycle->stop);
        } else {
            end_refused(cycle, word->reason);
        }
    }
    const enum adm_phase phase = cycle->phase;
    pthread_mutex_unlock(&cycle->query->lock);
    return phase;
}

/* The attempt. */

/* Prepares for the call; false when there is to be none. */
static bool begin(struct adm_cycle *cycle, int flag_fd)
{
    pthread_mutex_lock(&cycle->query->lock);
    const bool begins = cycle->stop == ADMISSION_ABORT_NONE;
    if (begins) {
        const int raised = atomic_load(&cycle->signal.reason); /* while it had no thread */
        adm_signal_renew(&cycle->signal, flag_fd);
        if (raised != ADMISSION_ABORT_NONE) {
            adm_signal_raise(&cycle->signal, (admission_abort_t)raised);
        }
        cycle->result.attempts++;
        cycle->result.value = NULL;
    }
    pthread_mutex_unlock(&cycle->query->lock);
    return begins;
}

void adm_cycle_call(struct adm_cycle *cycle, int flag_fd)
{
    cycle->is_called = begin(cycle, flag_fd);
    if (!cycle->is_called) {
        return;
    }
    const struct adm_clock *clock = clock_of(cycle);
    const struct admission_query_options *options = &cycle->query->options;
    struct admission_attempt attempt = {
        .query = cycle->query,
        .number = cycle->result.attempts,
        .signal = &cycle->signal,
        .user = cycle->result.user,
    };
    const int64_t began_at = adm_clock_elapsed(clock);
    cycle->error = options->function(&attempt, options->context);
    if (adm_hub_is_forked(cycle->query->hub)) {
        return; /* it forked, and this is the child */
    }
    const int64_t ran_us = adm_clock_elapsed(clock) - began_at;
    cycle->result.ran_us = adm_time_add(cycle->result.ran_us, ran_us);
    cycle->result.value = cycle->error == 0 ? attempt.value : NULL;
}

void adm_cycle_leave(struct adm_cycle *cycle)
{
    pthread_mutex_lock(&cycle->query->lock);
    const uint64_t ticket = cycle->ticket;
    cycle->ticket = 0;
    cycle->is_running = false;
    adm_signal_retire(&cycle->signal);
    pthread_mutex_unlock(&cycle->query->lock);
    if (ticket != 0) {
        (void)admission_client_leave(cycle->client, ticket);
    }
}

/* What comes after it. */

/* splitmix64. */
static uint64_t next_random(struct admission_query *query)
{
    pthread_mutex_lock(&query->lock);
    query->jitter += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = query->jitter;
    pthread_mutex_unlock(&query->lock);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static bool is_to_be_tried_again(const struct adm_cycle *cycle)
{
    const struct admission_query_options *options = &cycle->query->options;
    const uint64_t attempts = cycle->result.attempts;
    return attempts < (uint64_t)options->max_attempts &&
           (options->should_retry == NULL ||
            options->should_retry(attempts, cycle->error, options->context));
}

static int64_t delay(struct adm_cycle *cycle)
{
    const struct admission_query_options *options = &cycle->query->options;
    const uint64_t attempts = cycle->result.attempts;
    if (options->retry_delay != NULL) {
        return adm_time_later(options->retry_delay(attempts, cycle->error, options->context),
                              0);
    }
    return admission_backoff(attempts, options->retry_base_us, options->retry_max_us,
                             next_random(cycle->query));
}

/* Whatever else was the matter, an attempt that only its timeout aborted may be tried again. */
static bool is_final(admission_abort_t raised)
{
    return raised != ADMISSION_ABORT_NONE && raised != ADMISSION_ABORT_TIMEOUT;
}

static void rest_or_end(struct adm_cycle *cycle, admission_abort_t raised)
{
    const bool goes_on = cycle->is_called && !is_final(raised) && is_to_be_tried_again(cycle);
    if (goes_on) {
        cycle->rest_until = adm_time_add(adm_clock_elapsed(clock_of(cycle)), delay(cycle));
    }
    pthread_mutex_lock(&cycle->query->lock);
    if (cycle->stop != ADMISSION_ABORT_NONE) {
        end_aborted(cycle, cycle->stop);
    } else if (goes_on) {
        cycle->phase = ADM_PHASE_RESTING;
    } else if (raised != ADMISSION_ABORT_NONE) {
        end_aborted(cycle, raised);
    } else {
        end(cycle, ADMISSION_OUTCOME_SOURCE);
    }
    pthread_mutex_unlock(&cycle->query->lock);
}

enum adm_phase adm_cycle_settle(struct adm_cycle *cycle)
{
    const admission_abort_t raised = (admission_abort_t)atomic_load(&cycle->signal.reason);
    if (cycle->is_called && cycle->error == 0) {
        cycle->result.abort = raised;
        pthread_mutex_lock(&cycle->query->lock);
        end(cycle, ADMISSION_OUTCOME_VALUE);
        pthread_mutex_unlock(&cycle->query->lock);
        return ADM_PHASE_OVER;
    }
    if (cycle->is_called) {
        cycle->result.error = cycle->error;
    }
    rest_or_end(cycle, raised);
    return adm_cycle_phase(cycle);
}

/* From outside. */

void adm_cycle_abort(struct adm_cycle *cycle, uint64_t ticket, admission_abort_t why)
{
    pthread_mutex_lock(&cycle->query->lock);
    if (cycle->is_running && cycle->ticket == ticket) {
        adm_signal_raise(&cycle->signal, why);
    }
    pthread_mutex_unlock(&cycle->query->lock);
}

void adm_cycle_stop(struct adm_cycle *cycle, admission_abort_t why)
{
    if (cycle->stop != ADMISSION_ABORT_NONE || cycle->phase == ADM_PHASE_OVER) {
        return;
    }
    cycle->stop = why;
    if (cycle->is_running) {
        adm_signal_raise(&cycle->signal, why);
    }
    if (cycle->ticket != 0) {
        (void)admission_client_cancel(cycle->client, cycle->ticket);
    } else {
        cycle->nudge(cycle);
    }
}
