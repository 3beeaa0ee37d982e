/* What is sent first is handled first, also across threads and clients. ADMISSION_ROUNDS in the
 * environment is for how long. */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

TestSuite(order, .timeout = 120);

/* Two threads that take turns: neither waits for the actor, only for the other. */

static int n_rounds(void)
{
    const char *text = getenv("ADMISSION_ROUNDS");
    return text == NULL ? 10000 : atoi(text);
}

struct turns {
    admission_client_t *client;
    int n_rounds;
    atomic_int n_left;    /* rounds in which A has left, */
    atomic_int n_granted; /* and in which B has been granted and has left */
};

static void await(atomic_int *count, int n)
{
    while (atomic_load_explicit(count, memory_order_acquire) < n) {
        sched_yield();
    }
}

static void *admit_and_leave(void *arg)
{
    struct turns *turns = arg;
    const struct admission_ticket at_once = {.timeout_us = 0};
    for (int round = 1; round <= turns->n_rounds; round++) {
        await(&turns->n_granted, round - 1);
        uint64_t id = 0;
        whatever(admission_client_request_ticket(turns->client, &at_once, &id));
        (void)admission_client_leave(turns->client, id);
        atomic_store_explicit(&turns->n_left, round, memory_order_release);
    }
    return NULL;
}

Test(order, a_leave_that_is_sent_before_anothers_admit_is_handled_before_it_every_time)
{
    admission_actor_t *actor = start();
    limit_running(actor, 1);
    admission_client_t *a = open_client(actor);
    admission_client_t *b = open_client(actor);
    struct turns turns = {.client = a, .n_rounds = n_rounds()};
    pthread_t thread = run(admit_and_leave, &turns);
    const struct admission_ticket at_once = {.timeout_us = 0};
    int n_granted = 0;
    for (int round = 1; round <= turns.n_rounds; round++) {
        await(&turns.n_left, round);
        uint64_t id = 0;
        const admission_status_t status = admission_client_admit_ticket(b, &at_once, &id, NULL);
        n_granted += status == ADMISSION_OK;
        (void)admission_client_leave(b, id);
        atomic_store_explicit(&turns.n_granted, round, memory_order_release);
    }
    (void)join(thread);
    cr_assert(n_granted == turns.n_rounds, "%d of %d", n_granted, turns.n_rounds);
    for (int round = 0; round < turns.n_rounds; round++) {
        cr_assert(read_event(a).type == ADMISSION_EVENT_GRANTED);
    }
    close_client(a);
    close_client(b);
    finish(actor);
}

/* Eight threads that agree on an order by a lock of their own. */

enum {
    N_THREADS = 8,
    N_EACH = 5000
};

struct crowd {
    admission_actor_t *actor;
    pthread_mutex_t lock;
    uint64_t n_sent;
    atomic_uint_fast64_t n_wrong;
};

static void *listen_in_turn(void *arg)
{
    struct crowd *crowd = arg;
    admission_client_t *client = NULL;
    if (admission_client_new(&client, crowd->actor) != ADMISSION_OK) {
        atomic_fetch_add(&crowd->n_wrong, 1);
        return NULL;
    }
    static _Thread_local uint64_t numbers[N_EACH];
    for (int i = 0; i < N_EACH; i++) {
        char principal[32];
        pthread_mutex_lock(&crowd->lock);
        numbers[i] = crowd->n_sent++;
        snprintf(principal, sizeof principal, "p%lu", numbers[i]);
        const struct admission_listen listen = admission_listen_default(principal);
        whatever(admission_client_request_listener(client, &listen, NULL));
        pthread_mutex_unlock(&crowd->lock);
    }
    for (int i = 0; i < N_EACH; i++) {
        struct admission_event event;
        if (admission_client_next(client, ADMISSION_S(20), &event) != ADMISSION_OK ||
            event.type != ADMISSION_EVENT_ADMITTED || event.order != numbers[i]) {
            atomic_fetch_add(&crowd->n_wrong, 1);
        }
    }
    admission_client_destroy(&client);
    return NULL;
}

Test(order, admission_order_numbers_rise_as_eight_threads_have_sent_L1)
{
    struct crowd crowd = {.actor = start(), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        threads[i] = run(listen_in_turn, &crowd);
    }
    for (int i = 0; i < N_THREADS; i++) {
        (void)join(threads[i]);
    }
    cr_assert(atomic_load(&crowd.n_wrong) == 0);
    finish(crowd.actor);
}

Test(order, a_client_with_credit_for_one_more_than_it_holds_can_leave_and_ask_at_once)
{
    struct admission_options options;
    admission_options_init(&options);
    options.client_credit = 2;
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    admission_client_t *client = open_client(actor);
    for (int round = 0; round < n_rounds(); round++) {
        uint64_t id;
        cr_assert(admission_client_admit_ticket(client, NULL, &id, NULL) == ADMISSION_OK);
        (void)admission_client_leave(client, id);
    }
    admission_client_destroy(&client);
    finish(actor);
}
