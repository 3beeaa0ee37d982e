/* See stress.h. The supervisor cancels threads, buries the dead, puts new ones in their places,
 * and ends each round: with everybody gone before the actor, or with the actor going first, at
 * a moment that nobody expects. */
#include "stress.h"

#include <stdlib.h>
#include <time.h>

#include "worker.h"

enum {
    MAX_THREADS = 256,
    ROUND_US = 700000,
};

struct supervisor {
    struct random random;
    struct round round;
    unsigned n_workers;
    struct worker workers[MAX_THREADS];
};

static int64_t now_us(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

static void start_worker(struct supervisor *supervisor, unsigned i)
{
    struct worker *worker = &supervisor->workers[i];
    *worker = (struct worker){.round = &supervisor->round,
                              .random = {.state = random_next(&supervisor->random)}};
    atomic_init(&worker->has_ended, false);
    WATCH_HOLDS(pthread_create(&worker->thread, NULL, worker_run, worker) == 0);
}

static void bury_and_replace(struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->n_workers; i++) {
        if (atomic_load(&supervisor->workers[i].has_ended)) {
            pthread_join(supervisor->workers[i].thread, NULL);
            start_worker(supervisor, i);
        }
    }
}

/* At a random moment for it: it is blocked, or in the middle of anything. */
static void cancel_one(struct supervisor *supervisor)
{
    const uint32_t i = random_below(&supervisor->random, supervisor->n_workers);
    (void)pthread_cancel(supervisor->workers[i].thread);
}

/* The actor's owner does what owners do, all of which leaves the caps as they are. */
static void meddle(struct supervisor *supervisor)
{
    admission_actor_t *actor = supervisor->round.actor;
    const uint32_t provider = random_below(&supervisor->random, N_PROVIDERS);
    struct admission_stats stats;
    struct admission_limits change = admission_limits_unchanged();
    change.min_interval_us = random_below(&supervisor->random, 2) * 10;
    WATCH_HOLDS(admission_actor_stats(actor, &stats) == ADMISSION_OK);
    WATCH_HOLDS(stats.running <= MAX_RUNNING && stats.listeners <= MAX_LISTENERS);
    WATCH_HOLDS(admission_actor_change_limits(actor, &change, NULL) == ADMISSION_OK);
    WATCH_HOLDS(admission_actor_cooldown(actor, provider_names[provider],
                                         random_below(&supervisor->random, 3000)) ==
                ADMISSION_OK);
}

static void let_them_run(struct supervisor *supervisor, int64_t until)
{
    while (now_us() < until && atomic_load(&watch.n_faults) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        cancel_one(supervisor);
        meddle(supervisor);
        bury_and_replace(supervisor);
    }
}

static void join_all(struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->n_workers; i++) {
        pthread_join(supervisor->workers[i].thread, NULL);
    }
}

/* Everybody goes, as they go; what is left is nothing. */
static void end_orderly(struct supervisor *supervisor)
{
    struct round *round = &supervisor->round;
    atomic_store(&round->is_stopping, true);
    join_all(supervisor);
    watch_empty(round->actor, atomic_load(&round->n_died), atomic_load(&round->n_destroyed));
    admission_actor_destroy(&round->actor);
    watch_meet(MET_ORDERLY_END);
}

/* The actor goes while they are inside: each of them is told, and ends. */
static void end_suddenly(struct supervisor *supervisor)
{
    struct round *round = &supervisor->round;
    pthread_rwlock_wrlock(&round->lock);
    round->is_over = true;
    pthread_rwlock_unlock(&round->lock);
    admission_actor_destroy(&round->actor);
    join_all(supervisor);
    watch_meet(MET_SUDDEN_END);
}

static void run_round(struct supervisor *supervisor, int64_t until, bool is_orderly)
{
    supervisor->round = (struct round){.actor = watch_start_actor()};
    pthread_rwlock_init(&supervisor->round.lock, NULL);
    for (unsigned i = 0; i < supervisor->n_workers; i++) {
        start_worker(supervisor, i);
    }
    let_them_run(supervisor, until);
    if (is_orderly) {
        end_orderly(supervisor);
    } else {
        end_suddenly(supervisor);
    }
    pthread_rwlock_destroy(&supervisor->round.lock);
}

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoll(text, NULL, 10);
}

struct stress_options stress_options(int64_t seconds)
{
    return (struct stress_options){
        .n_threads = 64,
        .duration_us = setting("ADMISSION_STRESS_SECONDS", seconds) * 1000000,
        .seed = (uint64_t)setting("ADMISSION_SEED", 1),
    };
}

bool stress_run(const struct stress_options *options)
{
    struct supervisor *supervisor = calloc(1, sizeof *supervisor);
    supervisor->random.state = options->seed;
    supervisor->n_workers = options->n_threads;
    const int64_t end_at = now_us() + options->duration_us;
    for (unsigned round = 0; round < 2 || now_us() < end_at; round++) {
        run_round(supervisor, now_us() + ROUND_US, round % 2 == 0);
        if (atomic_load(&watch.n_faults) > 0) {
            break;
        }
    }
    free(supervisor);
    return watch_is_content();
}
