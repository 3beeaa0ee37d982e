/* Threads: who may read, who may send, whose client goes with whom (H1), and cancellation. */
#include <criterion/criterion.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "api/client.h"
#include "steps.h"

TestSuite(threads, .timeout = 60);

struct fixture {
    admission_actor_t *actor;
    admission_client_t *client; /* of the test's own thread */
};

static struct fixture begin(void)
{
    struct fixture f = {.actor = start()};
    f.client = open_client(f.actor);
    return f;
}

static void end(struct fixture *f)
{
    close_client(f->client);
    finish(f->actor);
}

/* Who may read. */

struct foreign {
    admission_client_t *client;
    int n_refused;
    int n_sent;
};

static void *use_from_outside(void *arg)
{
    struct foreign *foreign = arg;
    admission_client_t *client = foreign->client;
    struct admission_event event = {.id = 77};
    const struct admission_listen listen = admission_listen_default("ann");
    uint64_t id = 77;
    int fd = -77;
    foreign->n_refused =
        (admission_client_next(client, 0, &event) == ADMISSION_FOREIGN_THREAD) +
        (admission_client_next(client, ADMISSION_NONE, &event) == ADMISSION_FOREIGN_THREAD) +
        (admission_client_admit_ticket(client, NULL, &id, &event) == ADMISSION_FOREIGN_THREAD) +
        (admission_client_admit_listener(client, &listen, &id, &event) ==
         ADMISSION_FOREIGN_THREAD) +
        (admission_client_live(client, "ann", &event) == ADMISSION_FOREIGN_THREAD) +
        (admission_client_fd(client, &fd) == ADMISSION_FOREIGN_THREAD) +
        (id == 77 && event.id == 77 && fd == -77);
    foreign->n_sent =
        (admission_client_request_ticket(client, NULL, NULL) == ADMISSION_OK) +
        (admission_client_request_listener(client, &listen, NULL) == ADMISSION_OK) +
        (admission_client_request_live(client, "ann", NULL) == ADMISSION_OK) +
        (admission_client_number(client) > 0);
    return NULL;
}

Test(threads, a_foreign_thread_may_send_and_never_read)
{
    struct fixture f = begin();
    struct foreign foreign = {.client = f.client};
    (void)join(run(use_from_outside, &foreign));
    cr_assert(foreign.n_refused == 7 && foreign.n_sent == 4);
    cr_assert(read_event(f.client).type == ADMISSION_EVENT_GRANTED);
    cr_assert(read_event(f.client).type == ADMISSION_EVENT_ADMITTED);
    cr_assert(read_event(f.client).type == ADMISSION_EVENT_LIVE);
    expect_quiet(f.client);
    end(&f);
}

/* Many send through one client, whose owner reads: the books of the credit hold. */

struct senders {
    admission_client_t *client;
    atomic_int n_busy;
};

enum {
    N_SENDERS = 4,
    N_SENT = 20000
};

static void *send_many(void *arg)
{
    struct senders *senders = arg;
    const struct admission_ticket at_once = {.timeout_us = 0};
    for (int i = 0; i < N_SENT; i++) {
        uint64_t id;
        if (admission_client_request_ticket(senders->client, &at_once, &id) != ADMISSION_OK) {
            atomic_fetch_add(&senders->n_busy, 1);
        }
    }
    return NULL;
}

Test(threads, senders_that_race_are_never_told_busy_below_the_credit)
{
    struct fixture f = begin();
    limit_running(f.actor, 0);
    struct senders senders = {.client = f.client};
    pthread_t threads[N_SENDERS];
    for (int i = 0; i < N_SENDERS; i++) {
        threads[i] = run(send_many, &senders);
    }
    for (int i = 0; i < N_SENDERS * N_SENT - atomic_load(&senders.n_busy); i++) {
        cr_assert(read_event(f.client).type == ADMISSION_EVENT_REFUSED);
    }
    for (int i = 0; i < N_SENDERS; i++) {
        (void)join(threads[i]);
    }
    cr_assert(atomic_load(&senders.n_busy) == 0, "%d were busy", senders.n_busy);
    expect_quiet(f.client);
    end(&f);
}

Test(threads, a_sender_that_others_have_overtaken_is_not_busy)
{
    struct fixture f = begin();
    settle(f.client);
    settle(f.client);
    /* As if it had been held up between counting its request and looking at the account, while
     * the requests and words of others came and went. */
    atomic_fetch_add(&f.client->line->n_asked, 3);
    cr_assert(admission_client_request_ticket(f.client, NULL, NULL) == ADMISSION_OK);
    cr_assert(read_event(f.client).type == ADMISSION_EVENT_GRANTED);
    atomic_fetch_add(&f.client->n_read, 100);
    cr_assert(admission_client_request_ticket(f.client, NULL, NULL) == ADMISSION_OK);
    end(&f);
}

/* A wait is ended from another thread, by the id that was written out before. */

struct waiter {
    admission_actor_t *actor;
    admission_client_t *client;
    _Atomic uint64_t id; /* what another thread may cancel */
    uint64_t own_id;
    admission_status_t status;
    struct admission_event event;
};

static void *wait_for_a_ticket(void *arg)
{
    struct waiter *waiter = arg;
    waiter->status = admission_client_new(&waiter->client, waiter->actor);
    if (waiter->status == ADMISSION_OK) {
        waiter->status = admission_client_admit_ticket(waiter->client, NULL, &waiter->own_id,
                                                       &waiter->event);
        admission_client_destroy(&waiter->client);
    }
    return NULL;
}

Test(threads, a_blocking_admit_is_ended_by_a_cancel_of_its_id)
{
    struct fixture f = begin();
    limit_running(f.actor, 0);
    struct waiter waiter = {.actor = f.actor};
    pthread_t thread = run(wait_for_a_ticket, &waiter);
    await_queued(f.actor, 1); /* so client and id are there to be seen */
    cr_assert(admission_client_cancel(waiter.client, waiter.own_id) == ADMISSION_OK);
    (void)join(thread);
    cr_assert(waiter.status == ADMISSION_REFUSED);
    cr_assert(waiter.event.reason == ADMISSION_REASON_CANCELLED);
    end(&f);
}

/* Death. */

struct mortal {
    admission_actor_t *actor;
    int n_clients;
    bool exits;
    uint64_t number;
};

static void *live_and_die(void *arg)
{
    struct mortal *mortal = arg;
    for (int i = 0; i < mortal->n_clients; i++) {
        admission_client_t *client = NULL;
        struct admission_listen listen = admission_listen_default("bob");
        listen.max = 100;
        if (admission_client_new(&client, mortal->actor) != ADMISSION_OK ||
            admission_client_admit_ticket(client, NULL, NULL, NULL) != ADMISSION_OK ||
            admission_client_admit_listener(client, &listen, NULL, NULL) != ADMISSION_OK) {
            return NULL;
        }
        mortal->number = admission_client_number(client);
    }
    if (mortal->exits) {
        pthread_exit(NULL);
    }
    return NULL;
}

static void expect_all_gone(struct fixture *f, struct mortal mortal)
{
    (void)join(run(live_and_die, &mortal));
    const struct admission_stats stats = books(f->actor); /* at once, without waiting */
    cr_assert(stats.running == 0 && stats.listeners == 0);
    cr_assert(stats.tickets_granted == (uint64_t)mortal.n_clients);
    cr_assert(stats.clients == 1 && stats.clients_died == (uint64_t)mortal.n_clients);
    cr_assert(count_live(f->client, "bob") == 0);
}

Test(threads, a_thread_that_returns_takes_its_client_with_it_H1)
{
    struct fixture f = begin();
    expect_all_gone(&f, (struct mortal){.actor = f.actor, .n_clients = 1});
    end(&f);
}

Test(threads, a_thread_that_exits_takes_its_client_with_it_H1)
{
    struct fixture f = begin();
    expect_all_gone(&f, (struct mortal){.actor = f.actor, .n_clients = 1, .exits = true});
    end(&f);
}

Test(threads, a_thread_takes_all_of_its_clients_with_it_H1)
{
    struct fixture f = begin();
    expect_all_gone(&f, (struct mortal){.actor = f.actor, .n_clients = 7});
    end(&f);
}

Test(threads, many_that_die_one_after_the_other_leave_nothing_H1)
{
    struct fixture f = begin();
    int after_ten = 0;
    for (int i = 0; i < 300; i++) {
        struct mortal mortal = {.actor = f.actor, .n_clients = 1, .exits = i % 2 == 0};
        (void)join(run(live_and_die, &mortal));
        cr_assert(mortal.number == 2 + (uint64_t)i, "every one of them got its client");
        after_ten = i == 10 ? n_descriptors() : after_ten;
    }
    settle(f.client);
    cr_assert(books(f.actor).clients_died == 300 && books(f.actor).running == 0);
    cr_assert(n_descriptors() <= after_ten + 4, "descriptors grow");
    end(&f);
}

static void *destroy_and_return(void *arg)
{
    struct mortal *mortal = arg;
    admission_client_t *client = NULL;
    if (admission_client_new(&client, mortal->actor) == ADMISSION_OK) {
        admission_client_destroy(&client);
    }
    return NULL;
}

Test(threads, one_that_destroys_its_client_says_goodbye_once)
{
    struct fixture f = begin();
    struct mortal mortal = {.actor = f.actor};
    (void)join(run(destroy_and_return, &mortal));
    cr_assert(books(f.actor).clients_destroyed == 1 && books(f.actor).clients_died == 0);
    end(&f);
}

static void *destroy_anothers(void *client)
{
    admission_client_t *other = client;
    admission_client_destroy(&other);
    return NULL;
}

Test(threads, a_client_may_be_destroyed_by_another_thread)
{
    struct fixture f = begin();
    admission_client_t *client = open_client(f.actor);
    (void)grant_ticket(client);
    (void)join(run(destroy_anothers, client));
    const struct admission_stats stats = books(f.actor);
    cr_assert(stats.running == 0 && stats.clients_destroyed == 1 && stats.clients_died == 0);
    end(&f);
}

/* Adoption. */

struct parent {
    admission_actor_t *actor;
    admission_client_t *client;
    uint64_t ticket;
    sem_t is_open;
    sem_t is_adopted;
    admission_status_t after;
};

static void *give_away(void *arg)
{
    struct parent *parent = arg;
    if (admission_client_new(&parent->client, parent->actor) == ADMISSION_OK) {
        whatever(admission_client_admit_ticket(parent->client, NULL, &parent->ticket, NULL));
    }
    sem_post(&parent->is_open);
    sem_wait(&parent->is_adopted);
    struct admission_event event;
    parent->after = admission_client_next(parent->client, 0, &event);
    return NULL;
}

Test(threads, a_client_that_is_adopted_outlives_its_former_owner_who_may_read_no_more)
{
    struct fixture f = begin();
    struct parent parent = {.actor = f.actor};
    sem_init(&parent.is_open, 0, 0);
    sem_init(&parent.is_adopted, 0, 0);
    pthread_t thread = run(give_away, &parent);
    sem_wait(&parent.is_open);
    cr_assert(admission_client_adopt(parent.client) == ADMISSION_OK);
    cr_assert(admission_client_adopt(parent.client) == ADMISSION_OK, "twice is fine");
    sem_post(&parent.is_adopted);
    (void)join(thread);
    cr_assert(parent.after == ADMISSION_FOREIGN_THREAD);
    cr_assert(books(f.actor).clients_died == 0 && books(f.actor).running == 1);
    expect_quiet(parent.client);
    (void)admission_client_leave(parent.client, parent.ticket);
    close_client(parent.client);
    end(&f);
}

static void *adopt_and_die(void *client)
{
    return admission_client_adopt(client) == ADMISSION_OK ? client : NULL;
}

Test(threads, a_client_dies_with_the_thread_that_adopted_it_H1)
{
    struct fixture f = begin();
    admission_client_t *client = open_client(f.actor);
    (void)grant_ticket(client);
    cr_assert(join(run(adopt_and_die, client)) == client);
    cr_assert(books(f.actor).clients_died == 1 && books(f.actor).running == 0);
    end(&f);
}

/* Cancellation. */

static void *read_for_ever(void *arg)
{
    struct waiter *waiter = arg;
    if (admission_client_new(&waiter->client, waiter->actor) == ADMISSION_OK &&
        admission_client_admit_ticket(waiter->client, NULL, NULL, NULL) == ADMISSION_OK) {
        struct admission_event event;
        whatever(admission_client_next(waiter->client, ADMISSION_NONE, &event));
    }
    return NULL;
}

static void *send_for_ever(void *arg)
{
    struct waiter *waiter = arg;
    const struct admission_ticket at_once = {.timeout_us = 0};
    if (admission_client_new(&waiter->client, waiter->actor) == ADMISSION_OK) {
        for (;;) {
            uint64_t id = 0;
            whatever(admission_client_request_ticket(waiter->client, &at_once, &id));
            (void)admission_client_leave(waiter->client, id);
            pthread_testcancel();
        }
    }
    return NULL;
}

static void cancel_and_go_on(struct fixture *f, void *(*function)(void *))
{
    struct waiter waiter = {.actor = f->actor};
    pthread_t thread = run(function, &waiter);
    nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    cr_assert(pthread_cancel(thread) == 0);
    cr_assert(join(thread) == PTHREAD_CANCELED);
    const struct admission_stats stats = books(f->actor);
    cr_assert(stats.clients == 1 && stats.running == 0 && stats.queued == 0);
    settle(f->client); /* and the others are heard as ever */
}

Test(threads, one_cancelled_while_it_waits_for_a_ticket_leaves_nothing_and_harms_nobody)
{
    struct fixture f = begin();
    limit_running(f.actor, 0);
    for (int i = 0; i < 30; i++) {
        cancel_and_go_on(&f, wait_for_a_ticket);
    }
    cr_assert(books(f.actor).clients_died == 30);
    limit_running(f.actor, 1);
    (void)grant_ticket(f.client);
    end(&f);
}

Test(threads, one_cancelled_while_it_reads_leaves_nothing_and_harms_nobody)
{
    struct fixture f = begin();
    for (int i = 0; i < 30; i++) {
        cancel_and_go_on(&f, read_for_ever);
    }
    (void)grant_ticket(f.client);
    end(&f);
}

Test(threads, one_cancelled_while_it_sends_does_not_deafen_the_actor)
{
    struct fixture f = begin();
    for (int i = 0; i < 50; i++) {
        cancel_and_go_on(&f, send_for_ever);
    }
    (void)grant_ticket(f.client);
    end(&f);
}

static void *call_while_cancelled(void *arg)
{
    struct waiter *waiter = arg;
    struct admission_stats stats;
    (void)pthread_cancel(pthread_self());
    waiter->status = admission_actor_stats(waiter->actor, &stats);
    if (waiter->status == ADMISSION_OK) {
        waiter->status = admission_actor_close(waiter->actor, ADMISSION_MS(10));
    }
    waiter->own_id = 1; /* it has come this far: none is a cancellation point */
    pthread_testcancel();
    return NULL;
}

Test(threads, the_functions_of_the_actor_handle_are_no_cancellation_points)
{
    struct fixture f = begin();
    (void)grant_ticket(f.client);
    struct waiter waiter = {.actor = f.actor};
    cr_assert(join(run(call_while_cancelled, &waiter)) == PTHREAD_CANCELED);
    cr_assert(waiter.own_id == 1 && waiter.status == ADMISSION_NOT_DRAINED);
    end(&f);
}
