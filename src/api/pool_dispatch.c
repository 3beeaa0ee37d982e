/* The dispatcher of a pool: a thread that has all its cycles admitted at once.
 *
 * It never blocks on one of them: what has to wait is in the roster, and it waits for whatever
 * comes first - a cycle that is posted, the actor's word, the end of a rest. It holds the clock
 * but for that. It alone enters cycles into the roster and takes them out; it runs no user
 * code. */
#include <errno.h>

#include "actor/flag.h"
#include "actor/socket.h"
#include "actor/spawn.h"
#include "api/cancellation.h"
#include "api/pool.h"
#include "base/assert.h"
#include "base/time.h"

static const struct adm_clock *clock_of(const struct admission_pool *pool)
{
    return &pool->hub->clock;
}

/* Posting. */

void adm_pool_post(struct adm_pool_cycle *cycle)
{
    struct admission_pool *pool = cycle->pool;
    if (cycle->is_posted) {
        return;
    }
    if (TAILQ_EMPTY(&pool->posted)) {
        const int before = adm_cancellation_off();
        adm_flag_raise(pool->wake_fd);
        adm_cancellation_restore(before);
    }
    cycle->is_posted = true;
    TAILQ_INSERT_TAIL(&pool->posted, cycle, link);
}

/* The next one that is posted and not away; NULL: there is none. */
static struct adm_pool_cycle *take_posted(struct admission_pool *pool)
{
    struct adm_pool_cycle *cycle;
    pthread_mutex_lock(&pool->lock);
    do {
        cycle = TAILQ_FIRST(&pool->posted);
        if (cycle != NULL) {
            TAILQ_REMOVE(&pool->posted, cycle, link);
            cycle->is_posted = false;
        }
    } while (cycle != NULL && cycle->is_away);
    pthread_mutex_unlock(&pool->lock);
    return cycle;
}

/* Steps. */

/* The cycle is over, and nobody else's any more: its result can be read. */
static void finish(struct adm_pool_cycle *cycle)
{
    struct admission_pool *pool = cycle->pool;
    adm_roster_leave(&pool->roster, cycle->number);
    adm_cycle_deinit(&cycle->cycle);
    pthread_mutex_lock(&pool->lock);
    if (cycle->is_posted) {
        TAILQ_REMOVE(&pool->posted, cycle, link);
    }
    if (TAILQ_EMPTY(&pool->finished)) {
        adm_flag_raise(pool->finished_fd);
    }
    TAILQ_INSERT_TAIL(&pool->finished, cycle, link);
    pool->stats.open--;
    pool->stats.finished++;
    pthread_mutex_unlock(&pool->lock);
}

static void stop(struct adm_pool_cycle *cycle)
{
    pthread_mutex_lock(&cycle->cycle.query->lock);
    adm_cycle_stop(&cycle->cycle, ADMISSION_ABORT_DISPOSED);
    pthread_mutex_unlock(&cycle->cycle.query->lock);
}

static void follow(struct adm_pool_cycle *cycle, enum adm_phase phase)
{
    struct adm_roster *roster = &cycle->pool->roster;
    switch (phase) {
    case ADM_PHASE_READY:
    case ADM_PHASE_HELD:
        break;
    case ADM_PHASE_QUEUED:
        adm_roster_seat(roster, cycle->number, cycle->cycle.ticket);
        break;
    case ADM_PHASE_GRANTED:
        adm_pool_grant(cycle);
        break;
    case ADM_PHASE_RESTING:
        adm_roster_rest(roster, cycle->number, cycle->cycle.rest_until);
        break;
    case ADM_PHASE_OVER:
        finish(cycle);
        break;
    }
}

/* Looks at a cycle that was posted, or whose rest is over, and takes its next step. */
static void look_at(struct adm_pool_cycle *cycle)
{
    struct admission_pool *pool = cycle->pool;
    if (cycle->number == ADM_POOL_NEW) {
        cycle->number = adm_roster_enter(&pool->roster, cycle);
    }
    if (atomic_load(&pool->is_ending)) {
        stop(cycle);
    }
    switch (adm_cycle_phase(&cycle->cycle)) {
    case ADM_PHASE_QUEUED:
    case ADM_PHASE_GRANTED:
        return; /* the actor's word comes, or the function's */
    case ADM_PHASE_READY:
    case ADM_PHASE_HELD:
        follow(cycle, adm_cycle_ask(&cycle->cycle));
        return;
    case ADM_PHASE_RESTING:
        adm_roster_seat(&pool->roster, cycle->number, 0);
        adm_roster_wake(&pool->roster, cycle->number);
        if (adm_cycle_has_rested(&cycle->cycle)) {
            follow(cycle, adm_cycle_ask(&cycle->cycle));
        } else {
            follow(cycle, ADM_PHASE_RESTING);
        }
        return;
    case ADM_PHASE_OVER:
        finish(cycle);
        return;
    }
}

static void hear(struct admission_pool *pool, const struct admission_event *event)
{
    struct adm_pool_cycle *cycle = adm_roster_find(&pool->roster, event->id);
    if (cycle == NULL) {
        return; /* an abort that came when the slot had been given back */
    }
    switch (event->type) {
    case ADMISSION_EVENT_GRANTED:
    case ADMISSION_EVENT_REFUSED:
        follow(cycle, adm_cycle_answer(&cycle->cycle, event));
        break;
    case ADMISSION_EVENT_ABORT:
        adm_cycle_abort(&cycle->cycle, event->id,
                        adm_signal_reason_of((enum adm_reason)event->reason));
        break;
    case ADMISSION_EVENT_ADMITTED:
    case ADMISSION_EVENT_SUPERSEDED:
    case ADMISSION_EVENT_CLOSED:
    case ADMISSION_EVENT_LIVE:
        adm_assert_failed(__FILE__, __LINE__, "the pool has no listeners");
    }
}

/* Turns. */

static void look_at_what_is_posted(struct admission_pool *pool)
{
    admission_client_cork(pool->client);
    struct adm_pool_cycle *cycle;
    while ((cycle = take_posted(pool)) != NULL) {
        look_at(cycle);
    }
    admission_client_uncork(pool->client);
}

/* The actor has ended without a word to what was held back by the cork. */
static void refuse_what_is_queued(struct admission_pool *pool)
{
    const struct admission_event word = {.type = ADMISSION_EVENT_REFUSED,
                                         .reason = ADMISSION_REASON_CLOSED};
    for (size_t i = 0; i < pool->roster.n_entries; i++) {
        struct adm_pool_cycle *cycle = pool->roster.entries[i].who;
        if (cycle != NULL && adm_cycle_phase(&cycle->cycle) == ADM_PHASE_QUEUED) {
            follow(cycle, adm_cycle_answer(&cycle->cycle, &word));
        }
    }
}

/* What is held or rests has nothing to wait for any more. */
static void hear_the_close(struct admission_pool *pool)
{
    if (pool->has_actor_closed || !adm_hub_is_closed(pool->hub)) {
        return;
    }
    pool->has_actor_closed = true;
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->roster.n_entries; i++) {
        struct adm_pool_cycle *cycle = pool->roster.entries[i].who;
        if (cycle != NULL && !cycle->is_away) {
            adm_pool_post(cycle);
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static void hear_the_actor(struct admission_pool *pool)
{
    struct admission_event event;
    admission_status_t status;
    while ((status = admission_client_next(pool->client, 0, &event)) == ADMISSION_OK) {
        hear(pool, &event);
    }
    pool->has_actor_ended = status == ADMISSION_CLOSED;
    if (pool->has_actor_ended) {
        refuse_what_is_queued(pool);
    }
}

static void end_rests(struct admission_pool *pool)
{
    const int64_t now = adm_clock_elapsed(clock_of(pool));
    while (adm_roster_due_at(&pool->roster) <= now) {
        look_at(adm_roster_first_due(&pool->roster));
    }
}

static void wait_for_more(struct admission_pool *pool)
{
    struct pollfd fds[3] = {{.fd = pool->wake_fd, .events = POLLIN}};
    size_t n_fds = 1;
    if (!pool->has_actor_ended) {
        fds[n_fds++] = (struct pollfd){.fd = pool->client->socket_fd, .events = POLLIN};
    }
    if (!pool->has_actor_closed) {
        fds[n_fds++] = (struct pollfd){.fd = pool->hub->closed_fd, .events = POLLIN};
    }
    if (pool->has_actor_ended || !adm_socket_is_readable(pool->client->socket)) {
        adm_clock_wait(clock_of(pool), fds, n_fds, adm_roster_due_at(&pool->roster));
    }
}

/* The flag is taken down before anything is looked at: what is told later raises it again. */
static void take_turn(struct admission_pool *pool)
{
    wait_for_more(pool);
    adm_flag_lower(pool->wake_fd);
    hear_the_close(pool);
    look_at_what_is_posted(pool);
    hear_the_actor(pool);
    end_rests(pool);
}

static void stop_all(struct admission_pool *pool)
{
    for (size_t i = 0; i < pool->roster.n_entries; i++) {
        struct adm_pool_cycle *cycle = pool->roster.entries[i].who;
        if (cycle != NULL) {
            stop(cycle);
        }
    }
}

static bool has_open_cycles(struct admission_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool has_some = pool->stats.open > 0;
    pthread_mutex_unlock(&pool->lock);
    return has_some;
}

static void dispatch(struct admission_pool *pool)
{
    while (!atomic_load(&pool->is_ending)) {
        take_turn(pool);
    }
    stop_all(pool);
    while (has_open_cycles(pool)) {
        take_turn(pool);
    }
}

/* The thread. */

struct start {
    struct admission_pool *pool;
    admission_actor_t *actor;
};

static void tell_start(struct admission_pool *pool, admission_status_t status, int error)
{
    pthread_mutex_lock(&pool->lock);
    pool->has_started = true;
    pool->start = status;
    pool->start_error = error;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

/* The first worker is made here: so there is always one, whatever becomes of later ones. */
static admission_status_t open_up(struct admission_pool *pool, admission_actor_t *actor)
{
    const admission_status_t status = admission_client_new(&pool->client, actor);
    if (status != ADMISSION_OK) {
        return status;
    }
    pthread_mutex_lock(&pool->lock);
    const bool is_hired = adm_pool_hire(pool);
    pthread_mutex_unlock(&pool->lock);
    if (!is_hired) {
        const int error = errno;
        admission_client_destroy(&pool->client);
        errno = error;
        return ADMISSION_NO_RESOURCES;
    }
    return ADMISSION_OK;
}

static void *run(void *arg)
{
    struct start *start = arg;
    struct admission_pool *pool = start->pool;
    (void)adm_cancellation_off();
    const admission_status_t status = open_up(pool, start->actor);
    tell_start(pool, status, errno); /* and `start` is gone */
    if (status == ADMISSION_OK) {
        dispatch(pool);
        adm_pool_dismiss(pool);
        admission_client_destroy(&pool->client);
    }
    adm_clock_release(clock_of(pool));
    return NULL;
}

static int start_thread(struct start *start)
{
    struct admission_pool *pool = start->pool;
    adm_clock_hold(clock_of(pool)); /* the thread's */
    const int error = adm_spawn(&pool->dispatcher, "admission-pool", run, start);
    if (error != 0) {
        adm_clock_release(clock_of(pool));
    }
    return error;
}

admission_status_t adm_pool_start(struct admission_pool *pool, admission_actor_t *actor)
{
    struct start start = {.pool = pool, .actor = actor};
    const int error = start_thread(&start);
    if (error != 0) {
        errno = error;
        return ADMISSION_NO_RESOURCES;
    }
    pthread_mutex_lock(&pool->lock);
    while (!pool->has_started) {
        pthread_cond_wait(&pool->changed, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    if (pool->start != ADMISSION_OK) {
        ADM_ASSERT(pthread_join(pool->dispatcher, NULL) == 0);
        errno = pool->start_error;
    }
    return pool->start;
}
