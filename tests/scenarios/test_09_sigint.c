/* Scenario 9: SIGINT in the embedding process, where czmq's own handler is in place.
 * zeromq/czmq#931, zeromq/zyre#522, zeromq/czmq#2284 */
#include <criterion/criterion.h>

#include <czmq.h>
#include <signal.h>

#include "fixture.h"

TestSuite(sigint, .timeout = 120);

/* Thread 2, which is in a blocking admit while the signal comes. */
struct waiter {
    admission_client_t *h2;
    pthread_t thread;
    sem_t is_granted;
    sem_t may_end;
};

static void *admit_then_destroy(void *arg)
{
    struct waiter *waiter = arg;
    const struct admission_ticket ticket = ticket_for(ADMISSION_S(5));
    check_ok(admission_client_adopt(waiter->h2));
    const uint64_t b = hold_with(waiter->h2, &ticket);
    raise_semaphore(&waiter->is_granted);
    wait_for_semaphore(&waiter->may_end);
    leave(waiter->h2, b);
    admission_client_destroy(&waiter->h2);
    return NULL;
}

static void start_waiter(struct waiter *waiter, admission_actor_t *actor)
{
    waiter->h2 = open_client(actor);
    sem_init(&waiter->is_granted, 0, 0);
    sem_init(&waiter->may_end, 0, 0);
    waiter->thread = start_thread(admit_then_destroy, waiter);
    wait_for_queued(actor, 1);
}

static void end_waiter(struct waiter *waiter)
{
    raise_semaphore(&waiter->may_end);
    join_thread(waiter->thread);
}

/* Interrupts the process, and the thread that waits, and lets 200 ms pass. */
static void interrupt(struct waiter *waiter, admission_actor_t *actor)
{
    const int64_t cpu_us = actor_cpu_us(actor);
    check(raise(SIGINT) == 0);
    check(pthread_kill(waiter->thread, SIGINT) == 0);
    check(zsys_interrupted);
    sleep_until(now_us() + ADMISSION_MS(200));
    check(actor_cpu_us(actor) - cpu_us < ADMISSION_MS(20));
}

static void play(struct waiter *waiter, admission_actor_t *actor, admission_client_t *h1)
{
    const uint64_t a = hold(h1);
    start_waiter(waiter, actor);
    interrupt(waiter, actor);
    expect_gauges(actor, .running = 1, .queued = 1);
    leave(h1, a);
    wait_for_semaphore(&waiter->is_granted);
    expect_gauges(actor, .running = 1);
}

Test(sigint, the_actor_and_a_blocking_admit_go_on_and_the_clients_end_first)
{
    zsock_t *handler_installer = zsock_new(ZMQ_PAIR);
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    struct waiter waiter;
    play(&waiter, actor, h1);
    end_waiter(&waiter);
    admission_client_destroy(&h1);
    end_actor(&actor);
    zsock_destroy(&handler_installer);
}

Test(sigint, the_actor_and_a_blocking_admit_go_on_and_the_actor_ends_first)
{
    zsock_t *handler_installer = zsock_new(ZMQ_PAIR);
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    struct waiter waiter;
    play(&waiter, actor, h1);
    destroy_actor(&actor);
    const int64_t since = now_us();
    end_waiter(&waiter);
    admission_client_destroy(&h1);
    expect_within(since, ADMISSION_S(1));
    zsock_destroy(&handler_installer);
}
