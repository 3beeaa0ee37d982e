/* Scenario 1: the caller gives up while its grant is on the way (T9).
 * python/asyncio#270, python/cpython#90155 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fixture.h"

TestSuite(grant_on_its_way, .timeout = 120);

enum {
    ROUNDS = 1000,
    JITTER_US = 50
};

Test(grant_on_its_way, T9_a_cancel_behind_the_grant_aborts_and_never_refuses)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    admission_client_t *h3 = open_client(actor);
    const uint64_t a = hold(h1);
    const uint64_t b = post_for(h2, ADMISSION_S(1));
    const uint64_t e = post(h3);
    expect_quiet(h2);
    expect_quiet(h3);

    leave(h1, a);
    cancel(h2, b);
    expect(h2, granted(b), aborted(b, ADMISSION_REASON_CANCELLED));
    expect_quiet(h2);

    leave(h2, b);
    expect(h3, granted(e));
    expect_gauges(actor, .running = 1);

    leave(h3, e);
    admission_client_destroy(&h1);
    admission_client_destroy(&h2);
    admission_client_destroy(&h3);
    end_actor(&actor);
}

/* One slot, for which thread 2 waits in a blocking admit while main leaves it and the canceller
 * cancels the waiter, by the id that the admit has written out. */
struct contest {
    admission_client_t *h2;
    uint64_t b;
    sem_t begin;
    sem_t has_returned;
    pthread_barrier_t both; /* main and the canceller */
};

static void expect_aborts_only(admission_client_t *client)
{
    struct admission_event event;
    while (admission_client_next(client, 0, &event) == ADMISSION_OK) {
        check(event.type == ADMISSION_EVENT_ABORT);
        check(event.reason == ADMISSION_REASON_CANCELLED);
    }
}

static void *admit_and_give_up(void *arg)
{
    struct contest *contest = arg;
    const struct admission_ticket ticket = ticket_for(ADMISSION_S(100));
    check_ok(admission_client_adopt(contest->h2));
    for (int i = 0; i < ROUNDS; i++) {
        wait_for_semaphore(&contest->begin);
        struct admission_event event;
        const admission_status_t status =
            admission_client_admit_ticket(contest->h2, &ticket, &contest->b, &event);
        if (status == ADMISSION_OK) {
            check(event.type == ADMISSION_EVENT_GRANTED && event.id == contest->b);
            leave(contest->h2, contest->b);
        } else {
            check(status == ADMISSION_REFUSED);
            check(event.reason == ADMISSION_REASON_CANCELLED && event.id == contest->b);
        }
        expect_aborts_only(contest->h2);
        raise_semaphore(&contest->has_returned);
    }
    wait_for_semaphore(&contest->begin); /* the last cancel may still be under way */
    admission_client_destroy(&contest->h2);
    return NULL;
}

static void *cancel_the_waiter(void *arg)
{
    struct contest *contest = arg;
    unsigned seed = 2;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&contest->both);
        spin_for(rand_r(&seed) % JITTER_US);
        cancel(contest->h2, contest->b);
        pthread_barrier_wait(&contest->both);
    }
    return NULL;
}

static void play_round(struct contest *contest, admission_actor_t *actor,
                       admission_client_t *h1, admission_client_t *h3, unsigned *seed)
{
    const uint64_t a = hold(h1);
    raise_semaphore(&contest->begin);
    wait_for_queued(actor, 1);
    const uint64_t e = post(h3);
    pthread_barrier_wait(&contest->both);
    spin_for(rand_r(seed) % JITTER_US);
    leave(h1, a);
    pthread_barrier_wait(&contest->both);
    wait_for_semaphore(&contest->has_returned);
    const int64_t since = now_us();
    expect(h3, granted(e));
    expect_within(since, ADMISSION_MS(50));
    leave(h3, e);
    expect_gauges(actor, 0);
}

Test(grant_on_its_way, T9_a_blocking_admit_that_is_cancelled_never_keeps_a_slot)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h3 = open_client(actor);
    struct contest contest = {.h2 = open_client(actor)};
    sem_init(&contest.begin, 0, 0);
    sem_init(&contest.has_returned, 0, 0);
    pthread_barrier_init(&contest.both, NULL, 2);
    const pthread_t waiter = start_thread(admit_and_give_up, &contest);
    const pthread_t canceller = start_thread(cancel_the_waiter, &contest);
    unsigned seed = 1;
    for (int i = 0; i < ROUNDS; i++) {
        play_round(&contest, actor, h1, h3, &seed);
    }
    join_thread(canceller);
    raise_semaphore(&contest.begin);
    join_thread(waiter);
    admission_client_destroy(&h1);
    admission_client_destroy(&h3);
    end_actor(&actor);
}
