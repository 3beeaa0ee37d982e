/* The abort signal, on a caller's thread. */
#include <criterion/criterion.h>

#include "script.h"

TestSuite(signal, .timeout = 20);

/* The signal. */

static void expect_the_key_kept(struct script *script, struct admission_attempt *attempt)
{
    struct bench *bench = script->bench;
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
    const struct admission_stats stats = books(bench);
    check(stats.running == 1 && stats.longest_held.held_us == 10 * SECOND);
    cr_assert_str_eq(stats.longest_held.provider, "upstream");
    cr_assert_str_eq(stats.longest_held.key, "key");
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = "key";
    ticket.timeout_us = 5 * SECOND;
    check_ok(admission_client_request_ticket(bench->client, &ticket, NULL));
    pass_inside(bench, 5 * SECOND);
    struct admission_event event;
    check_ok(admission_client_next(bench->client, 0, &event));
    check(event.type == ADMISSION_EVENT_REFUSED && event.reason == ADMISSION_REASON_TIMEOUT);
    check(books(bench).running == 1);
}

Test(signal, a_timed_out_attempt_whose_function_ignores_the_abort_keeps_its_key_T13)
{
    struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(ADMISSION_NONE, &provider);
    struct script script = script_for(&bench);
    script.takes_us = 10 * SECOND;
    script.n_failures = 1;
    script.also = expect_the_key_kept;
    struct admission_query_options options = options_for(&script);
    options.provider = "upstream";
    options.key = "key";
    options.attempt_timeout_us = 3 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(result.abort == ADMISSION_ABORT_TIMEOUT && result.error == FAILED);
    check(result.ran_us == 15 * SECOND);
    admission_client_leave(bench.client, hold_slot(&bench, "key"));
    admission_query_destroy(&query);
    bench_end(&bench);
}

static void expect_no_time_left(struct script *script, struct admission_attempt *attempt)
{
    if (attempt->number == 1) {
        pass_inside(script->bench, 4 * SECOND);
        check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
    }
}

Test(signal, an_attempt_that_timed_out_is_tried_again_with_a_fresh_signal)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    script.also = expect_no_time_left;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 2;
    options.attempt_timeout_us = 3 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.attempts == 2);
    check(script.seen[1] == ADMISSION_ABORT_TIMEOUT && script.seen[2] == ADMISSION_ABORT_NONE);
    admission_query_destroy(&query);
    bench_end(&bench);
}

static bool is_readable(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

static void expect_a_level(struct script *script, struct admission_attempt *attempt)
{
    struct bench *bench = script->bench;
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    check(!is_readable(fd));
    check(admission_signal_wait(attempt->signal, 0) == ADMISSION_EMPTY);
    check(admission_signal_wait(attempt->signal, -1) == ADMISSION_INVALID);

    struct admission_ticket ticket = admission_ticket_default();
    uint64_t id;
    check_ok(admission_client_request_ticket(bench->client, &ticket, &id));
    pass_inside(bench, 0); /* another word to this client: asking makes it quiet again */
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_NONE);
    check(!is_readable(fd));
    admission_client_leave(bench->client, id);

    pass_inside(bench, 3 * SECOND);
    for (int i = 0; i < 3; i++) {
        check(is_readable(fd));
        check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
        check_ok(admission_signal_wait(attempt->signal, ADMISSION_NONE));
    }
    admission_query_dispose(attempt->query);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
    struct admission_event event; /* the other ticket's: the user's own, and the only one */
    check_ok(admission_client_next(bench->client, 0, &event));
    check(event.type == ADMISSION_EVENT_GRANTED && event.id == id);
    check(admission_client_next(bench->client, 0, &event) == ADMISSION_EMPTY);
}

Test(signal, a_signal_is_a_level_by_question_wait_and_descriptor_and_keeps_its_first_reason)
{
    struct bench bench = bench_with(2, NULL);
    struct script script = script_for(&bench);
    script.also = expect_a_level;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE);
    check(result.abort == ADMISSION_ABORT_TIMEOUT);
    admission_query_destroy(&query);
    bench_end(&bench);
}

static void read_everything(struct script *script, struct admission_attempt *attempt)
{
    struct admission_event event; /* and by it the abort: not an event of the user's */
    pass_inside(script->bench, 3 * SECOND);
    check(admission_client_next(script->bench->client, 0, &event) == ADMISSION_EMPTY);
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    check(is_readable(fd));
}

/* Two words lie in the socket: the user's, which is read, and behind it the abort. */
static void read_one_event(struct script *script, struct admission_attempt *attempt)
{
    admission_client_t *client = script->bench->client;
    uint64_t id;
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    check_ok(admission_client_request_ticket(client, NULL, &id));
    pass_inside(script->bench, 3 * SECOND);
    struct admission_event event;
    check_ok(admission_client_next(client, 0, &event));
    check(event.type == ADMISSION_EVENT_GRANTED && event.id == id);
    check(is_readable(fd));
    admission_client_leave(client, id);
}

Test(signal, reading_an_event_leaves_the_descriptor_readable_for_the_abort_behind_it)
{
    struct bench bench = bench_with(2, NULL);
    struct script script = script_for(&bench);
    script.also = read_one_event;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    check(run(&bench, query).abort == ADMISSION_ABORT_TIMEOUT);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(signal, the_words_to_a_cycle_are_never_events_of_its_client)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.also = read_everything;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    (void)run(&bench, query);
    script.also = NULL; /* nobody looks: the abort is still to be read when the cycle is over */
    script.takes_us = 2 * SECOND;
    (void)run(&bench, query);
    pass(&bench, 0);
    struct admission_event event;
    check(admission_client_next(bench.client, 0, &event) == ADMISSION_EMPTY);
    const struct admission_stats stats = books(&bench);
    check(stats.tickets_aborted[ADMISSION_REASON_TIMEOUT] == 2);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(signal, a_function_that_waits_on_its_signal_is_woken_at_its_own_instant_T11)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = wait_for_abort;
    options.should_retry = NULL;
    options.attempt_timeout_us = 7 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    pass(&bench, 3600 * SECOND);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(runner.result.abort == ADMISSION_ABORT_TIMEOUT);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* The thread that is to be cancelled as soon as it may be, with the signal's descriptor made.
 */
static int be_cancelled(struct admission_attempt *attempt, void *context)
{
    (void)context;
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    check(pthread_cancel(pthread_self()) == 0);
    return 0;
}

Test(signal, a_thread_that_is_cancelled_where_its_signal_goes_leaves_no_lock_behind)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = be_cancelled;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    join_thread(runner.thread);
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    admission_query_destroy(&query);
    pass(&bench, 0);
    bench_end(&bench);
}

static void close_the_actor(struct script *script, struct admission_attempt *attempt)
{
    check(admission_actor_close(script->bench->actor, 0) == ADMISSION_NOT_DRAINED);
    pass_inside(script->bench, 0);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_CLOSED);
}

Test(signal, close_aborts_the_attempt_and_there_is_no_retry_K1)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = MOST_ATTEMPTS;
    script.also = close_the_actor;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = ADMISSION_NONE;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(result.abort == ADMISSION_ABORT_CLOSED && result.attempts == 1);
    check(script.n_asked == 0);
    check_ok(admission_actor_close(bench.actor, 0));
    admission_query_destroy(&query);
    bench_end(&bench);
}
