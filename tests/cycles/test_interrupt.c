/* Pause, resume, dispose, unsubscribe, and the ends of threads and actors. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"

TestSuite(interrupt, .timeout = 20);

/* Interrupting. */

static void pause_it(struct script *script, struct admission_attempt *attempt)
{
    (void)script;
    admission_query_pause(attempt->query, ADMISSION_PAUSE_REFUSE);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_PAUSED);
}

static void dispose_of_it(struct script *script, struct admission_attempt *attempt)
{
    admission_query_dispose(attempt->query);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_DISPOSED);
    check(books(script->bench).running == 1);
}

static void expect_abort(struct bench *bench, admission_query_t *query, admission_abort_t why,
                         uint64_t attempts)
{
    const struct admission_result result = run(bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED && result.abort == why);
    check(result.attempts == attempts);
}

Test(interrupt, pause_aborts_the_attempt_and_refuses_new_cycles_until_resume)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    script.also = pause_it;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 5;
    admission_query_t *query = query_of(&bench, &options);
    expect_abort(&bench, query, ADMISSION_ABORT_PAUSED, 1);
    check(script.n_asked == 0);
    expect_abort(&bench, query, ADMISSION_ABORT_PAUSED, 0);
    admission_query_resume(query);
    script.also = NULL;
    script.n_failures = 0;
    check(run(&bench, query).outcome == ADMISSION_OUTCOME_VALUE);
    check(books(&bench).tickets_aborted[ADMISSION_REASON_CANCELLED] == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, dispose_during_the_run_is_for_good_and_frees_no_slot)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    script.also = dispose_of_it;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 5;
    admission_query_t *query = query_of(&bench, &options);
    expect_abort(&bench, query, ADMISSION_ABORT_DISPOSED, 1);
    admission_query_resume(query);
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    expect_abort(&bench, query, ADMISSION_ABORT_DISPOSED, 0);
    check(script.n_asked == 0);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, the_object_lives_until_its_running_function_has_returned)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = wait_for_abort;
    options.should_retry = NULL;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    admission_query_destroy(&query);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(runner.result.abort == ADMISSION_ABORT_DISPOSED);
    bench_end(&bench);
}

Test(interrupt, a_function_that_succeeds_though_aborted_has_a_value)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.also = dispose_of_it;
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.value == &bench);
    check(result.abort == ADMISSION_ABORT_DISPOSED);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, pause_takes_the_queued_one_out_T9)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    const uint64_t held = hold_slot(&bench, NULL);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_queued(&bench, 1);
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(runner.result.abort == ADMISSION_ABORT_PAUSED && runner.result.attempts == 0);
    check(script.n_calls == 0);
    admission_client_leave(bench.client, held);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, a_cycle_that_begins_while_paused_waits_for_resume)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    struct runner runner;
    start_runner(&runner, &bench, query);
    for (int i = 0; i < 100; i++) {
        pass(&bench, SECOND);
    }
    check(script.n_calls == 0);
    admission_query_resume(query);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_VALUE);
    check(runner.result.waited_us == 0);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, unsubscribing_between_two_attempts_ends_the_cycle_at_once)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 2;
    options.retry_delay = NULL;
    options.retry_base_us = options.retry_max_us = 1000 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    pass(&bench, SECOND);
    admission_query_unsubscribe(query, runner.cycle + 1); /* nobody's */
    admission_query_unsubscribe(query, runner.cycle);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(runner.result.abort == ADMISSION_ABORT_UNSUBSCRIBED);
    check(runner.result.attempts == 1 && script.n_calls == 1);
    check(elapsed(&bench) == SECOND);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, unsubscribing_a_running_one_aborts_it_and_frees_no_slot)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = wait_for_abort;
    options.should_retry = NULL;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    admission_query_unsubscribe(query, runner.cycle);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ABORTED);
    check(runner.result.abort == ADMISSION_ABORT_UNSUBSCRIBED);
    const struct admission_stats stats = books(&bench);
    check(stats.tickets_aborted[ADMISSION_REASON_CANCELLED] == 1 && stats.tickets_left == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* Threads, and their ends. */

static void *run_and_be_cancelled(void *arg)
{
    struct runner *runner = arg;
    check_ok(admission_client_adopt(runner->bench->client));
    check_ok(admission_query_run(runner->query, runner->bench->client, runner, NULL,
                                 &runner->result));
    abort(); /* the cycle went on after its thread was cancelled */
}

static void cancel_and_join(struct bench *bench, struct runner *runner)
{
    check(pthread_cancel(runner->thread) == 0);
    void *end;
    check(pthread_join(runner->thread, &end) == 0 && end == PTHREAD_CANCELED);
    pass(bench, 0); /* and the clock is held by nobody */
    const struct admission_stats stats = books(bench);
    check(stats.running == 0 && stats.queued == 0 && stats.clients == 0);
    check_ok(admission_client_new(&bench->client, bench->actor));
}

Test(interrupt, a_thread_that_is_cancelled_in_the_function_gives_the_slot_back_H1)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.function = wait_for_abort;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner = {.bench = &bench, .query = query};
    runner.thread = start_thread(run_and_be_cancelled, &runner);
    wait_for_semaphore(&script.asked);
    cancel_and_join(&bench, &runner);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, a_thread_that_is_cancelled_in_the_queue_leaves_it)
{
    struct bench bench = bench_with(0, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner = {.bench = &bench, .query = query};
    runner.thread = start_thread(run_and_be_cancelled, &runner);
    wait_for_queued(&bench, 1);
    cancel_and_join(&bench, &runner);
    admission_query_destroy(&query);
    bench_end(&bench);
}

static void *run_as_a_stranger(void *arg)
{
    struct runner *runner = arg;
    check(admission_query_run(runner->query, runner->bench->client, NULL, NULL,
                              &runner->result) == ADMISSION_FOREIGN_THREAD);
    return NULL;
}

Test(interrupt, only_the_owner_of_a_client_of_the_same_actor_runs_with_it)
{
    struct bench bench = bench_with(1, NULL);
    struct bench other = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner = {.bench = &bench, .query = query};
    join_thread(start_thread(run_as_a_stranger, &runner));
    check(admission_query_run(query, other.client, NULL, NULL, &runner.result) ==
          ADMISSION_INVALID);
    admission_query_destroy(&query);
    bench_end(&other);
    bench_end(&bench);
}

static void run_another(struct script *script, struct admission_attempt *attempt)
{
    script->also = NULL;
    script->takes_us = 0;
    check(run(script->bench, attempt->query).outcome == ADMISSION_OUTCOME_VALUE);
    script->takes_us = SECOND;
    pass_inside(script->bench, 2 * SECOND);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
}

Test(interrupt, a_function_can_run_another_cycle_with_the_same_client)
{
    struct bench bench = bench_with(2, NULL);
    struct script script = script_for(&bench);
    script.also = run_another;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.cycle == 1);
    check(result.abort == ADMISSION_ABORT_TIMEOUT);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, the_end_of_the_actor_ends_a_cycle_that_is_queued)
{
    struct bench bench = bench_with(0, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_queued(&bench, 1);
    admission_actor_destroy(&bench.actor);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_ADMISSION);
    check(runner.result.reason == ADMISSION_REASON_CLOSED);
    expect_refusal(&bench, query, &script, ADMISSION_REASON_CLOSED);
    admission_query_destroy(&query);
    check(admission_query_new(&query, bench.client, &options, NULL) == ADMISSION_CLOSED);
    admission_client_destroy(&bench.client);
    admission_virtual_clock_destroy(&bench.clock);
}

/* The cycle of a second thread that rests for ever, once it rests. */
static void start_resting(struct runner *runner, struct bench *bench, admission_query_t **query,
                          struct script *script)
{
    script->n_failures = 1;
    struct admission_query_options options = options_for(script);
    options.max_attempts = 2;
    options.retry_delay = NULL;
    options.retry_base_us = options.retry_max_us = 1000 * SECOND;
    *query = query_of(bench, &options);
    start_runner(runner, bench, *query);
    wait_for_semaphore(&script->asked);
    pass(bench, SECOND);
}

/* It has ended, at once, as one that admission refused. */
static void expect_closed(struct bench *bench, struct runner *runner, uint64_t attempts)
{
    join_thread(runner->thread);
    check(runner->result.outcome == ADMISSION_OUTCOME_ADMISSION);
    check(runner->result.reason == ADMISSION_REASON_CLOSED);
    check(runner->result.attempts == attempts);
    check(elapsed(bench) == SECOND);
}

Test(interrupt, close_ends_a_cycle_that_rests_between_two_attempts_K1)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    admission_query_t *query;
    struct runner runner;
    start_resting(&runner, &bench, &query, &script);
    check_ok(admission_actor_close(bench.actor, ADMISSION_NONE));
    expect_closed(&bench, &runner, 1);
    check(script.n_asked == 1 && runner.result.error == FAILED);
    check(books(&bench).tickets_refused[ADMISSION_REASON_CLOSED] == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, the_end_of_the_actor_ends_a_cycle_that_rests_between_two_attempts)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    admission_query_t *query;
    struct runner runner;
    start_resting(&runner, &bench, &query, &script);
    admission_actor_destroy(&bench.actor);
    expect_closed(&bench, &runner, 1);
    admission_query_destroy(&query);
    admission_client_destroy(&bench.client);
    admission_virtual_clock_destroy(&bench.clock);
}

Test(interrupt, close_ends_a_cycle_that_a_pause_holds_and_later_ones_too_K1)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    const struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    struct runner runner;
    start_runner(&runner, &bench, query);
    pass(&bench, SECOND);
    check_ok(admission_actor_close(bench.actor, ADMISSION_NONE));
    expect_closed(&bench, &runner, 0);
    expect_refusal(&bench, query, &script, ADMISSION_REASON_CLOSED);
    admission_query_pause(query, ADMISSION_PAUSE_REFUSE);
    expect_abort(&bench, query, ADMISSION_ABORT_PAUSED, 0);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* In the child; returns what is wrong there, as an exit status. */
static int try_in_child(struct bench *bench, admission_query_t *query, admission_pool_t *pool)
{
    struct admission_result result;
    if (admission_query_run(query, bench->client, NULL, NULL, &result) != ADMISSION_FORKED) {
        return 1;
    }
    if (admission_pool_submit(pool, query, NULL, NULL) != ADMISSION_FORKED) {
        return 2;
    }
    if (admission_pool_next(pool, ADMISSION_NONE, &result) != ADMISSION_FORKED) {
        return 3;
    }
    admission_query_pause(query, ADMISSION_PAUSE_HOLD);
    admission_query_dispose(query);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    return query == NULL && pool == NULL ? 0 : 4;
}

/* A function that forks, whose child comes back from it too. */

struct fork_script {
    pid_t child; /* 0: this is the child */
    bool ends_with_thread;
};

static void tell_of_exit(void)
{
    _exit(42);
}

static int fork_inside(struct admission_attempt *attempt, void *context)
{
    struct fork_script *script = context;
    script->child = fork();
    if (script->child == 0) {
        alarm(10);
        check(admission_signal_wait(attempt->signal, ADMISSION_NONE) == ADMISSION_FORKED);
        check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_NONE);
        int fd;
        check(admission_signal_fd(attempt->signal, &fd) == ADMISSION_FORKED);
        check(admission_attempt_cooldown(attempt, SECOND) == ADMISSION_FORKED);
        if (script->ends_with_thread) {
            check(atexit(tell_of_exit) == 0);
        }
    }
    return 0;
}

static admission_query_t *forking_query(struct bench *bench, struct fork_script *script)
{
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.provider = "upstream";
    options.function = fork_inside;
    options.context = script;
    return query_of(bench, &options);
}

static void expect_exit(pid_t child, int expected)
{
    int status;
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

Test(interrupt, a_child_that_is_forked_in_the_function_is_told_so_when_it_returns)
{
    const struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(1, &provider);
    struct fork_script script = {.child = -1};
    admission_query_t *query = forking_query(&bench, &script);
    struct admission_result result = {.attempts = 77};
    const admission_status_t status =
        admission_query_run(query, bench.client, NULL, NULL, &result);
    if (script.child == 0) {
        _exit(status == ADMISSION_FORKED && result.attempts == 77 ? 0 : 1);
    }
    check_ok(status);
    check(result.outcome == ADMISSION_OUTCOME_VALUE);
    expect_exit(script.child, 0);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, a_child_that_is_forked_in_a_pool_ends_with_the_thread_that_it_has)
{
    const struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(1, &provider);
    struct fork_script script = {.child = -1, .ends_with_thread = true};
    admission_query_t *query = forking_query(&bench, &script);
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench.actor, NULL, NULL));
    check_ok(admission_pool_submit(pool, query, NULL, NULL));
    struct admission_result result;
    check_ok(admission_pool_next(pool, ADMISSION_NONE, &result));
    check(result.outcome == ADMISSION_OUTCOME_VALUE);
    expect_exit(script.child, 42);
    admission_pool_destroy(&pool);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(interrupt, a_child_made_by_fork_is_told_so_and_hangs_nowhere)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    const struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench.actor, NULL, NULL));
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(try_in_child(&bench, query, pool));
    }
    int status;
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check(run(&bench, query).outcome == ADMISSION_OUTCOME_VALUE);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}
