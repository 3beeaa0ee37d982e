/* The clock as a seam: a real actor and real threads, by a clock that the test moves. */
#include <criterion/criterion.h>
#include <czmq.h>

#include "admission/zactor.h"
#include "script.h"

TestSuite(clock, .timeout = 20);

static struct admission_event next(admission_client_t *client)
{
    struct admission_event event = {0};
    check_ok(admission_client_next(client, 0, &event));
    return event;
}

static void expect_nothing(admission_client_t *client)
{
    struct admission_event event;
    check(admission_client_next(client, 0, &event) == ADMISSION_EMPTY);
}

static uint64_t request(admission_client_t *client, int64_t timeout_us,
                        int64_t attempt_timeout_us)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.timeout_us = timeout_us;
    ticket.attempt_timeout_us = attempt_timeout_us;
    uint64_t id = 0;
    check_ok(admission_client_request_ticket(client, &ticket, &id));
    return id;
}

Test(clock, nothing_times_out_until_the_clock_says_so_and_then_at_its_own_instant_I2)
{
    struct bench bench = bench_with(1, NULL);
    const uint64_t held = request(bench.client, ADMISSION_NONE, 3 * SECOND);
    request(bench.client, 5 * SECOND, 0);
    pass(&bench, 0);
    check(next(bench.client).type == ADMISSION_EVENT_GRANTED);
    pass(&bench, 3 * SECOND - 1);
    expect_nothing(bench.client);

    pass(&bench, SECOND * 3600);
    const struct admission_event abort = next(bench.client);
    check(abort.type == ADMISSION_EVENT_ABORT && abort.reason == ADMISSION_REASON_TIMEOUT);
    check(abort.ran_us == 3 * SECOND);
    check(abort.stamped_at_us == BENCH_WALL_US + 3 * SECOND);
    const struct admission_event refused = next(bench.client);
    check(refused.type == ADMISSION_EVENT_REFUSED && refused.waited_us == 5 * SECOND);
    check(refused.stamped_at_us == BENCH_WALL_US + 5 * SECOND);
    admission_client_leave(bench.client, held);
    bench_end(&bench);
}

Test(clock, starts_that_are_paced_happen_one_by_one_on_the_way_T7)
{
    struct admission_provider paced = admission_provider_default("paced");
    paced.min_interval_us = SECOND;
    struct bench bench = bench_with(ADMISSION_NONE, &paced);
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = "paced";
    for (int i = 0; i < 100; i++) {
        check_ok(admission_client_request_ticket(bench.client, &ticket, NULL));
    }
    pass(&bench, 200 * SECOND);
    for (int i = 0; i < 100; i++) {
        const struct admission_event event = next(bench.client);
        check(event.type == ADMISSION_EVENT_GRANTED && event.waited_us == i * SECOND);
        check(event.stamped_at_us == BENCH_WALL_US + i * SECOND);
        admission_client_leave(bench.client, event.id);
    }
    bench_end(&bench);
}

Test(clock, a_wall_clock_may_be_set_to_any_number_and_does_not_wrap_Z1)
{
    admission_virtual_clock_t *clock = admission_virtual_clock_new(INT64_MAX);
    const struct admission_clock *face = admission_virtual_clock_face(clock);
    admission_virtual_clock_advance(clock, SECOND);
    check(face->now(face->context) == INT64_MAX);
    admission_virtual_clock_set_wall(clock, INT64_MIN);
    check(face->now(face->context) == INT64_MIN);
    admission_virtual_clock_advance(clock, SECOND);
    check(face->now(face->context) == INT64_MIN + SECOND);
    admission_virtual_clock_set_wall(clock, -SECOND);
    admission_virtual_clock_advance(clock, 2 * SECOND);
    check(face->now(face->context) == SECOND);
    admission_virtual_clock_destroy(&clock);
}

Test(clock, a_wall_clock_that_jumps_stamps_but_decides_nothing_Z3)
{
    struct admission_provider cooled = admission_provider_default("cooled");
    struct bench bench = bench_with(1, &cooled);
    check_ok(admission_actor_cooldown(bench.actor, "cooled", 10 * SECOND));
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = "cooled";
    check_ok(admission_client_request_ticket(bench.client, &ticket, NULL));
    admission_virtual_clock_set_wall(bench.clock, BENCH_WALL_US + 86400 * SECOND);
    pass(&bench, 0);
    expect_nothing(bench.client);
    admission_virtual_clock_set_wall(bench.clock, 1000);
    pass(&bench, 10 * SECOND - 1);
    expect_nothing(bench.client);
    pass(&bench, 1);
    const struct admission_event event = next(bench.client);
    check(event.type == ADMISSION_EVENT_GRANTED && event.waited_us == 10 * SECOND);
    check(event.stamped_at_us == 1000 + 10 * SECOND);
    admission_client_leave(bench.client, event.id);
    bench_end(&bench);
}

struct reader {
    struct bench *bench;
    sem_t ready;
    admission_status_t status;
    int64_t waited_until;
};

static void *wait_an_hour(void *arg)
{
    struct reader *reader = arg;
    const struct admission_clock *face = admission_virtual_clock_face(reader->bench->clock);
    admission_client_t *client;
    check_ok(admission_client_new(&client, reader->bench->actor));
    struct admission_event event;
    reader->status = admission_client_next(client, 3600 * SECOND, &event);
    reader->waited_until = face->elapsed(face->context);
    admission_client_destroy(&client);
    raise_semaphore(&reader->ready);
    return NULL;
}

Test(clock, a_client_that_waits_with_a_timeout_waits_by_the_clock)
{
    struct bench bench = bench_with(1, NULL);
    struct reader reader = {.bench = &bench};
    check(sem_init(&reader.ready, 0, 0) == 0);
    const pthread_t thread = start_thread(wait_an_hour, &reader);
    /* whenever it has begun to wait: an hour of this clock later it has ended */
    while (sem_trywait(&reader.ready) != 0) {
        pass(&bench, 60 * SECOND);
    }
    join_thread(thread);
    check(reader.status == ADMISSION_EMPTY);
    check(reader.waited_until >= 3600 * SECOND && reader.waited_until % (60 * SECOND) == 0);
    bench_end(&bench);
}

static void *close_for_a_minute(void *arg)
{
    check(admission_actor_close(arg, 60 * SECOND) == ADMISSION_NOT_DRAINED);
    return NULL;
}

Test(clock, close_waits_for_what_runs_by_the_clock_K2)
{
    struct bench bench = bench_with(1, NULL);
    const uint64_t held = request(bench.client, ADMISSION_NONE, 0);
    pass(&bench, 0);
    check(next(bench.client).type == ADMISSION_EVENT_GRANTED);
    const pthread_t closer = start_thread(close_for_a_minute, bench.actor);
    while (books(&bench).tickets_aborted[ADMISSION_REASON_CLOSED] == 0) {
        sched_yield();
    }
    pass(&bench, 60 * SECOND);
    join_thread(closer);
    check(next(bench.client).type == ADMISSION_EVENT_ABORT);
    admission_client_leave(bench.client, held);
    check_ok(admission_actor_close(bench.actor, ADMISSION_NONE));
    bench_end(&bench);
}

/* A function that takes three seconds by this clock, however it waits for them. */

struct play {
    struct bench bench;
    admission_query_t *inner; /* takes the three seconds by its signal */
    admission_pool_t *pool;   /* not the one that runs the function */
    void (*wait)(struct play *play);
    sem_t has_begun;
};

static int take_three_seconds(struct admission_attempt *attempt, void *context)
{
    (void)context;
    return admission_signal_wait(attempt->signal, 3 * SECOND) == ADMISSION_EMPTY ? 0 : FAILED;
}

static int begin_and_wait(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    struct play *play = context;
    raise_semaphore(&play->has_begun);
    play->wait(play);
    return 0;
}

static void read_nothing(admission_actor_t *actor)
{
    admission_client_t *client;
    struct admission_event event;
    check_ok(admission_client_new(&client, actor));
    check(admission_client_next(client, 3 * SECOND, &event) == ADMISSION_EMPTY);
    admission_client_destroy(&client);
}

static void by_a_client(struct play *play)
{
    read_nothing(play->bench.actor);
}

static void by_a_client_of_another_actor(struct play *play)
{
    struct admission_options options;
    admission_options_init(&options);
    options.clock = admission_virtual_clock_face(play->bench.clock);
    admission_actor_t *actor;
    check_ok(admission_actor_new(&actor, &options, NULL));
    read_nothing(actor);
    admission_actor_destroy(&actor);
}

static void by_a_cycle(struct play *play)
{
    admission_client_t *client;
    struct admission_result result;
    check_ok(admission_client_new(&client, play->bench.actor));
    check_ok(admission_query_run(play->inner, client, NULL, NULL, &result));
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.ran_us == 3 * SECOND);
    admission_client_destroy(&client);
}

static void by_a_pool(struct play *play)
{
    struct admission_result result;
    check_ok(admission_pool_submit(play->pool, play->inner, NULL, NULL));
    check_ok(admission_pool_next(play->pool, ADMISSION_NONE, &result));
    check(result.outcome == ADMISSION_OUTCOME_VALUE && result.ran_us == 3 * SECOND);
}

static admission_query_t *play_query(struct play *play, admission_function_t *function)
{
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = function;
    options.context = play;
    return query_of(&play->bench, &options);
}

static void expect_three_seconds(const struct admission_result *result)
{
    check(result->outcome == ADMISSION_OUTCOME_VALUE && result->ran_us == 3 * SECOND);
}

static void expect_to_take_three_seconds(void (*wait)(struct play *play))
{
    struct play play = {.bench = bench_with(ADMISSION_NONE, NULL), .wait = wait};
    check(sem_init(&play.has_begun, 0, 0) == 0);
    play.inner = play_query(&play, take_three_seconds);
    admission_query_t *outer = play_query(&play, begin_and_wait);
    check_ok(admission_pool_new(&play.pool, play.bench.actor, NULL, NULL));
    admission_pool_t *pool;
    check_ok(admission_pool_new(&pool, play.bench.actor, NULL, NULL));

    check_ok(admission_pool_submit(pool, outer, NULL, NULL));
    pass(&play.bench, 10 * SECOND);
    struct admission_result result;
    check_ok(admission_pool_next(pool, 0, &result));
    expect_three_seconds(&result);
    wait_for_semaphore(&play.has_begun);

    struct runner runner;
    start_runner(&runner, &play.bench, outer);
    wait_for_semaphore(&play.has_begun);
    pass(&play.bench, 10 * SECOND);
    join_thread(runner.thread);
    expect_three_seconds(&runner.result);
    check(elapsed(&play.bench) == 20 * SECOND);

    admission_pool_destroy(&pool);
    admission_pool_destroy(&play.pool);
    admission_query_destroy(&outer);
    admission_query_destroy(&play.inner);
    bench_end(&play.bench);
}

Test(clock, a_function_that_waits_with_a_client_of_its_own_lets_the_clock_move)
{
    expect_to_take_three_seconds(by_a_client);
}

Test(clock, a_function_that_waits_with_a_client_of_another_actor_lets_the_clock_move)
{
    expect_to_take_three_seconds(by_a_client_of_another_actor);
}

Test(clock, a_function_that_runs_a_cycle_with_a_client_of_its_own_lets_the_clock_move)
{
    expect_to_take_three_seconds(by_a_cycle);
}

Test(clock, a_function_that_waits_for_a_pool_lets_the_clock_move)
{
    expect_to_take_three_seconds(by_a_pool);
}

/* A clock of one's own, without holds: real time, ten times as fast. */

static int64_t fast_elapsed(void *context)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (at.tv_sec * INT64_C(1000000) + at.tv_nsec / 1000) * 10 - *(int64_t *)context;
}

static int64_t fast_now(void *context)
{
    (void)context;
    return 42;
}

static void fast_wait(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us)
{
    const int64_t left_us = until_us == ADMISSION_NONE ? 0 : until_us - fast_elapsed(context);
    if (until_us == ADMISSION_NONE || left_us > 0) {
        (void)poll(fds, (nfds_t)n_fds,
                   until_us == ADMISSION_NONE ? -1 : (int)(left_us / 10000) + 1);
    }
}

Test(clock, an_actor_goes_by_the_clock_that_it_is_given)
{
    int64_t ahead_us = 0;
    const struct admission_clock fast = {.size = sizeof fast,
                                         .context = &ahead_us,
                                         .now = fast_now,
                                         .elapsed = fast_elapsed,
                                         .wait = fast_wait};
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 0;
    options.clock = &fast;
    admission_actor_t *actor;
    admission_client_t *client;
    check_ok(admission_actor_new(&actor, &options, NULL));
    check_ok(admission_client_new(&client, actor));
    struct admission_ticket ticket = admission_ticket_default();
    ticket.timeout_us = ADMISSION_MS(50);
    struct admission_event event;
    check(admission_client_admit_ticket(client, &ticket, NULL, &event) == ADMISSION_REFUSED);
    check(event.reason == ADMISSION_REASON_TIMEOUT && event.waited_us >= ADMISSION_MS(50));
    check(event.stamped_at_us == 42);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
}

Test(clock, a_clock_that_is_not_whole_is_refused)
{
    struct admission_options options;
    admission_options_init(&options);
    struct admission_clock clock = {.size = sizeof clock, .now = fast_now};
    options.clock = &clock;
    const char *culprit = NULL;
    admission_actor_t *actor;
    check(admission_actor_new(&actor, &options, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, "clock");
}

Test(clock, an_actor_in_czmq_goes_by_the_clock_too)
{
    admission_virtual_clock_t *clock = admission_virtual_clock_new(0);
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 0;
    options.clock = admission_virtual_clock_face(clock);
    zactor_t *zactor = zactor_new(admission_actor, &options);
    admission_client_t *client;
    check_ok(admission_client_new(&client, admission_actor_of(zactor)));
    request(client, 7 * SECOND, 0);
    admission_virtual_clock_advance(clock, 3600 * SECOND);
    const struct admission_event event = next(client);
    check(event.type == ADMISSION_EVENT_REFUSED && event.waited_us == 7 * SECOND);
    check(event.stamped_at_us == 7 * SECOND);
    admission_client_destroy(&client);
    zactor_destroy(&zactor);
    admission_virtual_clock_advance(clock, SECOND); /* nobody is left who holds it */
    admission_virtual_clock_destroy(&clock);
}
