/* After the actor's end: what was sent is read, admits are refused by the call, the rest is
 * nothing, and who waits is woken. */
#include <criterion/criterion.h>

#include "steps.h"

TestSuite(end, .timeout = 60);

/* Everything that a client can be asked, once everything has been read. */
static void expect_closed(admission_client_t *client)
{
    struct admission_event event = {.id = 77};
    const struct admission_listen listen = admission_listen_default("ann");
    uint64_t id = 0;
    for (int i = 0; i < 2; i++) {
        cr_assert(admission_client_next(client, 0, &event) == ADMISSION_CLOSED);
        cr_assert(admission_client_next(client, ADMISSION_NONE, &event) == ADMISSION_CLOSED);
        cr_assert(admission_client_request_ticket(client, NULL, &id) == ADMISSION_CLOSED);
        cr_assert(admission_client_admit_ticket(client, NULL, &id, &event) == ADMISSION_CLOSED);
        cr_assert(admission_client_request_listener(client, &listen, &id) == ADMISSION_CLOSED);
        cr_assert(admission_client_admit_listener(client, &listen, &id, &event) ==
                  ADMISSION_CLOSED);
        cr_assert(admission_client_request_live(client, "ann", &id) == ADMISSION_CLOSED);
        cr_assert(admission_client_live(client, "ann", &event) == ADMISSION_CLOSED);
        cr_assert(admission_client_leave(client, 1) == ADMISSION_OK);
        cr_assert(admission_client_cancel(client, 1) == ADMISSION_OK);
        cr_assert(admission_client_leave_principal(client, "ann") == ADMISSION_OK);
        cr_assert(admission_client_adopt(client) == ADMISSION_OK);
        cr_assert(admission_client_number(client) > 0);
        admission_client_cork(client);
        cr_assert(admission_client_leave(client, 1) == ADMISSION_OK);
        admission_client_uncork(client);
    }
    cr_assert(event.id == 77, "outputs are untouched");
    const struct admission_ticket wrong = {.timeout_us = -1};
    cr_assert(admission_client_request_ticket(client, &wrong, &id) == ADMISSION_INVALID);
}

Test(end, a_client_is_closed_whatever_it_is_asked)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    admission_actor_destroy(&actor);
    expect_closed(client);
    close_client(client);
}

Test(end, words_are_read_before_closed_however_many_they_are)
{
    enum {
        N = 1000
    };
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    limit_running(actor, 1);
    const uint64_t running = grant_ticket(client);
    uint64_t ids[N];
    for (int i = 0; i < N; i++) {
        ids[i] = ask_ticket(client);
    }
    const uint64_t listener = ask_listener(client, "ann", 1);
    uint64_t question = 0;
    cr_assert(admission_client_request_live(client, "ann", &question) == ADMISSION_OK);
    admission_actor_destroy(&actor);
    expect_event(client, ADMISSION_EVENT_ADMITTED, listener);
    const struct admission_event live = read_event(client);
    cr_assert(live.type == ADMISSION_EVENT_LIVE && live.id == question && live.n_live == 1);
    for (int i = 0; i < N; i++) {
        expect_refusal(client, ids[i], ADMISSION_REASON_CLOSED);
    }
    expect_abort(client, running, ADMISSION_REASON_CLOSED);
    expect_event(client, ADMISSION_EVENT_CLOSED, listener);
    expect_closed(client);
    close_client(client);
}

Test(end, many_small_messages_are_all_read_before_closed)
{
    enum {
        N = 3000
    };
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    admission_client_t *other = open_client(actor);
    for (int i = 0; i < N; i++) { /* each of them delivered by itself */
        (void)ask_listener(client, "ann", N);
        if (i % 3 == 0) {
            settle(other);
        }
    }
    admission_actor_destroy(&actor);
    for (int i = 0; i < N; i++) {
        cr_assert(read_event(client).type == ADMISSION_EVENT_ADMITTED);
    }
    for (int i = 0; i < N; i++) {
        cr_assert(read_event(client).type == ADMISSION_EVENT_CLOSED);
    }
    expect_closed(client);
    close_client(client);
    close_client(other);
}

Test(end, what_was_held_back_is_not_sent_any_more_and_leaks_nothing)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    admission_client_cork(client);
    (void)ask_ticket(client);
    admission_actor_destroy(&actor);
    cr_assert(admission_client_uncork(client) == ADMISSION_CLOSED, "it will have no answer");
    cr_assert(admission_client_uncork(client) == ADMISSION_OK, "nothing is held back");
    struct admission_event event;
    cr_assert(admission_client_next(client, ADMISSION_NONE, &event) == ADMISSION_CLOSED);
    cr_assert(admission_client_admit_ticket(client, NULL, NULL, &event) == ADMISSION_CLOSED);
    expect_closed(client);
    close_client(client);
}

/* An actor whose clients may have one thing outstanding. */
static admission_actor_t *start_with_little_credit(void)
{
    struct admission_options options;
    admission_options_init(&options);
    options.client_credit = 1;
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    return actor;
}

Test(end, a_client_of_little_credit_is_closed_and_not_busy)
{
    admission_actor_t *actor = start_with_little_credit();
    admission_client_t *client = open_client(actor);
    admission_actor_destroy(&actor);
    expect_closed(client);
    close_client(client);
}

Test(end, a_client_that_has_used_up_its_credit_is_closed_and_not_busy)
{
    admission_actor_t *actor = start_with_little_credit();
    admission_client_t *client = open_client(actor);
    const uint64_t id = ask_ticket(client);
    uint64_t none = 77;
    cr_assert(admission_client_request_ticket(client, NULL, &none) == ADMISSION_BUSY);
    cr_assert(none == 77, "outputs are untouched");
    admission_actor_destroy(&actor);
    cr_assert(admission_client_request_ticket(client, NULL, &none) == ADMISSION_CLOSED);
    expect_event(client, ADMISSION_EVENT_GRANTED, id);
    expect_abort(client, id, ADMISSION_REASON_CLOSED);
    expect_closed(client);
    close_client(client);
}

struct reader {
    admission_actor_t *actor;
    pthread_barrier_t *barrier;
    bool admits;
    admission_status_t status;
    admission_status_t after;
};

static void *read_until_the_end(void *arg)
{
    struct reader *reader = arg;
    admission_client_t *client = NULL;
    struct admission_event event;
    const bool is_open = admission_client_new(&client, reader->actor) == ADMISSION_OK;
    pthread_barrier_wait(reader->barrier);
    if (is_open && reader->admits) {
        reader->status = admission_client_admit_ticket(client, NULL, NULL, &event);
    } else if (is_open) {
        reader->status = admission_client_next(client, ADMISSION_NONE, &event);
    }
    reader->after =
        is_open ? admission_client_next(client, ADMISSION_NONE, &event) : ADMISSION_EMPTY;
    return NULL; /* and dies with its client, after the actor */
}

Test(end, those_who_wait_in_other_threads_are_woken)
{
    enum {
        N = 16
    };
    for (int round = 0; round < 10; round++) {
        admission_actor_t *actor = start();
        limit_running(actor, 0);
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, N + 1);
        struct reader readers[N];
        pthread_t threads[N];
        for (int i = 0; i < N; i++) {
            readers[i] =
                (struct reader){.actor = actor, .barrier = &barrier, .admits = i % 2 == 0};
            threads[i] = run(read_until_the_end, &readers[i]);
        }
        pthread_barrier_wait(&barrier);
        admission_actor_destroy(&actor);
        for (int i = 0; i < N; i++) {
            (void)join(threads[i]);
            const admission_status_t status = readers[i].status;
            cr_assert(status == ADMISSION_CLOSED ||
                      (readers[i].admits && status == ADMISSION_REFUSED));
            cr_assert(readers[i].after == ADMISSION_CLOSED);
        }
        pthread_barrier_destroy(&barrier);
    }
}

static void *close_for_ever(void *actor)
{
    return (void *)(intptr_t)admission_actor_close(actor, ADMISSION_NONE);
}

Test(end, a_client_may_end_before_or_after_its_actor)
{
    admission_actor_t *actor = start();
    admission_client_t *before = open_client(actor);
    admission_client_t *after = open_client(actor);
    (void)grant_ticket(before);
    (void)grant_ticket(after);
    pthread_t closer = run(close_for_ever, actor);
    close_client(before);
    cr_assert(read_event(after).type == ADMISSION_EVENT_ABORT);
    (void)admission_client_leave(after, 1);
    cr_assert((intptr_t)join(closer) == ADMISSION_OK);
    admission_actor_destroy(&actor);
    close_client(after);
}
