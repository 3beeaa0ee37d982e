/* Two cycles of one key never overlap: so many rounds on callers' threads, and as many in a
 * pool, by the system's clock and as fast as they go. A plain program, for Criterion does not
 * run under the thread sanitizer.
 *
 * Usage: key_overlap ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

enum {
    THREADS = 4
};

static atomic_uint n_inside;
static atomic_uint n_rounds;
static unsigned n_plainly; /* guarded by nothing but admission */

static int enter_alone(struct admission_attempt *attempt, void *context)
{
    (void)context;
    check(atomic_fetch_add(&n_inside, 1) == 0);
    n_plainly++;
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_NONE);
    check(atomic_fetch_sub(&n_inside, 1) == 1);
    return attempt->number == 1 && n_plainly % 7 == 0; /* then once more */
}

struct caller {
    admission_actor_t *actor;
    admission_query_t *query;
    unsigned n;
};

static void *run_rounds(void *arg)
{
    const struct caller *caller = arg;
    admission_client_t *client;
    check_ok(admission_client_new(&client, caller->actor));
    for (unsigned i = 0; i < caller->n; i++) {
        struct admission_result result;
        check_ok(admission_query_run(caller->query, client, NULL, NULL, &result));
        check(result.outcome == ADMISSION_OUTCOME_VALUE);
        atomic_fetch_add(&n_rounds, (unsigned)result.attempts);
    }
    admission_client_destroy(&client);
    return NULL;
}

static void run_on_threads(admission_actor_t *actor, admission_query_t *query, unsigned n)
{
    pthread_t threads[THREADS];
    struct caller caller = {.actor = actor, .query = query, .n = n / THREADS};
    for (int i = 0; i < THREADS; i++) {
        threads[i] = start_thread(run_rounds, &caller);
    }
    for (int i = 0; i < THREADS; i++) {
        join_thread(threads[i]);
    }
}

static void run_in_pool(admission_actor_t *actor, admission_query_t *query, unsigned n)
{
    admission_pool_t *pool;
    check_ok(admission_pool_new(&pool, actor, NULL, NULL));
    for (unsigned i = 0; i < n; i++) {
        check_ok(admission_pool_submit(pool, query, NULL, NULL));
    }
    for (unsigned i = 0; i < n; i++) {
        struct admission_result result;
        check_ok(admission_pool_next(pool, ADMISSION_S(60), &result));
        check(result.outcome == ADMISSION_OUTCOME_VALUE);
        atomic_fetch_add(&n_rounds, (unsigned)result.attempts);
    }
    admission_pool_destroy(&pool);
}

int main(int argc, char **argv)
{
    const unsigned n = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    check(n >= THREADS && n % THREADS == 0);
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = THREADS;
    options.limits.queue_capacity = ADMISSION_NONE;
    admission_actor_t *actor;
    admission_client_t *client;
    check_ok(admission_actor_new(&actor, &options, NULL));
    check_ok(admission_client_new(&client, actor));
    struct admission_query_options query_options;
    admission_query_options_init(&query_options);
    query_options.function = enter_alone;
    query_options.key = "key";
    query_options.max_attempts = 2;
    query_options.retry_base_us = 0;
    query_options.attempt_timeout_us = ADMISSION_S(60);
    admission_query_t *query;
    check_ok(admission_query_new(&query, client, &query_options, NULL));

    run_on_threads(actor, query, n);
    run_in_pool(actor, query, n);

    struct admission_stats stats;
    check_ok(admission_actor_stats(actor, &stats));
    check(stats.running == 0 && stats.tickets_granted == n_rounds && n_plainly == n_rounds);
    check(stats.tickets_left == n_rounds && stats.stray_leaves == 0);
    admission_query_destroy(&query);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    printf("%u cycles, %u attempts, one at a time\n", 2 * n, (unsigned)n_rounds);
    return 0;
}
