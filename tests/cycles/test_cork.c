/* A cycle that runs with a corked client: nothing that it or anybody says is held back while it
 * waits. */
#include <criterion/criterion.h>
#include <sched.h>

#include "script.h"

TestSuite(cycles_cork, .timeout = 20);

/* What a second thread knows of a cycle that runs here. */
struct other {
    struct bench *bench;
    struct script *script;
    admission_query_t *query;
    uint64_t cycle;
};

static struct admission_result run_corked(struct other *other, void *(*meanwhile)(void *))
{
    struct admission_result result;
    admission_client_t *client = other->bench->client;
    admission_client_cork(client);
    const pthread_t thread = start_thread(meanwhile, other);
    check_ok(admission_query_run(other->query, client, other, &other->cycle, &result));
    join_thread(thread);
    check_ok(admission_client_uncork(client));
    return result;
}

static void *unsubscribe_when_queued(void *arg)
{
    struct other *other = arg;
    wait_for_queued(other->bench, 1);
    admission_query_unsubscribe(other->query, other->cycle);
    return NULL;
}

Test(cycles_cork, unsubscribing_one_that_is_queued_ends_it_T9)
{
    struct bench bench = bench_with(0, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    struct other other = {.bench = &bench, .script = &script, .query = query};
    const struct admission_result result = run_corked(&other, unsubscribe_when_queued);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(result.abort == ADMISSION_ABORT_UNSUBSCRIBED && result.attempts == 0);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* The rest begins when the slot is free, and ends when the clock says so. */
static void *end_the_rest(void *arg)
{
    struct other *other = arg;
    wait_for_semaphore(&other->script->asked);
    while (books(other->bench).running > 0) {
        sched_yield();
    }
    pass(other->bench, 10 * SECOND);
    return NULL;
}

Test(cycles_cork, one_that_rests_holds_no_slot_meanwhile_T10)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 2;
    options.retry_delay = NULL;
    options.retry_base_us = options.retry_max_us = 10 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    struct other other = {.bench = &bench, .script = &script, .query = query};
    const struct admission_result result = run_corked(&other, end_the_rest);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.attempts == 2);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* It sleeps when the clock is let go; then a message that is held back would stay so. */
static void *listen_and_unsubscribe(void *arg)
{
    struct other *other = arg;
    const struct admission_listen listen = admission_listen_default("ann");
    wait_for_semaphore(&other->script->asked);
    pass(other->bench, 0);
    check_ok(admission_client_request_listener(other->bench->client, &listen, NULL));
    while (books(other->bench).listeners == 0) {
        sched_yield();
    }
    admission_query_unsubscribe(other->query, other->cycle);
    return NULL;
}

Test(cycles_cork, a_function_that_waits_on_its_signal_holds_nothing_back)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = wait_for_abort;
    admission_query_t *query = query_of(&bench, &options);
    struct other other = {.bench = &bench, .script = &script, .query = query};
    const struct admission_result result = run_corked(&other, listen_and_unsubscribe);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(result.abort == ADMISSION_ABORT_UNSUBSCRIBED && result.attempts == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}
