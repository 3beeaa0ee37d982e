/* Pools: the ways in which a cycle, a pool or an actor ends early. */
#include <criterion/criterion.h>

#include <sched.h>
#include <stdatomic.h>

#include "script.h"

TestSuite(pool_ends, .timeout = 30);

enum {
    MANY = 100
};

/* Waits until it is told to stop, however long that takes. */
static int wait_for_ever(struct admission_attempt *attempt, void *context)
{
    (void)context;
    check_ok(admission_signal_wait(attempt->signal, ADMISSION_NONE));
    return FAILED;
}

struct stage {
    struct bench bench;
    admission_pool_t *pool;
    admission_query_t *query;
};

static struct stage set_stage(int64_t max_concurrent, admission_function_t *function)
{
    struct stage stage = {.bench = bench_with(max_concurrent, NULL)};
    check_ok(admission_pool_new(&stage.pool, stage.bench.actor, NULL, NULL));
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = function;
    options.max_attempts = 2;
    options.retry_base_us = options.retry_max_us = 1000 * SECOND;
    stage.query = query_of(&stage.bench, &options);
    return stage;
}

static uint64_t submit(struct stage *stage)
{
    uint64_t cycle = 0;
    check_ok(admission_pool_submit(stage->pool, stage->query, NULL, &cycle));
    return cycle;
}

static void submit_many(struct stage *stage, int n)
{
    for (int i = 0; i < n; i++) {
        submit(stage);
    }
    pass(&stage->bench, 0);
}

/* Reads `n` results, all ABORTED for this reason; returns how many attempts were made. */
static uint64_t expect_aborted(struct stage *stage, int n, admission_abort_t why)
{
    uint64_t n_attempts = 0;
    pass(&stage->bench, 0);
    for (int i = 0; i < n; i++) {
        struct admission_result result;
        check_ok(admission_pool_next(stage->pool, 0, &result));
        check(result.outcome == ADMISSION_OUTCOME_ABORTED && result.abort == why);
        n_attempts += result.attempts;
    }
    struct admission_result result;
    check(admission_pool_next(stage->pool, 0, &result) == ADMISSION_EMPTY);
    return n_attempts;
}

static void clear_stage(struct stage *stage)
{
    admission_query_destroy(&stage->query);
    admission_pool_destroy(&stage->pool);
    bench_end(&stage->bench);
}

Test(pool_ends, close_during_100_running_cycles_aborts_each_and_drains_K1_K2)
{
    struct stage stage = set_stage(MANY, wait_for_ever);
    submit_many(&stage, MANY);
    check(books(&stage.bench).running == MANY);
    check_ok(admission_actor_close(stage.bench.actor, ADMISSION_NONE));
    check(expect_aborted(&stage, MANY, ADMISSION_ABORT_CLOSED) == MANY);
    check(books(&stage.bench).tickets_aborted[ADMISSION_REASON_CLOSED] == MANY);
    clear_stage(&stage);
}

Test(pool_ends, pause_aborts_what_runs_takes_out_what_is_queued_and_holds_what_comes)
{
    struct stage stage = set_stage(10, wait_for_ever);
    submit_many(&stage, MANY);
    admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD);
    check(expect_aborted(&stage, MANY, ADMISSION_ABORT_PAUSED) == 10);
    submit_many(&stage, MANY);
    pass(&stage.bench, 100 * SECOND);
    check(books(&stage.bench).running == 0 && books(&stage.bench).queued == 0);
    admission_query_resume(stage.query);
    pass(&stage.bench, 0);
    check(books(&stage.bench).running == 10 && books(&stage.bench).queued == MANY - 10);
    admission_query_dispose(stage.query);
    check(expect_aborted(&stage, MANY, ADMISSION_ABORT_DISPOSED) == 10);
    submit_many(&stage, 1);
    check(expect_aborted(&stage, 1, ADMISSION_ABORT_DISPOSED) == 0);
    clear_stage(&stage);
}

/* However far the pool has got with them: whatever was submitted before the pause is there. */
Test(pool_ends, a_pause_that_holds_ends_what_was_submitted_and_not_yet_asked_for)
{
    struct stage stage = set_stage(10, wait_for_ever);
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j < 10; j++) {
            submit(&stage);
        }
        admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD);
        expect_aborted(&stage, 10, ADMISSION_ABORT_PAUSED);
        admission_query_resume(stage.query);
    }
    clear_stage(&stage);
}

Test(pool_ends, a_cycle_that_a_resume_has_let_go_is_ended_by_the_next_pause)
{
    struct stage stage = set_stage(10, wait_for_ever);
    for (int i = 0; i < MANY; i++) {
        admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD);
        submit(&stage);
        admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD); /* it is held, and stays so */
        check(expect_aborted(&stage, 0, ADMISSION_ABORT_NONE) == 0);
        admission_query_resume(stage.query);
        admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD);
        expect_aborted(&stage, 1, ADMISSION_ABORT_PAUSED);
        admission_query_resume(stage.query);
    }
    clear_stage(&stage);
}

Test(pool_ends, a_pause_that_refuses_ends_those_that_were_held_too)
{
    struct stage stage = set_stage(10, wait_for_ever);
    admission_query_pause(stage.query, ADMISSION_PAUSE_HOLD);
    submit_many(&stage, 3);
    admission_query_pause(stage.query, ADMISSION_PAUSE_REFUSE);
    check(expect_aborted(&stage, 3, ADMISSION_ABORT_PAUSED) == 0);
    submit_many(&stage, 1);
    check(expect_aborted(&stage, 1, ADMISSION_ABORT_PAUSED) == 0);
    clear_stage(&stage);
}

Test(pool_ends, unsubscribing_ends_a_cycle_that_runs_waits_or_rests)
{
    struct stage stage = set_stage(1, wait_for_ever);
    const uint64_t running = submit(&stage);
    const uint64_t queued = submit(&stage);
    pass(&stage.bench, 0);
    admission_query_unsubscribe(stage.query, queued);
    check(expect_aborted(&stage, 1, ADMISSION_ABORT_UNSUBSCRIBED) == 0);
    check(books(&stage.bench).running == 1);
    admission_query_unsubscribe(stage.query, running);
    check(expect_aborted(&stage, 1, ADMISSION_ABORT_UNSUBSCRIBED) == 1);
    admission_query_unsubscribe(stage.query, running); /* it has ended */
    clear_stage(&stage);
}

static int fail(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    (void)context;
    return FAILED;
}

Test(pool_ends, unsubscribing_ends_a_rest)
{
    struct stage stage = set_stage(1, fail);
    const uint64_t resting = submit(&stage);
    pass(&stage.bench, SECOND);
    check(expect_aborted(&stage, 0, ADMISSION_ABORT_NONE) == 0);
    admission_query_unsubscribe(stage.query, resting);
    check(expect_aborted(&stage, 1, ADMISSION_ABORT_UNSUBSCRIBED) == 1);
    clear_stage(&stage);
}

Test(pool_ends, destroying_a_pool_ends_what_runs_waits_rests_or_is_held_and_frees_every_slot)
{
    struct stage stage = set_stage(10, wait_for_ever);
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = fail;
    options.max_attempts = ADMISSION_NONE;
    options.retry_base_us = options.retry_max_us = 1000 * SECOND;
    admission_query_t *resting = query_of(&stage.bench, &options);
    admission_query_t *held = query_of(&stage.bench, &options);
    admission_query_pause(held, ADMISSION_PAUSE_HOLD);
    check_ok(admission_pool_submit(stage.pool, resting, NULL, NULL));
    check_ok(admission_pool_submit(stage.pool, held, NULL, NULL));
    pass(&stage.bench, 0);
    submit_many(&stage, MANY);
    check(books(&stage.bench).running == 10);
    admission_pool_destroy(&stage.pool);
    check(stage.pool == NULL);
    pass(&stage.bench, 0);
    const struct admission_stats stats = books(&stage.bench);
    check(stats.running == 0 && stats.queued == 0 && stats.clients == 1);
    admission_query_destroy(&resting);
    admission_query_destroy(&held);
    clear_stage(&stage);
}

Test(pool_ends, a_pool_that_is_destroyed_at_once_is_gone)
{
    struct stage stage = set_stage(10, wait_for_ever);
    for (int i = 0; i < MANY; i++) {
        submit(&stage); /* nobody has looked at them yet */
    }
    clear_stage(&stage);
}

Test(pool_ends, the_end_of_the_actor_ends_every_cycle_with_a_result)
{
    struct stage stage = set_stage(10, wait_for_ever);
    submit_many(&stage, MANY);
    admission_actor_destroy(&stage.bench.actor);
    submit_many(&stage, 1);
    unsigned n_aborted = 0;
    for (int i = 0; i < MANY + 1; i++) {
        struct admission_result result;
        check_ok(admission_pool_next(stage.pool, 0, &result));
        if (result.outcome == ADMISSION_OUTCOME_ABORTED) {
            check(result.abort == ADMISSION_ABORT_CLOSED);
            n_aborted++;
        } else {
            check(result.outcome == ADMISSION_OUTCOME_ADMISSION);
            check(result.reason == ADMISSION_REASON_CLOSED && result.attempts == 0);
        }
    }
    check(n_aborted == 10);
    admission_query_destroy(&stage.query);
    admission_pool_destroy(&stage.pool);
    admission_client_destroy(&stage.bench.client);
    admission_virtual_clock_destroy(&stage.bench.clock);
}

/* Cycles that rest, and as many that a pause holds, end at once when `end` ends the actor. */
static void end_under_idle_cycles(void (*end)(struct stage *stage))
{
    struct stage stage = set_stage(10, fail);
    admission_query_t *held = NULL;
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = fail;
    held = query_of(&stage.bench, &options);
    admission_query_pause(held, ADMISSION_PAUSE_HOLD);
    submit_many(&stage, MANY);
    for (int i = 0; i < MANY; i++) {
        check_ok(admission_pool_submit(stage.pool, held, NULL, NULL));
    }
    pass(&stage.bench, SECOND);
    expect_aborted(&stage, 0, ADMISSION_ABORT_NONE);
    end(&stage);
    check_ok(admission_pool_submit(stage.pool, held, NULL, NULL));
    pass(&stage.bench, 0);
    uint64_t n_attempts = 0;
    for (int i = 0; i < 2 * MANY + 1; i++) {
        struct admission_result result;
        check_ok(admission_pool_next(stage.pool, 0, &result));
        check(result.outcome == ADMISSION_OUTCOME_ADMISSION);
        check(result.reason == ADMISSION_REASON_CLOSED);
        n_attempts += result.attempts;
    }
    check(n_attempts == MANY && elapsed(&stage.bench) == SECOND);
    admission_query_destroy(&held);
    admission_query_destroy(&stage.query);
    admission_pool_destroy(&stage.pool);
    admission_client_destroy(&stage.bench.client);
    admission_actor_destroy(&stage.bench.actor);
    admission_virtual_clock_destroy(&stage.bench.clock);
}

static void close_it(struct stage *stage)
{
    check_ok(admission_actor_close(stage->bench.actor, ADMISSION_NONE));
}

Test(pool_ends, close_ends_what_rests_and_what_a_pause_holds_K1)
{
    end_under_idle_cycles(close_it);
}

static void destroy_it(struct stage *stage)
{
    admission_actor_destroy(&stage->bench.actor);
}

Test(pool_ends, the_end_of_the_actor_ends_what_rests_and_what_a_pause_holds)
{
    end_under_idle_cycles(destroy_it);
}

/* Pauses and resumes as fast as it can, so that some of it falls inside every submit. */
struct meddler {
    admission_query_t *query;
    atomic_bool is_over;
};

static void *meddle(void *arg)
{
    struct meddler *meddler = arg;
    while (!atomic_load(&meddler->is_over)) {
        admission_query_pause(meddler->query, ADMISSION_PAUSE_REFUSE);
        admission_query_resume(meddler->query);
        sched_yield();
    }
    return NULL;
}

static int fail_at_once(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    (void)context;
    return FAILED;
}

/* By the system's clock: a virtual one would wait until the meddlers are quiet. */
Test(pool_ends, a_cycle_submitted_while_others_pause_and_resume_has_one_result)
{
    enum {
        ROUNDS = 20000
    };
    admission_actor_t *actor;
    admission_client_t *client;
    admission_pool_t *pool;
    check_ok(admission_actor_new(&actor, NULL, NULL));
    check_ok(admission_client_new(&client, actor));
    check_ok(admission_pool_new(&pool, actor, NULL, NULL));
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = fail_at_once;
    struct meddler meddler = {.query = NULL};
    check_ok(admission_query_new(&meddler.query, client, &options, NULL));
    const pthread_t threads[] = {start_thread(meddle, &meddler),
                                 start_thread(meddle, &meddler)};

    struct admission_result result;
    int n_results = 0;
    for (int i = 0; i < ROUNDS; i++) {
        check_ok(admission_pool_submit(pool, meddler.query, NULL, NULL));
        while (admission_pool_next(pool, 0, &result) == ADMISSION_OK) {
            n_results++;
        }
    }
    atomic_store(&meddler.is_over, true);
    join_thread(threads[0]);
    join_thread(threads[1]);
    while (n_results < ROUNDS) {
        check_ok(admission_pool_next(pool, ADMISSION_S(20), &result));
        n_results++;
    }
    check(admission_pool_next(pool, 0, &result) == ADMISSION_EMPTY);

    admission_query_destroy(&meddler.query);
    admission_pool_destroy(&pool);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
}
