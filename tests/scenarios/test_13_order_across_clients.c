/* Scenario 13: order across handles (T10, L4).
 * zeromq/libzmq#3172, zeromq/pyzmq#1618 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "fixture.h"

TestSuite(order_across_clients, .timeout = 120);

enum {
    ROUNDS = 10000,
    THREADS = 8,
    NUMBERS = 10000
};

/* Thread 1 plays its turn on h1 and raises its semaphore; thread 2, which is main, then plays
 * its own on h2. */
struct turns {
    admission_client_t *h1;
    sem_t is_first_done;
    sem_t is_second_done;
};

static void take_turns(struct turns *turns, admission_actor_t *actor, pthread_t *thread,
                       void *(*run)(void *))
{
    turns->h1 = open_client(actor);
    sem_init(&turns->is_first_done, 0, 0);
    sem_init(&turns->is_second_done, 0, 0);
    *thread = start_thread(run, turns);
}

/* Posts admit and leave before it lets thread 2 go, and reads after that. */
static void *hold_for_a_moment(void *arg)
{
    struct turns *turns = arg;
    check_ok(admission_client_adopt(turns->h1));
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t a = post(turns->h1);
        leave(turns->h1, a);
        raise_semaphore(&turns->is_first_done);
        expect(turns->h1, granted(a));
        wait_for_semaphore(&turns->is_second_done);
    }
    admission_client_destroy(&turns->h1);
    return NULL;
}

Test(order_across_clients, T10_a_leave_is_handled_before_what_another_client_admits_after_it)
{
    admission_actor_t *actor = start_actor(1, 0);
    admission_client_t *h2 = open_client(actor);
    struct turns turns;
    pthread_t thread;
    take_turns(&turns, actor, &thread, hold_for_a_moment);
    for (int i = 0; i < ROUNDS; i++) {
        wait_for_semaphore(&turns.is_first_done);
        const uint64_t b = post(h2);
        expect(h2, granted(b));
        leave(h2, b);
        raise_semaphore(&turns.is_second_done);
    }
    join_thread(thread);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

static void *listen_for_a_moment(void *arg)
{
    struct turns *turns = arg;
    check_ok(admission_client_adopt(turns->h1));
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t s1 = post_listener(turns->h1, "ann", 1);
        leave(turns->h1, s1);
        raise_semaphore(&turns->is_first_done);
        expect(turns->h1, admitted(s1));
        wait_for_semaphore(&turns->is_second_done);
    }
    expect_quiet(turns->h1);
    admission_client_destroy(&turns->h1);
    return NULL;
}

Test(order_across_clients, L4_a_listener_that_left_is_not_superseded_by_a_later_one)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *h2 = open_client(actor);
    struct turns turns;
    pthread_t thread;
    take_turns(&turns, actor, &thread, listen_for_a_moment);
    for (int i = 0; i < ROUNDS; i++) {
        wait_for_semaphore(&turns.is_first_done);
        const uint64_t s2 = admit_listener(h2, "ann", 1, NULL);
        leave(h2, s2);
        raise_semaphore(&turns.is_second_done);
    }
    join_thread(thread);
    check(books(actor).listeners_superseded == 0);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

/* Eight threads that draw numbers under one lock, and admit under it. */
struct numbers {
    admission_actor_t *actor;
    pthread_mutex_t lock;
    uint64_t next;
};

/* Draws the next number and posts its listener: false when there is none. */
static bool draw(struct numbers *numbers, admission_client_t *client, uint64_t *number)
{
    char principal[32];
    pthread_mutex_lock(&numbers->lock);
    const bool is_drawn = numbers->next < NUMBERS;
    if (is_drawn) {
        *number = numbers->next++;
        snprintf(principal, sizeof principal, "number-%u", (unsigned)*number);
        post_listener(client, principal, 1);
    }
    pthread_mutex_unlock(&numbers->lock);
    return is_drawn;
}

static void *draw_numbers(void *arg)
{
    struct numbers *numbers = arg;
    admission_client_t *client = open_client(numbers->actor);
    uint64_t number;
    while (draw(numbers, client, &number)) {
        const struct admission_event event = read_event(client);
        check(event.type == ADMISSION_EVENT_ADMITTED && event.order == number);
    }
    admission_client_destroy(&client);
    return NULL;
}

Test(order_across_clients, L1_order_numbers_rise_as_eight_threads_send)
{
    struct numbers numbers = {.actor = start_actor(ADMISSION_NONE, 0)};
    pthread_t threads[THREADS];
    pthread_mutex_init(&numbers.lock, NULL);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = start_thread(draw_numbers, &numbers);
    }
    for (int i = 0; i < THREADS; i++) {
        join_thread(threads[i]);
    }
    check(books(numbers.actor).listeners_admitted == NUMBERS);
    end_actor(&numbers.actor);
}
