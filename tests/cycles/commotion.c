/* Everything at once: callers' threads and a pool run cycles of a few queries, one thread
 * pauses, resumes and unsubscribes them, one cools the provider down and changes the limits,
 * and time is a clock that the main thread moves. At the end every cycle has had its one
 * result, and every slot is free. A plain program, for Criterion does not run under the thread
 * sanitizer.
 *
 * Usage: commotion ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

enum {
    CALLERS = 4,
    QUERIES = 3,
    FAILED = 7,
    POOLED_PER_ROUND = 4
};

struct commotion {
    struct bench bench;
    admission_pool_t *pool;
    admission_query_t *queries[QUERIES];
    unsigned n_rounds;
    atomic_uint n_done; /* callers and interrupters that have ended */
    atomic_uint n_pooled;
    atomic_uint n_outcomes[ADMISSION_OUTCOME_ABORTED + 1];
};

/* Works for a while, heeds its signal one time out of two, and fails now and then. */
static int work(struct admission_attempt *attempt, void *context)
{
    atomic_uint *n_calls = context;
    const unsigned number = atomic_fetch_add(n_calls, 1);
    const int64_t span_us = ADMISSION_MS(number % 10);
    const bool is_aborted =
        admission_signal_wait(attempt->signal, span_us) == ADMISSION_OK && number % 2 == 0;
    if (number % 11 == 0) {
        check_ok(admission_attempt_cooldown(attempt, ADMISSION_MS(5)));
    }
    return is_aborted || number % 5 == 0 ? FAILED : 0;
}

static void count(struct commotion *all, const struct admission_result *result)
{
    atomic_fetch_add(&all->n_outcomes[result->outcome], 1);
    check(result->outcome != ADMISSION_OUTCOME_VALUE || result->attempts > 0);
    check((result->outcome == ADMISSION_OUTCOME_ADMISSION) ==
          (result->reason != ADMISSION_REASON_NONE));
    check(result->outcome != ADMISSION_OUTCOME_ABORTED ||
          result->abort != ADMISSION_ABORT_NONE);
}

static void *call(void *arg)
{
    struct commotion *all = arg;
    admission_client_t *client;
    check_ok(admission_client_new(&client, all->bench.actor));
    for (unsigned i = 0; i < all->n_rounds; i++) {
        struct admission_result result;
        check_ok(admission_query_run(all->queries[i % QUERIES], client, NULL, NULL, &result));
        count(all, &result);
    }
    admission_client_destroy(&client);
    atomic_fetch_add(&all->n_done, 1);
    return NULL;
}

static void *feed(void *arg)
{
    struct commotion *all = arg;
    for (unsigned i = 0; i < all->n_rounds; i++) {
        for (unsigned j = 0; j < POOLED_PER_ROUND; j++) {
            uint64_t cycle;
            admission_query_t *query = all->queries[j % QUERIES];
            check_ok(admission_pool_submit(all->pool, query, NULL, &cycle));
            atomic_fetch_add(&all->n_pooled, 1);
            if (i % 3 == 0) {
                admission_query_unsubscribe(query, cycle);
            }
        }
    }
    atomic_fetch_add(&all->n_done, 1);
    return NULL;
}

static void *interrupt(void *arg)
{
    struct commotion *all = arg;
    for (unsigned i = 0; i < all->n_rounds; i++) {
        admission_query_t *query = all->queries[i % QUERIES];
        admission_query_pause(query,
                              i % 2 == 0 ? ADMISSION_PAUSE_HOLD : ADMISSION_PAUSE_REFUSE);
        struct admission_limits limits = admission_limits_unchanged();
        limits.max_concurrent = 1 + i % 4;
        check_ok(admission_actor_change_limits(all->bench.actor, &limits, NULL));
        struct admission_pool_stats stats;
        admission_pool_stats(all->pool, &stats);
        check(stats.open + stats.finished <= stats.submitted);
        admission_query_resume(query);
    }
    atomic_fetch_add(&all->n_done, 1);
    return NULL;
}

static unsigned read_results(struct commotion *all)
{
    unsigned n = 0;
    struct admission_result result;
    while (admission_pool_next(all->pool, 0, &result) == ADMISSION_OK) {
        count(all, &result);
        n++;
    }
    return n;
}

static void run_all(struct commotion *all)
{
    pthread_t threads[CALLERS + 2];
    for (int i = 0; i < CALLERS; i++) {
        threads[i] = start_thread(call, all);
    }
    threads[CALLERS] = start_thread(feed, all);
    threads[CALLERS + 1] = start_thread(interrupt, all);
    unsigned n_read = 0;
    while (atomic_load(&all->n_done) < CALLERS + 2 || n_read < atomic_load(&all->n_pooled)) {
        pass(&all->bench, ADMISSION_MS(3));
        n_read += read_results(all);
    }
    for (int i = 0; i < CALLERS + 2; i++) {
        join_thread(threads[i]);
    }
    check(n_read == atomic_load(&all->n_pooled) && read_results(all) == 0);
}

int main(int argc, char **argv)
{
    static struct commotion all;
    static atomic_uint n_calls;
    all.n_rounds = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    check(all.n_rounds > 0);
    struct admission_provider provider = admission_provider_default("upstream");
    provider.min_interval_us = 100;
    all.bench = bench_with(4, &provider);
    check_ok(admission_pool_new(&all.pool, all.bench.actor, NULL, NULL));
    for (int i = 0; i < QUERIES; i++) {
        struct admission_query_options options;
        admission_query_options_init(&options);
        options.provider = "upstream";
        options.key = i == 0 ? "key" : NULL;
        options.function = work;
        options.context = &n_calls;
        options.attempt_timeout_us = ADMISSION_MS(6);
        options.admission_timeout_us = ADMISSION_S(1);
        options.max_attempts = 3;
        options.retry_base_us = ADMISSION_MS(1);
        check_ok(admission_query_new(&all.queries[i], all.bench.client, &options, NULL));
    }

    run_all(&all);

    printf("%u cycles:", CALLERS * all.n_rounds + POOLED_PER_ROUND * all.n_rounds);
    unsigned n_results = 0;
    for (int i = ADMISSION_OUTCOME_VALUE; i <= ADMISSION_OUTCOME_ABORTED; i++) {
        const unsigned n = atomic_load(&all.n_outcomes[i]);
        printf(" %u %s", n, admission_outcome_text((admission_outcome_t)i));
        n_results += n;
    }
    puts("");
    check(n_results == (CALLERS + POOLED_PER_ROUND) * all.n_rounds);
    for (int i = 0; i < QUERIES; i++) {
        admission_query_destroy(&all.queries[i]);
    }
    admission_pool_destroy(&all.pool);
    bench_end(&all.bench);
    return 0;
}
