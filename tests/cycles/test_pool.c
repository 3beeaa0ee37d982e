/* Pools: cycles on threads of the library, driven by one thread that reads results. */
#include <criterion/criterion.h>

#include "script.h"

TestSuite(pool, .timeout = 30);

static admission_pool_t *pool_of(struct bench *bench)
{
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench->actor, NULL, NULL));
    return pool;
}

static uint64_t submit(admission_pool_t *pool, admission_query_t *query, void *user)
{
    uint64_t cycle = 0;
    check_ok(admission_pool_submit(pool, query, user, &cycle));
    return cycle;
}

/* The next result, which is there. */
static struct admission_result take(admission_pool_t *pool)
{
    struct admission_result result;
    check_ok(admission_pool_next(pool, 0, &result));
    return result;
}

static void expect_nothing(admission_pool_t *pool)
{
    struct admission_result result;
    check(admission_pool_next(pool, 0, &result) == ADMISSION_EMPTY);
}

static struct admission_pool_stats pool_books(admission_pool_t *pool)
{
    struct admission_pool_stats stats;
    admission_pool_stats(pool, &stats);
    return stats;
}

/* Takes 3 s of the clock, unless it is told to stop. */
static int take_three_seconds(struct admission_attempt *attempt, void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
    attempt->value = attempt->user;
    return admission_signal_wait(attempt->signal, 3 * SECOND) == ADMISSION_EMPTY ? 0 : FAILED;
}

static struct admission_query_options three_seconds(atomic_uint *n_calls)
{
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = take_three_seconds;
    options.context = n_calls;
    return options;
}

/* Admission. */

Test(pool, all_cycles_are_admitted_at_once_and_run_as_the_limits_let_them_T1)
{
    struct bench bench = bench_with(10, NULL);
    admission_pool_t *pool = pool_of(&bench);
    atomic_uint n_calls = 0;
    const struct admission_query_options options = three_seconds(&n_calls);
    admission_query_t *query = query_of(&bench, &options);
    static int users[100];
    for (int i = 0; i < 100; i++) {
        submit(pool, query, &users[i]);
    }
    pass(&bench, 0);
    check(n_calls == 10 && books(&bench).running == 10 && books(&bench).queued == 90);
    check(pool_books(pool).open == 100 && pool_books(pool).workers == 10);
    expect_nothing(pool);
    pass(&bench, 30 * SECOND);
    int64_t waited_us = 0;
    for (int i = 0; i < 100; i++) {
        const struct admission_result result = take(pool);
        check(result.outcome == ADMISSION_OUTCOME_VALUE && result.value == result.user);
        check(result.attempts == 1 && result.ran_us == 3 * SECOND);
        check(result.received_at_us == BENCH_WALL_US + (i / 10 + 1) * 3 * SECOND);
        waited_us += result.waited_us;
    }
    check(waited_us == 10 * 3 * SECOND * (9 * 10 / 2));
    expect_nothing(pool);
    const struct admission_pool_stats stats = pool_books(pool);
    check(stats.open == 0 && stats.finished == 0 && stats.submitted == 100);
    check(stats.workers == 10 && stats.free == 10 && stats.waiting == 0 && stats.waited == 0);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, a_cycle_that_is_blocked_never_blocks_another_T3)
{
    struct admission_provider closed = admission_provider_default("closed");
    closed.max_concurrent = 0;
    struct bench bench = bench_with(ADMISSION_NONE, &closed);
    admission_pool_t *pool = pool_of(&bench);
    atomic_uint n_calls = 0;
    struct admission_query_options options = three_seconds(&n_calls);
    admission_query_t *open = query_of(&bench, &options);
    options.provider = "closed";
    admission_query_t *blocked = query_of(&bench, &options);
    for (int i = 0; i < 50; i++) {
        submit(pool, blocked, NULL);
    }
    submit(pool, open, &bench);
    pass(&bench, 3 * SECOND);
    check(take(pool).value == &bench);
    expect_nothing(pool);
    admission_query_destroy(&blocked); /* disposed of: each ends with a result */
    pass(&bench, 0);
    for (int i = 0; i < 50; i++) {
        const struct admission_result result = take(pool);
        check(result.outcome == ADMISSION_OUTCOME_ABORTED && result.attempts == 0);
        check(result.abort == ADMISSION_ABORT_DISPOSED);
    }
    admission_query_destroy(&open);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, two_cycles_of_a_key_never_run_together_and_the_later_waits_under_its_timeout_T1)
{
    struct bench bench = bench_with(ADMISSION_NONE, NULL);
    admission_pool_t *pool = pool_of(&bench);
    atomic_uint n_calls = 0;
    struct admission_query_options options = three_seconds(&n_calls);
    options.key = "key";
    options.admission_timeout_us = 4 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    for (int i = 0; i < 3; i++) {
        submit(pool, query, NULL);
    }
    pass(&bench, 3 * SECOND - 1);
    check(n_calls == 1);
    pass(&bench, 3 * SECOND);
    check(n_calls == 2);
    pass(&bench, SECOND);
    unsigned n_values = 0;
    for (int i = 0; i < 3; i++) {
        const struct admission_result result = take(pool);
        n_values += result.outcome == ADMISSION_OUTCOME_VALUE;
        if (result.outcome != ADMISSION_OUTCOME_VALUE) {
            check(result.outcome == ADMISSION_OUTCOME_ADMISSION);
            check(result.reason == ADMISSION_REASON_TIMEOUT && result.attempts == 0);
            check(result.received_at_us == BENCH_WALL_US + 4 * SECOND);
        }
    }
    check(n_values == 2);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, retries_wait_for_delay_and_cooldown_without_a_thread_T8)
{
    struct admission_provider provider = admission_provider_default("upstream");
    struct bench bench = bench_with(ADMISSION_NONE, &provider);
    admission_pool_t *pool = pool_of(&bench);
    struct script script = script_for(&bench);
    script.n_failures = 2;
    script.cooldown_us = 10 * SECOND;
    struct admission_query_options options = options_for(&script);
    options.provider = "upstream";
    options.max_attempts = 3;
    options.retry_delay = NULL;
    options.retry_base_us = options.retry_max_us = 8 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    submit(pool, query, NULL);
    pass(&bench, 0);
    check(script.n_calls == 1 && pool_books(pool).free == 1);
    pass(&bench, 10 * SECOND - 1);
    check(script.n_calls == 1);
    pass(&bench, 1);
    check(script.n_calls == 2);
    pass(&bench, 8 * SECOND);
    check(script.n_calls == 3);
    const struct admission_result result = take(pool);
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.attempts == 3);
    const int64_t second_delay = script.called_at[3] - script.called_at[2];
    check(script.called_at[2] == 10 * SECOND);
    check(second_delay >= 4 * SECOND && second_delay <= 8 * SECOND);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, a_refused_admission_counts_no_attempt_and_asks_nobody_T5)
{
    struct bench bench = bench_with(1, NULL);
    admission_pool_t *pool = pool_of(&bench);
    struct script script = script_for(&bench);
    struct admission_query_options options = options_for(&script);
    options.max_attempts = ADMISSION_NONE;
    options.admission_timeout_us = 0;
    admission_query_t *query = query_of(&bench, &options);
    const uint64_t held = hold_slot(&bench, NULL);
    submit(pool, query, NULL);
    pass(&bench, 0);
    const struct admission_result result = take(pool);
    check(result.outcome == ADMISSION_OUTCOME_ADMISSION && result.attempts == 0);
    check(result.reason == ADMISSION_REASON_TIMEOUT);
    check(script.n_calls == 0 && script.n_asked == 0);
    admission_client_leave(bench.client, held);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

/* The signal. */

Test(pool, a_timeout_is_raised_at_its_own_instant_and_the_descriptor_tells_T11)
{
    struct bench bench = bench_with(1, NULL);
    admission_pool_t *pool = pool_of(&bench);
    atomic_uint n_calls = 0;
    struct admission_query_options options = three_seconds(&n_calls);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    submit(pool, query, NULL);
    submit(pool, query, NULL);
    pass(&bench, 60 * SECOND);
    for (int i = 1; i <= 2; i++) {
        const struct admission_result result = take(pool);
        check(result.outcome == ADMISSION_OUTCOME_ABORTED);
        check(result.abort == ADMISSION_ABORT_TIMEOUT && result.error == FAILED);
        check(result.ran_us == 2 * SECOND);
        check(result.received_at_us == BENCH_WALL_US + i * 2 * SECOND);
    }
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

static void look_at_the_descriptor(struct script *script, struct admission_attempt *attempt)
{
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    check(poll(&polled, 1, 0) == 0);
    pass_inside(script->bench, 2 * SECOND);
    check(poll(&polled, 1, 0) == 1 && poll(&polled, 1, 0) == 1);
    const struct admission_stats stats = books(script->bench);
    check(stats.running == 1 && stats.longest_held.held_us == 2 * SECOND);
    cr_assert_str_eq(stats.longest_held.key, "key");
}

Test(pool, a_function_that_ignores_its_abort_keeps_the_slot_and_shows_as_longest_held_T13)
{
    struct bench bench = bench_with(ADMISSION_NONE, NULL);
    admission_pool_t *pool = pool_of(&bench);
    struct script script = script_for(&bench);
    script.also = look_at_the_descriptor;
    script.n_failures = 1;
    struct admission_query_options options = options_for(&script);
    options.key = "key";
    options.max_attempts = 2; /* the second with a signal and a descriptor that are new */
    options.attempt_timeout_us = SECOND;
    admission_query_t *query = query_of(&bench, &options);
    submit(pool, query, NULL);
    struct admission_result result;
    check_ok(admission_pool_next(pool, ADMISSION_NONE, &result));
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.attempts == 2);
    check(result.abort == ADMISSION_ABORT_TIMEOUT);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

/* Workers. */

static void expect_culprit(struct bench *bench, const struct admission_pool_options *options,
                           const char *name)
{
    admission_pool_t *pool = NULL;
    const char *culprit = NULL;
    check(admission_pool_new(&pool, bench->actor, options, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, name);
    check(pool == NULL);
}

Test(pool, fewer_workers_than_the_limits_let_run_at_once_are_refused)
{
    struct bench bench = bench_with(4, NULL);
    struct admission_pool_options options;
    admission_pool_options_init(&options);
    options.max_workers = 3;
    expect_culprit(&bench, &options, "max_workers");
    options.max_workers = 0;
    expect_culprit(&bench, &options, "max_workers");
    options.max_workers = 4;
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench.actor, &options, NULL));
    admission_pool_destroy(&pool);

    struct admission_limits limits = admission_limits_unchanged();
    limits.max_concurrent = ADMISSION_NONE;
    check_ok(admission_actor_change_limits(bench.actor, &limits, NULL));
    options.max_workers = INT64_C(4294967294);
    expect_culprit(&bench, &options, "max_workers");
    options.max_workers = ADMISSION_NONE;
    options.max_cycles = 0;
    expect_culprit(&bench, &options, "max_cycles");
    options.size--;
    expect_culprit(&bench, &options, "size");
    bench_end(&bench);
}

Test(pool, options_of_another_size_are_refused_by_that_and_not_looked_into)
{
    struct bench bench = bench_with(4, NULL);
    expect_culprit(&bench, nothing_but_a_size(), "size");
    bench_end(&bench);
}

Test(pool, a_grant_that_waits_for_a_worker_shows_in_the_books)
{
    struct bench bench = bench_with(1, NULL);
    struct admission_pool_options pool_options;
    admission_pool_options_init(&pool_options);
    pool_options.max_workers = 1;
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench.actor, &pool_options, NULL));
    atomic_uint n_calls = 0;
    const struct admission_query_options options = three_seconds(&n_calls);
    admission_query_t *query = query_of(&bench, &options);
    struct admission_limits limits = admission_limits_unchanged();
    limits.max_concurrent = 3;
    check_ok(admission_actor_change_limits(bench.actor, &limits, NULL));
    for (int i = 0; i < 3; i++) {
        submit(pool, query, NULL);
    }
    pass(&bench, 0);
    struct admission_pool_stats stats = pool_books(pool);
    check(stats.waiting == 2 && stats.waited == 2 && stats.workers == 1 && stats.free == 0);
    check(n_calls == 1 && books(&bench).running == 3);
    pass(&bench, 3 * SECOND);
    check(pool_books(pool).waiting == 1 && n_calls == 2);
    pass(&bench, 6 * SECOND);
    stats = pool_books(pool);
    check(stats.waiting == 0 && stats.waited == 2 && stats.finished == 3 && stats.free == 1);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

/* Reading. */

Test(pool, the_descriptor_is_readable_as_long_as_a_result_is_there)
{
    struct bench bench = bench_with(ADMISSION_NONE, NULL);
    admission_pool_t *pool = pool_of(&bench);
    atomic_uint n_calls = 0;
    const struct admission_query_options options = three_seconds(&n_calls);
    admission_query_t *query = query_of(&bench, &options);
    struct pollfd polled = {.fd = admission_pool_fd(pool), .events = POLLIN};
    check(poll(&polled, 1, 0) == 0);
    submit(pool, query, NULL);
    submit(pool, query, NULL);
    pass(&bench, 3 * SECOND);
    for (int i = 0; i < 2; i++) {
        check(poll(&polled, 1, 0) == 1 && poll(&polled, 1, 0) == 1);
        (void)take(pool);
    }
    check(poll(&polled, 1, 0) == 0);
    struct admission_result result;
    check(admission_pool_next(pool, -1, &result) == ADMISSION_INVALID);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, more_cycles_than_may_be_are_busy_until_a_result_is_read)
{
    struct bench bench = bench_with(ADMISSION_NONE, NULL);
    struct admission_pool_options pool_options;
    admission_pool_options_init(&pool_options);
    pool_options.max_cycles = 2;
    admission_pool_t *pool = NULL;
    check_ok(admission_pool_new(&pool, bench.actor, &pool_options, NULL));
    atomic_uint n_calls = 0;
    const struct admission_query_options options = three_seconds(&n_calls);
    admission_query_t *query = query_of(&bench, &options);
    submit(pool, query, NULL);
    submit(pool, query, NULL);
    check(admission_pool_submit(pool, query, NULL, NULL) == ADMISSION_BUSY);
    pass(&bench, 3 * SECOND);
    check(admission_pool_submit(pool, query, NULL, NULL) == ADMISSION_BUSY);
    (void)take(pool);
    submit(pool, query, NULL);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&bench);
}

Test(pool, a_query_of_another_actor_is_refused)
{
    struct bench bench = bench_with(1, NULL);
    struct bench other = bench_with(1, NULL);
    admission_pool_t *pool = pool_of(&other);
    struct script script = script_for(&bench);
    const struct admission_query_options options = options_for(&script);
    admission_query_t *query = query_of(&bench, &options);
    check(admission_pool_submit(pool, query, NULL, NULL) == ADMISSION_INVALID);
    admission_query_destroy(&query);
    admission_pool_destroy(&pool);
    bench_end(&other);
    bench_end(&bench);
}
