/* Scenario 2: the deadline is the actor's, not the caller's (T6).
 * devinus/poolboy#70, devinus/poolboy#64 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fixture.h"

TestSuite(deadline, .timeout = 120);

enum {
    PAIRS = 5, /* at the same time: they sleep for the most part */
    ROUNDS = 200
};

static const int64_t TIMEOUT_US = ADMISSION_MS(50);

struct reader {
    admission_client_t *h2;
    uint64_t b;
    int64_t read_at;
};

static void *sleep_then_read(void *arg)
{
    struct reader *reader = arg;
    check_ok(admission_client_adopt(reader->h2));
    sleep_until(reader->read_at);
    expect(reader->h2, granted(reader->b));
    expect_quiet(reader->h2);
    leave(reader->h2, reader->b);
    admission_client_destroy(&reader->h2);
    return NULL;
}

/* With twice the scenario's timeout: so a busy machine has 600 ms to be late in. */
Test(deadline, T6_a_grant_that_is_read_after_its_deadline_is_still_a_grant)
{
    admission_actor_t *actor = start_actor(1, 2);
    admission_client_t *h1 = open_client(actor);
    const uint64_t a = hold(h1);
    const int64_t begun_at = now_us();
    struct reader reader = {.h2 = open_client(actor), .read_at = begun_at + ADMISSION_MS(1100)};
    reader.b = post_for(reader.h2, ADMISSION_MS(1000));
    const pthread_t thread = start_thread(sleep_then_read, &reader);
    sleep_until(begun_at + ADMISSION_MS(400));
    leave(h1, a);
    sleep_until(reader.read_at);
    join_thread(thread);
    leave(h1, hold(h1));
    admission_client_destroy(&h1);
    end_actor(&actor);
}

/* Thread 2 admits B, whose deadline comes at about the time at which A is left. */
struct pair {
    admission_client_t *h2;
    int64_t sent_at;
    sem_t begin;
    sem_t has_returned;
};

static void *admit_rounds(void *arg)
{
    struct pair *pair = arg;
    const struct admission_ticket ticket = ticket_for(TIMEOUT_US);
    check_ok(admission_client_adopt(pair->h2));
    for (int i = 0; i < ROUNDS; i++) {
        wait_for_semaphore(&pair->begin);
        uint64_t b;
        struct admission_event event;
        pair->sent_at = now_us();
        const admission_status_t status =
            admission_client_admit_ticket(pair->h2, &ticket, &b, &event);
        check(event.id == b);
        if (status == ADMISSION_OK) {
            check(event.type == ADMISSION_EVENT_GRANTED);
            leave(pair->h2, b);
        } else {
            check(status == ADMISSION_REFUSED && event.reason == ADMISSION_REASON_TIMEOUT);
        }
        check(admission_client_next(pair->h2, 0, &event) == ADMISSION_EMPTY);
        raise_semaphore(&pair->has_returned);
    }
    admission_client_destroy(&pair->h2);
    return NULL;
}

static void *play_pair(void *arg)
{
    unsigned seed = *(unsigned *)arg;
    admission_actor_t *actor = start_actor(1, 2);
    admission_client_t *h1 = open_client(actor);
    struct pair pair = {.h2 = open_client(actor)};
    sem_init(&pair.begin, 0, 0);
    sem_init(&pair.has_returned, 0, 0);
    const pthread_t thread = start_thread(admit_rounds, &pair);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t a = hold(h1);
        raise_semaphore(&pair.begin);
        wait_for_queued(actor, 1);
        sleep_until(pair.sent_at + TIMEOUT_US - 1000 + rand_r(&seed) % 2000);
        leave(h1, a);
        wait_for_semaphore(&pair.has_returned);
        expect_gauges(actor, 0);
    }
    join_thread(thread);
    admission_client_destroy(&h1);
    end_actor(&actor);
    return NULL;
}

Test(deadline, T6_a_leave_at_the_deadline_grants_or_refuses_and_never_both)
{
    pthread_t threads[PAIRS];
    unsigned seeds[PAIRS];
    for (unsigned i = 0; i < PAIRS; i++) {
        seeds[i] = i;
        threads[i] = start_thread(play_pair, &seeds[i]);
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        join_thread(threads[i]);
    }
}
