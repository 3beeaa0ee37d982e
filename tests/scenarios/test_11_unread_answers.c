/* Scenario 11: five thousand answers nobody reads (T5, T6).
 * zeromq/libzmq#2037, PrimeIntellect-ai/verifiers#951, flux-framework/flux-core#2751 */
#include <criterion/criterion.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "fixture.h"

TestSuite(unread_answers, .timeout = 120);

enum {
    ANSWERS = 5000,
    CREDIT = 6000,
    REFUSED_CALLS = 1000000
};

/* Thread 2 admits and reads, again and again. */
struct neighbour {
    admission_actor_t *actor;
    atomic_bool is_over;
    uint64_t n_admits;
};

static void *admit_again_and_again(void *arg)
{
    struct neighbour *neighbour = arg;
    const struct admission_ticket at_once = ticket_for(0);
    admission_client_t *h2 = open_client(neighbour->actor);
    while (!atomic_load(&neighbour->is_over)) {
        struct admission_event event;
        const int64_t since = now_us();
        check(admission_client_admit_ticket(h2, &at_once, NULL, &event) == ADMISSION_REFUSED);
        expect_within(since, ADMISSION_MS(50));
        check(event.reason == ADMISSION_REASON_TIMEOUT);
        neighbour->n_admits++;
    }
    admission_client_destroy(&h2);
    return NULL;
}

static admission_actor_t *start_actor_with_credit(void)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 1;
    options.client_credit = CREDIT;
    return start_actor_with(&options);
}

/* Posts `n` admits, and reads them: each is answered once, in order. */
static void post_then_read(admission_client_t *client, int n)
{
    uint64_t *ids = calloc((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++) {
        ids[i] = post_for(client, 0);
    }
    for (int i = 0; i < n; i++) {
        expect(client, refused(ids[i], ADMISSION_REASON_TIMEOUT));
    }
    expect_quiet(client);
    free(ids);
}

/* Posts until the call itself says that there is no credit, also when the actor has caught up:
 * a request that is just being answered may count twice for a moment. */
static void use_up_credit(admission_client_t *client, admission_actor_t *actor)
{
    const struct admission_ticket at_once = ticket_for(0);
    int n = 0;
    int n_busy_in_a_row = 0;
    while (n < CREDIT && n_busy_in_a_row < 2) {
        if (admission_client_request_ticket(client, &at_once, NULL) == ADMISSION_OK) {
            n++;
            n_busy_in_a_row = 0;
        } else {
            n_busy_in_a_row++;
            expect_gauges(actor, .running = 1);
        }
    }
    check(n == CREDIT - 1); /* A holds the one that is missing */
}

static void expect_busy_at_once(admission_client_t *client)
{
    const struct admission_ticket at_once = ticket_for(0);
    const size_t resident = resident_bytes();
    const int64_t since = now_us();
    for (int i = 0; i < REFUSED_CALLS; i++) {
        uint64_t id;
        check(admission_client_request_ticket(client, &at_once, &id) == ADMISSION_BUSY);
    }
    expect_within(since, ADMISSION_S(1));
    check(!is_memory_telling() || resident_bytes() < resident + MIB);
}

static void read_all(admission_client_t *client, int n)
{
    for (int i = 0; i < n; i++) {
        const struct admission_event event = read_event(client);
        check(event.type == ADMISSION_EVENT_REFUSED);
        check(event.reason == ADMISSION_REASON_TIMEOUT);
    }
    expect_quiet(client);
}

Test(unread_answers, T5_a_full_client_loses_no_answer_holds_up_nobody_and_is_bounded)
{
    struct neighbour neighbour = {.actor = start_actor_with_credit()};
    admission_client_t *h1 = open_client(neighbour.actor);
    const uint64_t a = hold(h1);
    const pthread_t thread = start_thread(admit_again_and_again, &neighbour);

    post_then_read(h1, ANSWERS);
    expect_gauges(neighbour.actor, .running = 1);

    use_up_credit(h1, neighbour.actor);
    expect_busy_at_once(h1);
    read_all(h1, CREDIT - 1);
    post_then_read(h1, 1);

    atomic_store(&neighbour.is_over, true);
    join_thread(thread);
    check(neighbour.n_admits > 0);
    leave(h1, a);
    admission_client_destroy(&h1);
    end_actor(&neighbour.actor);
}

/* Each in a message of its own, for the actor has answered before the next one is posted. */
Test(unread_answers, T5_answers_that_come_one_by_one_are_kept_too)
{
    admission_actor_t *actor = start_actor_with_credit();
    admission_client_t *h1 = open_client(actor);
    const uint64_t a = hold(h1);
    uint64_t ids[ANSWERS];
    for (int i = 0; i < ANSWERS; i++) {
        ids[i] = post_for(h1, 0);
        expect_gauges(actor, .running = 1);
    }
    for (int i = 0; i < ANSWERS; i++) {
        expect(h1, refused(ids[i], ADMISSION_REASON_TIMEOUT));
    }
    expect_quiet(h1);
    leave(h1, a);
    admission_client_destroy(&h1);
    end_actor(&actor);
}
