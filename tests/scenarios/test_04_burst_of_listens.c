/* Scenario 4: a burst of listens of one principal (L1, L3).
 * spring-projects/spring-security#3121, spring-projects/spring-security#18155 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(burst_of_listens, .timeout = 120);

enum {
    THREADS = 16,
    MAX = 2,
    ROUNDS = 1000
};

/* What one thread has seen of its listener in this round. */
struct seen {
    uint64_t order;
    bool is_superseded;
    bool is_live;
};

struct burst {
    admission_actor_t *actor;
    pthread_barrier_t barrier;
    struct seen seen[THREADS];
};

struct listener {
    struct burst *burst;
    struct seen *seen;
};

/* Reads whatever came before the answer: nothing but that this listener was superseded. */
static bool read_superseded(admission_client_t *client, uint64_t id)
{
    struct admission_event event;
    if (admission_client_next(client, 0, &event) == ADMISSION_EMPTY) {
        return false;
    }
    check(event.type == ADMISSION_EVENT_SUPERSEDED && event.id == id);
    check(admission_client_next(client, 0, &event) == ADMISSION_EMPTY);
    return true;
}

static bool is_among(const struct admission_event *event, uint64_t owner, uint64_t id)
{
    bool is_there = false;
    for (size_t i = 0; i < event->n_live; i++) {
        is_there |= event->live[i].owner == owner && event->live[i].id == id;
    }
    return is_there;
}

/* Sixteen order numbers in a row, of which all but the last two are superseded. */
static void judge(const struct seen seen[THREADS])
{
    uint64_t least = seen[0].order;
    for (int i = 1; i < THREADS; i++) {
        least = seen[i].order < least ? seen[i].order : least;
    }
    bool is_taken[THREADS] = {false};
    for (int i = 0; i < THREADS; i++) {
        const uint64_t place = seen[i].order - least;
        check(place < THREADS && !is_taken[place]);
        is_taken[place] = true;
        check(seen[i].is_superseded == (place < THREADS - MAX));
        check(seen[i].is_live == !seen[i].is_superseded);
    }
}

static void play_round(const struct listener *listener, admission_client_t *client)
{
    struct burst *burst = listener->burst;
    struct seen *seen = listener->seen;
    pthread_barrier_wait(&burst->barrier);
    const uint64_t id = post_listener(client, "ann", MAX);
    const struct admission_event answer = read_event(client);
    check(answer.type == ADMISSION_EVENT_ADMITTED && answer.id == id);
    seen->order = answer.order;
    check(ask_live(client, "ann").n_live <= MAX);
    pthread_barrier_wait(&burst->barrier);
    const struct admission_event live = ask_live(client, "ann");
    check(live.n_live == MAX);
    seen->is_live = is_among(&live, admission_client_number(client), id);
    seen->is_superseded = read_superseded(client, id);
    if (pthread_barrier_wait(&burst->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        judge(burst->seen);
    }
    pthread_barrier_wait(&burst->barrier);
    if (!seen->is_superseded) {
        leave(client, id);
    }
}

static void *listen_rounds(void *arg)
{
    const struct listener *listener = arg;
    admission_client_t *client = open_client(listener->burst->actor);
    for (int i = 0; i < ROUNDS; i++) {
        play_round(listener, client);
    }
    admission_client_destroy(&client);
    return NULL;
}

Test(burst_of_listens, L1_L3_sixteen_at_once_leave_the_two_newest_live)
{
    struct burst burst = {.actor = start_actor(ADMISSION_NONE, 0)};
    struct listener listeners[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_init(&burst.barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        listeners[i] = (struct listener){.burst = &burst, .seen = &burst.seen[i]};
        threads[i] = start_thread(listen_rounds, &listeners[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        join_thread(threads[i]);
    }
    const uint64_t n = (uint64_t)THREADS * ROUNDS;
    check(books(burst.actor).listeners_admitted == n);
    check(books(burst.actor).listeners_superseded == n / THREADS * (THREADS - MAX));
    end_actor(&burst.actor);
}
