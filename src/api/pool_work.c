/* The workers of a pool: each takes a grant, runs the function, gives the slot back and posts
 * the cycle to the dispatcher.
 *
 * A worker counts as free from the moment at which its function returns: so the grant that its
 * slot makes room for finds it. It holds the clock while it has work in hand, and the
 * dispatcher holds it for the worker to whom it hands some. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "actor/flag.h"
#include "actor/spawn.h"
#include "api/pool.h"
#include "base/assert.h"
#include "base/memory.h"

static const struct adm_clock *clock_of(const struct adm_worker *worker)
{
    return &worker->pool->hub->clock;
}

static void wait_for_grant(struct adm_worker *worker)
{
    struct admission_pool *pool = worker->pool;
    adm_clock_end_work(&worker->work);
    while (TAILQ_EMPTY(&pool->granted) && !pool->is_dismissed) {
        pthread_cond_wait(&pool->changed, &pool->lock);
    }
    adm_clock_begin_work(&worker->work, clock_of(worker));
}

/* Waits for a grant; NULL at the end. */
static struct adm_pool_cycle *take(struct adm_worker *worker)
{
    struct admission_pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    if (TAILQ_EMPTY(&pool->granted)) {
        wait_for_grant(worker);
    }
    struct adm_pool_cycle *cycle = TAILQ_FIRST(&pool->granted);
    if (cycle != NULL) {
        TAILQ_REMOVE(&pool->granted, cycle, link);
        pool->n_granted--;
        pool->stats.free--;
        if (cycle->is_held_for) {
            adm_clock_release(clock_of(worker)); /* who holds it himself */
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return cycle;
}

/* False in a child that the function forked: there the pool is nobody's. */
static bool attend(struct adm_worker *worker, struct adm_pool_cycle *cycle)
{
    struct admission_pool *pool = worker->pool;
    adm_cycle_call(&cycle->cycle, worker->flag_fd);
    if (adm_hub_is_forked(pool->hub)) {
        return false;
    }
    pthread_mutex_lock(&pool->lock);
    pool->stats.free++;
    pthread_mutex_unlock(&pool->lock);
    adm_cycle_leave(&cycle->cycle);
    (void)adm_cycle_settle(&cycle->cycle);
    pthread_mutex_lock(&pool->lock);
    cycle->is_away = false;
    adm_pool_post(cycle);
    pthread_mutex_unlock(&pool->lock);
    return true;
}

static void *work(void *arg)
{
    struct adm_worker *worker = arg;
    struct adm_pool_cycle *cycle;
    adm_clock_begin_work(&worker->work, clock_of(worker));
    while ((cycle = take(worker)) != NULL) {
        if (!attend(worker, cycle)) {
            return NULL;
        }
    }
    adm_clock_end_work(&worker->work);
    return NULL;
}

bool adm_pool_hire(struct admission_pool *pool)
{
    const int flag_fd = adm_flag_new();
    if (flag_fd == -1) {
        return false;
    }
    struct adm_worker *worker = adm_memory_new(1, sizeof *worker);
    worker->pool = pool;
    worker->flag_fd = flag_fd;
    const int error = adm_spawn(&worker->thread, "admission-work", work, worker);
    if (error != 0) {
        close(flag_fd);
        free(worker);
        errno = error;
        return false;
    }
    SLIST_INSERT_HEAD(&pool->workers, worker, link);
    pool->stats.workers++;
    pool->stats.free++;
    return true;
}

void adm_pool_grant(struct adm_pool_cycle *cycle)
{
    struct admission_pool *pool = cycle->pool;
    pthread_mutex_lock(&pool->lock);
    cycle->is_away = true;
    TAILQ_INSERT_TAIL(&pool->granted, cycle, link);
    pool->n_granted++;
    if (pool->n_granted > pool->stats.free && pool->stats.workers < pool->max_workers) {
        (void)adm_pool_hire(pool); /* there is one at least, who comes by */
    }
    cycle->is_held_for = pool->n_granted <= pool->stats.free;
    if (cycle->is_held_for) {
        adm_clock_hold(&pool->hub->clock);
    } else {
        pool->stats.waited++;
    }
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

void adm_pool_dismiss(struct admission_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    ADM_ASSERT(TAILQ_EMPTY(&pool->granted));
    pool->is_dismissed = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    struct adm_worker *worker;
    while ((worker = SLIST_FIRST(&pool->workers)) != NULL) {
        SLIST_REMOVE_HEAD(&pool->workers, link);
        ADM_ASSERT(pthread_join(worker->thread, NULL) == 0);
        close(worker->flag_fd);
        free(worker);
    }
}
