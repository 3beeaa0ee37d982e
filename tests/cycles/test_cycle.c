/* Queries and the cycles of one caller: attempts, admission, results, retries. */
#include <criterion/criterion.h>
#include <string.h>

#include "script.h"

TestSuite(cycle, .timeout = 20);

/* The query. */

Test(cycle, an_unknown_provider_is_refused_when_the_query_is_made_T12)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.provider = "nobody";
    admission_query_t *query = NULL;
    check(admission_query_new(&query, bench.client, &options, NULL) ==
          ADMISSION_UNKNOWN_PROVIDER);
    check(query == NULL);
    bench_end(&bench);
}

Test(cycle, an_option_out_of_range_is_named)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options wrong[10];
    for (size_t i = 0; i < 10; i++) {
        wrong[i] = options_for(&script);
    }
    const char *const names[] = {
        "size",
        "provider",
        "key",
        "function",
        "max_attempts",
        "max_attempts",
        "retry_base_us",
        "retry_max_us",
        "attempt_timeout_us",
        "admission_timeout_us",
    };
    wrong[0].size--;
    wrong[1].provider = "";
    wrong[2].key = "";
    wrong[3].function = NULL;
    wrong[4].max_attempts = 0;
    wrong[5].max_attempts = INT64_C(4294967295);
    wrong[6].retry_base_us = -1;
    wrong[7].retry_max_us = ADMISSION_NONE;
    wrong[8].attempt_timeout_us = -1;
    wrong[9].admission_timeout_us = -1;
    for (size_t i = 0; i < 10; i++) {
        admission_query_t *query = NULL;
        const char *culprit = NULL;
        check(admission_query_new(&query, bench.client, &wrong[i], &culprit) ==
              ADMISSION_INVALID);
        cr_assert_str_eq(culprit, names[i]);
    }
    bench_end(&bench);
}

Test(cycle, options_of_another_size_are_refused_by_that_and_not_looked_into)
{
    struct bench bench = bench_with(1, NULL);
    admission_query_t *query = NULL;
    const char *culprit = NULL;
    check(admission_query_new(&query, bench.client, nothing_but_a_size(), &culprit) ==
          ADMISSION_INVALID);
    cr_assert_str_eq(culprit, "size");
    check(query == NULL);
    bench_end(&bench);
}

Test(cycle, names_are_copied_and_a_query_runs_many_cycles)
{
    struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(1, &provider);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    char name[] = "upstream";
    char key[] = "key";
    options.provider = name;
    options.key = key;
    admission_query_t *query = query_of(&bench, &options);
    memset(name, 'x', sizeof name - 1);
    memset(key, 'x', sizeof key - 1);
    for (uint64_t i = 1; i <= 100; i++) {
        const struct admission_result result = run(&bench, query);
        check(result.outcome == ADMISSION_OUTCOME_VALUE && result.cycle == i);
    }
    check(books(&bench).tickets_granted == 100);
    admission_query_destroy(&query);
    check(query == NULL);
    bench_end(&bench);
}

/* The result. */

Test(cycle, a_value_comes_with_its_times_and_the_wall_clock_of_its_end)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.takes_us = 3 * SECOND;
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    pass(&bench, SECOND);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.value == &bench);
    check(result.user == &bench && result.attempts == 1 && result.error == 0);
    check(result.waited_us == 0 && result.ran_us == 3 * SECOND);
    check(result.received_at_us == BENCH_WALL_US + 4 * SECOND);
    check(result.reason == ADMISSION_REASON_NONE && result.abort == ADMISSION_ABORT_NONE);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(cycle, attempts_are_made_until_one_succeeds_the_last_fails_or_should_retry_says_no)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 3;
    admission_query_t *query = query_of(&bench, &options);

    script.n_failures = 2;
    struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.attempts == 3);
    check(result.error == FAILED && script.n_asked == 2);

    script.n_failures = 3;
    script.n_calls = script.n_asked = 0;
    result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_SOURCE && result.error == FAILED);
    check(result.attempts == 3 && script.n_asked == 2 && result.value == NULL);

    script.says_no = true;
    script.n_calls = script.n_asked = 0;
    result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_SOURCE && result.attempts == 1);
    check(script.n_asked == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* Admission. */

Test(cycle, a_refused_admission_is_the_result_counts_no_attempt_and_asks_nobody_T5_K1)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.max_attempts = ADMISSION_NONE;
    admission_query_t *patient = query_of(&bench, &options);
    options.admission_timeout_us = 0;
    admission_query_t *hasty = query_of(&bench, &options);

    const uint64_t held = hold_slot(&bench, NULL);
    expect_refusal(&bench, hasty, &script, ADMISSION_REASON_TIMEOUT);
    struct admission_limits limits = admission_limits_unchanged();
    limits.queue_capacity = 0;
    check_ok(admission_actor_change_limits(bench.actor, &limits, NULL));
    expect_refusal(&bench, patient, &script, ADMISSION_REASON_OVERFLOW);
    admission_client_leave(bench.client, held);
    check_ok(admission_actor_close(bench.actor, 0));
    expect_refusal(&bench, patient, &script, ADMISSION_REASON_CLOSED);
    admission_query_destroy(&patient);
    admission_query_destroy(&hasty);
    bench_end(&bench);
}

Test(cycle, a_client_without_credit_is_an_overflow)
{
    struct admission_options actor_options;
    admission_options_init(&actor_options);
    actor_options.client_credit = 1;
    struct bench bench = bench_with(1, NULL);
    admission_client_destroy(&bench.client);
    admission_actor_destroy(&bench.actor);
    actor_options.clock = admission_virtual_clock_face(bench.clock);
    check_ok(admission_actor_new(&bench.actor, &actor_options, NULL));
    check_ok(admission_client_new(&bench.client, bench.actor));
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    const uint64_t held = hold_slot(&bench, NULL);
    expect_refusal(&bench, query, &script, ADMISSION_REASON_OVERFLOW);
    admission_client_leave(bench.client, held);
    admission_query_destroy(&query);
    bench_end(&bench);
}

static void fill_the_slot(struct script *script, struct admission_attempt *attempt)
{
    (void)attempt; /* whoever waits now is admitted before the retry */
    struct admission_ticket ticket = admission_ticket_default();
    check_ok(admission_client_request_ticket(script->bench->client, &ticket, NULL));
}

Test(cycle, a_retry_that_admission_refuses_ends_the_cycle_and_is_no_attempt)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = MOST_ATTEMPTS;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = ADMISSION_NONE;
    options.admission_timeout_us = 0;
    script.also = fill_the_slot;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ADMISSION);
    check(result.reason == ADMISSION_REASON_TIMEOUT);
    check(result.attempts == 1 && script.n_asked == 1 && result.error == FAILED);
    struct admission_event event;
    check_ok(admission_client_next(bench.client, 0, &event));
    admission_client_leave(bench.client, event.id);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(cycle, the_wait_in_admission_is_told_and_does_not_count_as_running_T11)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.takes_us = 2 * SECOND;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 3 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const uint64_t held = hold_slot(&bench, NULL);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_queued(&bench, 1);
    pass(&bench, 100 * SECOND);
    check(script.n_calls == 0);
    admission_client_leave(bench.client, held);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_VALUE);
    check(runner.result.abort == ADMISSION_ABORT_NONE);
    check(runner.result.waited_us == 100 * SECOND && runner.result.ran_us == 2 * SECOND);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* Retries. */

Test(cycle, a_retry_waits_for_the_cooldown_that_its_own_attempt_caused_T8)
{
    struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(1, &provider);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    script.cooldown_us = 10 * SECOND;
    struct admission_query_options options = options_for(&script);
    options.provider = "upstream";
    options.max_attempts = 2;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    pass(&bench, 10 * SECOND - 1);
    check(script.n_calls == 1 && books(&bench).queued == 1);
    pass(&bench, 1);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_VALUE && runner.result.attempts == 2);
    check(runner.result.waited_us == 10 * SECOND);
    check(script.called_at[2] == 10 * SECOND);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(cycle, retries_come_after_the_delay_and_hold_no_slot_meanwhile)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 3;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 4;
    options.retry_delay = NULL;
    options.retry_base_us = SECOND;
    options.retry_max_us = 3 * SECOND;
    options.jitter_seed = 42;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    pass(&bench, 0);
    check(books(&bench).running == 0);
    pass(&bench, 100 * SECOND);
    join_thread(runner.thread);
    check(runner.result.attempts == 4);
    const int64_t whole[] = {0, SECOND, 2 * SECOND, 3 * SECOND};
    for (int i = 1; i <= 3; i++) {
        const int64_t delay = script.called_at[i + 1] - script.called_at[i];
        check(delay >= whole[i] / 2 && delay <= whole[i]);
    }
    admission_query_destroy(&query);
    bench_end(&bench);
}

static void jump_back_a_year(struct script *script, struct admission_attempt *attempt)
{
    (void)attempt;
    admission_virtual_clock_set_wall(script->bench->clock, BENCH_WALL_US - 31536000 * SECOND);
}

Test(cycle, a_wall_clock_that_jumps_stamps_the_result_and_decides_nothing_Z3)
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.n_failures = 1;
    script.also = jump_back_a_year;
    struct admission_query_options options = options_for(&script);
    options.max_attempts = 2;
    options.retry_delay = NULL;
    options.retry_base_us = options.retry_max_us = 8 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    struct runner runner;
    start_runner(&runner, &bench, query);
    wait_for_semaphore(&script.asked);
    pass(&bench, 8 * SECOND);
    join_thread(runner.thread);
    check(runner.result.outcome == ADMISSION_OUTCOME_VALUE && runner.result.attempts == 2);
    check(script.called_at[2] >= 4 * SECOND && script.called_at[2] <= 8 * SECOND);
    check(runner.result.received_at_us == BENCH_WALL_US - 31536000 * SECOND);
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* Credit, as little as admission/options.h says is needed. */

static struct bench bench_with_credit(int64_t credit)
{
    struct bench bench = {.clock = admission_virtual_clock_new(BENCH_WALL_US)};
    struct admission_options options;
    admission_options_init(&options);
    options.client_credit = credit;
    options.clock = admission_virtual_clock_face(bench.clock);
    check_ok(admission_actor_new(&bench.actor, &options, NULL));
    check_ok(admission_client_new(&bench.client, bench.actor));
    return bench;
}

/* Has its timeout pass, and never asks whether it has. */
static int fail_late(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    pass_inside(context, SECOND);
    return FAILED;
}

static int64_t no_delay(uint64_t attempt, int error, void *context)
{
    (void)attempt;
    (void)error;
    (void)context;
    return 0;
}

Test(cycle, a_client_with_credit_for_three_runs_a_cycle_of_any_number_of_attempts)
{
    struct bench bench = bench_with_credit(3);
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = fail_late;
    options.context = &bench;
    options.retry_delay = no_delay;
    options.attempt_timeout_us = SECOND;
    options.max_attempts = 1000;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ABORTED && result.attempts == 1000);
    check(result.abort == ADMISSION_ABORT_TIMEOUT && result.error == FAILED);
    admission_query_destroy(&query);
    bench_end(&bench);
}
