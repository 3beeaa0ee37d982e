/* The door of a pool: made, fed, read, ended. */
#include "api/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "actor/flag.h"
#include "api/actor.h"
#include "api/cancellation.h"
#include "api/convert.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

void admission_pool_options_init_sized(struct admission_pool_options *options, size_t size)
{
    ADM_ASSERT(options != NULL && size == sizeof *options); /* there is one version yet */
    *options = (struct admission_pool_options){
        .size = sizeof *options, .max_workers = ADMISSION_NONE, .max_cycles = 1048576};
}

/* The name of the first option that is out of range, or NULL. ADMISSION_NONE is the largest
 * number there is, so it compares as what it means. */
static const char *find_culprit(const struct admission_pool_options *options,
                                int64_t max_concurrent)
{
    if (options->size != sizeof *options) {
        return "size"; /* and who knows what else is there */
    }
    const int64_t workers = options->max_workers;
    if (workers < 1 || (workers > ADM_COUNT_MAX && workers != ADMISSION_NONE) ||
        workers < max_concurrent) {
        return "max_workers";
    }
    return options->max_cycles >= 1 && options->max_cycles <= ADM_COUNT_MAX ? NULL
                                                                            : "max_cycles";
}

static struct admission_pool *make(struct adm_hub *hub,
                                   const struct admission_pool_options *options)
{
    struct admission_pool *pool = adm_memory_new(1, sizeof *pool);
    pool->hub = adm_hub_keep(hub);
    pool->max_workers = (uint64_t)options->max_workers;
    pool->max_cycles = (uint64_t)options->max_cycles;
    pool->wake_fd = adm_flag_new();
    pool->finished_fd = adm_flag_new();
    atomic_init(&pool->is_ending, false);
    TAILQ_INIT(&pool->posted);
    TAILQ_INIT(&pool->granted);
    TAILQ_INIT(&pool->finished);
    SLIST_INIT(&pool->workers);
    adm_roster_init(&pool->roster);
    ADM_ASSERT(pthread_mutex_init(&pool->lock, NULL) == 0);
    ADM_ASSERT(pthread_cond_init(&pool->changed, NULL) == 0);
    return pool;
}

void adm_pool_free(struct admission_pool *pool)
{
    struct adm_pool_cycle *cycle;
    while ((cycle = TAILQ_FIRST(&pool->finished)) != NULL) {
        TAILQ_REMOVE(&pool->finished, cycle, link);
        free(cycle);
    }
    if (pool->wake_fd != -1) {
        close(pool->wake_fd);
    }
    if (pool->finished_fd != -1) {
        close(pool->finished_fd);
    }
    adm_roster_deinit(&pool->roster);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    adm_hub_release(&pool->hub);
    free(pool);
}

static admission_status_t open_pool(admission_pool_t **pool_ptr, admission_actor_t *actor,
                                    const struct admission_pool_options *options)
{
    struct admission_pool *pool = make(actor->hub, options);
    const bool has_fds = pool->wake_fd != -1 && pool->finished_fd != -1;
    const admission_status_t status =
        has_fds ? adm_pool_start(pool, actor) : ADMISSION_NO_RESOURCES;
    if (status != ADMISSION_OK) {
        const int error = errno;
        adm_pool_free(pool);
        errno = error;
        return status;
    }
    *pool_ptr = pool;
    return ADMISSION_OK;
}

admission_status_t admission_pool_new(admission_pool_t **pool, admission_actor_t *actor,
                                      const struct admission_pool_options *options,
                                      const char **culprit)
{
    ADM_ASSERT(pool != NULL && actor != NULL);
    struct admission_pool_options defaults;
    admission_pool_options_init(&defaults);
    options = options == NULL ? &defaults : options;
    struct admission_stats stats;
    const admission_status_t asked = admission_actor_stats(actor, &stats);
    if (asked != ADMISSION_OK) {
        return asked;
    }
    const char *found = find_culprit(options, stats.max_concurrent);
    if (found != NULL) {
        if (culprit != NULL) {
            *culprit = found;
        }
        return ADMISSION_INVALID;
    }
    const int before = adm_cancellation_off();
    const admission_status_t status = open_pool(pool, actor, options);
    adm_cancellation_restore(before);
    return status;
}

void admission_pool_destroy(admission_pool_t **pool_ptr)
{
    if (pool_ptr == NULL || *pool_ptr == NULL) {
        return;
    }
    struct admission_pool *pool = *pool_ptr;
    *pool_ptr = NULL;
    if (adm_hub_is_forked(pool->hub)) {
        free(pool); /* its threads are not here, and what they held is for ever */
        return;
    }
    const int before = adm_cancellation_off();
    atomic_store(&pool->is_ending, true);
    adm_flag_raise(pool->wake_fd);
    ADM_ASSERT(pthread_join(pool->dispatcher, NULL) == 0);
    adm_pool_free(pool);
    adm_cancellation_restore(before);
}

/* Feeding. */

static void nudge(struct adm_cycle *cycle)
{
    struct adm_pool_cycle *pooled = (struct adm_pool_cycle *)cycle;
    pthread_mutex_lock(&pooled->pool->lock);
    adm_pool_post(pooled);
    pthread_mutex_unlock(&pooled->pool->lock);
}

/* Counts one more cycle; false when there are as many as may be. */
static bool reserve(struct admission_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool has_room = pool->stats.open + pool->stats.finished < pool->max_cycles;
    if (has_room) {
        pool->stats.open++;
        pool->stats.submitted++;
    }
    pthread_mutex_unlock(&pool->lock);
    return has_room;
}

admission_status_t admission_pool_submit(admission_pool_t *pool, admission_query_t *query,
                                         void *user, uint64_t *number)
{
    ADM_ASSERT(pool != NULL && query != NULL);
    if (adm_hub_is_forked(pool->hub)) {
        return ADMISSION_FORKED;
    }
    if (query->hub != pool->hub) {
        return ADMISSION_INVALID;
    }
    if (!reserve(pool)) {
        return ADMISSION_BUSY;
    }
    struct adm_pool_cycle *cycle = adm_memory_new(1, sizeof *cycle);
    cycle->cycle.client = pool->client;
    cycle->cycle.nudge = nudge;
    cycle->cycle.result.user = user;
    cycle->pool = pool;
    cycle->number = ADM_POOL_NEW;
    pthread_mutex_lock(&query->lock);
    adm_cycle_init(&cycle->cycle, query, number);
    nudge(&cycle->cycle); /* before it can end */
    pthread_mutex_unlock(&query->lock);
    return ADMISSION_OK;
}

/* Reading. */

static bool take_result(struct admission_pool *pool, struct admission_result *result)
{
    pthread_mutex_lock(&pool->lock);
    struct adm_pool_cycle *cycle = TAILQ_FIRST(&pool->finished);
    if (cycle != NULL) {
        TAILQ_REMOVE(&pool->finished, cycle, link);
        pool->stats.finished--;
        if (TAILQ_EMPTY(&pool->finished)) {
            adm_flag_lower(pool->finished_fd);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    if (cycle == NULL) {
        return false;
    }
    *result = cycle->cycle.result;
    free(cycle);
    return true;
}

/* Waits for a result; false when the time is over. */
static bool wait_for_result(struct admission_pool *pool, int64_t until, int cancel_state)
{
    const struct adm_clock *clock = &pool->hub->clock;
    if (until != ADM_NEVER && until <= adm_clock_elapsed(clock)) {
        return false;
    }
    struct pollfd fd = {.fd = pool->finished_fd, .events = POLLIN};
    adm_cancellation_restore(cancel_state);
    adm_clock_visit(clock, &fd, 1, until);
    (void)adm_cancellation_off();
    return true;
}

admission_status_t admission_pool_next(admission_pool_t *pool, int64_t timeout_us,
                                       struct admission_result *result)
{
    ADM_ASSERT(pool != NULL && result != NULL);
    if (adm_hub_is_forked(pool->hub)) {
        return ADMISSION_FORKED;
    }
    if (timeout_us < 0) {
        return ADMISSION_INVALID;
    }
    const int before = adm_cancellation_off();
    const int64_t until = adm_time_add(adm_clock_elapsed(&pool->hub->clock), timeout_us);
    bool is_there = take_result(pool, result);
    while (!is_there && wait_for_result(pool, until, before)) {
        is_there = take_result(pool, result);
    }
    adm_cancellation_restore(before);
    return is_there ? ADMISSION_OK : ADMISSION_EMPTY;
}

int admission_pool_fd(const admission_pool_t *pool)
{
    ADM_ASSERT(pool != NULL);
    return pool->finished_fd;
}

void admission_pool_stats(admission_pool_t *pool, struct admission_pool_stats *stats)
{
    ADM_ASSERT(pool != NULL && stats != NULL);
    *stats = (struct admission_pool_stats){0};
    if (adm_hub_is_forked(pool->hub)) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    const uint64_t n_free = pool->stats.free;
    const uint64_t n_granted = pool->n_granted;
    *stats = pool->stats;
    pthread_mutex_unlock(&pool->lock);
    stats->waiting = n_granted > n_free ? n_granted - n_free : 0;
    stats->free = n_free > n_granted ? n_free - n_granted : 0;
}
