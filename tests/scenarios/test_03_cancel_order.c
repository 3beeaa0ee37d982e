/* Scenario 3: a cancel does not overtake its admit (T9, H2).
 * microsoft/vs-streamjsonrpc#56, modelcontextprotocol/swift-sdk#285 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(cancel_order, .timeout = 120);

enum {
    QUESTIONS = 9,
    ROUNDS = 10000
};

/* Thread 1 posts B on h1; thread 2 posts a cancel of B on `canceller`. */
struct relay {
    admission_client_t *canceller;
    uint64_t b;
    int n_rounds;
    sem_t is_posted;
    sem_t is_cancelled;
};

static void *cancel_rounds(void *arg)
{
    struct relay *relay = arg;
    for (int i = 0; i < relay->n_rounds; i++) {
        wait_for_semaphore(&relay->is_posted);
        cancel(relay->canceller, relay->b);
        raise_semaphore(&relay->is_cancelled);
    }
    return NULL;
}

static pthread_t start_relay(struct relay *relay)
{
    sem_init(&relay->is_posted, 0, 0);
    sem_init(&relay->is_cancelled, 0, 0);
    return start_thread(cancel_rounds, relay);
}

/* Nine questions, and B behind them; then lets thread 2 cancel. */
static void post_and_hand_over(struct relay *relay, admission_client_t *h1,
                               uint64_t questions[QUESTIONS])
{
    for (int i = 0; i < QUESTIONS; i++) {
        questions[i] = post_live(h1, "ann");
    }
    relay->b = post(h1);
    raise_semaphore(&relay->is_posted);
    wait_for_semaphore(&relay->is_cancelled);
}

static void expect_answers(admission_client_t *h1, const uint64_t questions[QUESTIONS])
{
    for (int i = 0; i < QUESTIONS; i++) {
        expect(h1, live(questions[i]));
    }
}

Test(cancel_order, T9_H2_a_cancel_on_another_client_cancels_nothing)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    const uint64_t a = hold(h1);
    struct relay relay = {.canceller = h2, .n_rounds = 1};
    const pthread_t thread = start_relay(&relay);
    uint64_t questions[QUESTIONS];
    post_and_hand_over(&relay, h1, questions);
    expect_gauges(actor, .running = 1, .queued = 1);
    expect_quiet(h2);

    cancel(h1, relay.b);
    expect_answers(h1, questions);
    expect(h1, refused(relay.b, ADMISSION_REASON_CANCELLED));
    expect_quiet(h1);

    join_thread(thread);
    leave(h1, a);
    admission_client_destroy(&h1);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(cancel_order, T9_a_cancel_from_another_thread_comes_after_its_admit)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    const uint64_t a = hold(h1);
    struct relay relay = {.canceller = h1, .n_rounds = ROUNDS};
    const pthread_t thread = start_relay(&relay);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t questions[QUESTIONS];
        post_and_hand_over(&relay, h1, questions);
        expect_answers(h1, questions);
        expect(h1, refused(relay.b, ADMISSION_REASON_CANCELLED));
    }
    expect_quiet(h1);
    join_thread(thread);
    leave(h1, a);
    admission_client_destroy(&h1);
    end_actor(&actor);
}
