/* A corked client whose owner waits: what anybody sends by it then goes at once, and behind
 * what was held back before. */
#include <criterion/criterion.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "api/client.h"
#include "steps.h"

TestSuite(cork, .timeout = 20);

/* The owner of a client waits in a thread; the test is the other one that sends by it. */
struct owner {
    admission_actor_t *actor;
    admission_client_t *client;
    bool is_corked;
    uint64_t id;
    admission_status_t status;
    struct admission_event event;
};

/* Real time, by a clock that tells when the owner has gone to sleep. */

static sem_t has_gone_to_sleep;
static sem_t nobody_else_sends; /* any more: so the owner may end the client */
static _Thread_local bool is_owner;

static int64_t now(void *context)
{
    (void)context;
    return wall_us();
}

static int64_t elapsed(void *context)
{
    (void)context;
    return monotonic_us();
}

static void wait_and_tell(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us)
{
    (void)context;
    if (is_owner) {
        sem_post(&has_gone_to_sleep);
    }
    (void)poll(fds, n_fds, until_us == ADMISSION_NONE ? -1 : 1);
}

static admission_actor_t *start_with_clock(void)
{
    const struct admission_clock clock = {
        .size = sizeof clock, .now = now, .elapsed = elapsed, .wait = wait_and_tell};
    struct admission_options options;
    admission_options_init(&options);
    options.clock = &clock;
    options.limits.max_concurrent = 0;
    admission_actor_t *actor = NULL;
    cr_assert(sem_init(&has_gone_to_sleep, 0, 0) == 0);
    cr_assert(sem_init(&nobody_else_sends, 0, 0) == 0);
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    return actor;
}

static void *admit(void *arg)
{
    struct owner *owner = arg;
    owner->status =
        admission_client_admit_ticket(owner->client, NULL, &owner->id, &owner->event);
    return NULL;
}

static void *ask_and_read(void *arg)
{
    struct owner *owner = arg;
    owner->status = admission_client_request_ticket(owner->client, NULL, &owner->id);
    if (owner->status == ADMISSION_OK) {
        owner->status = admission_client_next(owner->client, ADMISSION_NONE, &owner->event);
    }
    return NULL;
}

/* The life of the owner: no client is destroyed while another thread is in a call with it. */
static void *own(void *arg, void *(*wait)(void *))
{
    struct owner *owner = arg;
    is_owner = true;
    if (admission_client_adopt(owner->client) == ADMISSION_OK) {
        wait(owner);
    }
    sem_wait(&nobody_else_sends);
    admission_client_destroy(&owner->client);
    return NULL;
}

static void *own_and_admit(void *owner)
{
    return own(owner, admit);
}

static void *own_and_read(void *owner)
{
    return own(owner, ask_and_read);
}

/* Nothing starts, so the owner asks for a ticket and then sleeps. */
static pthread_t begin(struct owner *owner, void *(*live)(void *))
{
    owner->actor = start_with_clock();
    owner->client = open_client(owner->actor);
    if (owner->is_corked) {
        admission_client_cork(owner->client);
    }
    const pthread_t thread = run(live, owner);
    cr_assert(sem_wait(&has_gone_to_sleep) == 0);
    return thread;
}

static void end(pthread_t thread)
{
    cr_assert(sem_post(&nobody_else_sends) == 0);
    (void)join(thread);
}

Test(cork, a_blocking_admit_is_ended_by_a_cancel_from_another_thread_T9)
{
    struct owner owner = {.is_corked = true};
    const pthread_t thread = begin(&owner, own_and_admit);
    cr_assert(admission_client_cancel(owner.client, owner.id) == ADMISSION_OK);
    end(thread);
    cr_assert(owner.status == ADMISSION_REFUSED);
    cr_assert(owner.event.reason == ADMISSION_REASON_CANCELLED);
    finish(owner.actor);
}

Test(cork, a_reader_gets_the_answer_to_what_another_thread_asks)
{
    struct owner owner = {.is_corked = true};
    const pthread_t thread = begin(&owner, own_and_read);
    cr_assert(admission_client_request_live(owner.client, "ann", NULL) == ADMISSION_OK);
    end(thread);
    cr_assert(owner.status == ADMISSION_OK && owner.event.type == ADMISSION_EVENT_LIVE);
    finish(owner.actor);
}

Test(cork, a_thread_that_corks_while_the_owner_waits_holds_nothing_back)
{
    struct owner owner = {.is_corked = false};
    const pthread_t thread = begin(&owner, own_and_read);
    admission_client_cork(owner.client);
    cr_assert(admission_client_request_live(owner.client, "ann", NULL) == ADMISSION_OK);
    end(thread);
    cr_assert(owner.status == ADMISSION_OK && owner.event.type == ADMISSION_EVENT_LIVE);
    finish(owner.actor);
}

Test(cork, what_was_held_back_goes_before_what_is_sent_as_the_owner_begins_to_wait)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    admission_client_cork(client);
    const uint64_t id = ask_listener(client, "ann", 1);
    atomic_store(&client->is_waiting, true); /* and has not sent it yet */
    (void)admission_client_leave(client, id);
    cr_assert(books(actor).stray_leaves == 0 && books(actor).listeners_left == 1);
    atomic_store(&client->is_waiting, false);
    expect_event(client, ADMISSION_EVENT_ADMITTED, id);
    close_client(client);
    finish(actor);
}

Test(cork, after_a_wait_it_holds_back_as_before)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    struct admission_event event;
    admission_client_cork(client);
    (void)grant_ticket(client);
    (void)ask_ticket(client);
    cr_assert(books(actor).tickets_granted == 1);
    cr_assert(admission_client_next(client, 1, &event) != ADMISSION_CLOSED);
    (void)ask_ticket(client);
    cr_assert(books(actor).tickets_granted == 2);
    close_client(client);
    finish(actor);
}
