/* The clock that a test moves.
 *
 * Who waits by it stands in a list, with the time and the descriptors that he waits for. Time
 * moves only when all is quiet: nobody holds the clock, and no descriptor of a waiter is ready.
 * The kernel is asked for the latter, so that a message which has been sent is seen before its
 * reader has woken up. A waiter whose time has come, or who has something to read, is woken and
 * held for by the one who moves the clock: so there is no instant between its wake-up and its
 * work at which all seems quiet, and to wait for quiet is to wait for the holds to end. */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include "actor/flag.h"
#include "admission/clock.h"
#include "api/cancellation.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

enum {
    MOST_FDS = 4
};

/* Wakes one waiter at a time. */
struct bell {
    int fd;
    SLIST_ENTRY(bell) link;
};

/* In the frame of the one who waits. */
struct waiter {
    struct admission_virtual_clock *clock;
    int64_t until;
    struct pollfd fds[MOST_FDS];
    size_t n_fds;
    struct bell *bell;
    bool is_woken; /* for its time has come or there is something to read; it is held for */
    LIST_ENTRY(waiter) link;
};

struct admission_virtual_clock {
    struct admission_clock face;
    pthread_mutex_t advancing; /* held by the one who moves it, before `lock` */
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t changed;
    int64_t elapsed;
    int64_t wall_us;     /* what the wall clock showed */
    int64_t wall_set_at; /* when it was set */
    size_t n_holds;
    LIST_HEAD(, waiter) waiters;
    SLIST_HEAD(, bell) bells; /* those that nobody uses */
};

static int64_t elapsed(void *context)
{
    struct admission_virtual_clock *clock = context;
    pthread_mutex_lock(&clock->lock);
    const int64_t at = clock->elapsed;
    pthread_mutex_unlock(&clock->lock);
    return at;
}

static int64_t now(void *context)
{
    struct admission_virtual_clock *clock = context;
    pthread_mutex_lock(&clock->lock);
    const int64_t since_us = clock->elapsed - clock->wall_set_at;
    const int64_t at =
        clock->wall_us > ADM_NEVER - since_us ? ADM_NEVER : clock->wall_us + since_us;
    pthread_mutex_unlock(&clock->lock);
    return at;
}

static void hold(void *context)
{
    struct admission_virtual_clock *clock = context;
    pthread_mutex_lock(&clock->lock);
    clock->n_holds++;
    pthread_mutex_unlock(&clock->lock);
}

static void release(void *context)
{
    struct admission_virtual_clock *clock = context;
    pthread_mutex_lock(&clock->lock);
    ADM_ASSERT(clock->n_holds > 0);
    clock->n_holds--;
    pthread_cond_broadcast(&clock->changed);
    pthread_mutex_unlock(&clock->lock);
}

void admission_virtual_clock_hold(admission_virtual_clock_t *clock)
{
    ADM_ASSERT(clock != NULL);
    hold(clock);
}

void admission_virtual_clock_release(admission_virtual_clock_t *clock)
{
    ADM_ASSERT(clock != NULL);
    release(clock);
}

/* Waiting. */

static struct bell *obtain_bell(struct admission_virtual_clock *clock)
{
    struct bell *bell = SLIST_FIRST(&clock->bells);
    if (bell != NULL) {
        SLIST_REMOVE_HEAD(&clock->bells, link);
        return bell;
    }
    bell = adm_memory_new(1, sizeof *bell);
    bell->fd = adm_flag_new();
    ADM_ASSERT(bell->fd != -1);
    return bell;
}

/* Stands in the list and lets the clock go; false when the time has come already. */
static bool enter(struct admission_virtual_clock *clock, struct waiter *waiter)
{
    const int before = adm_cancellation_off();
    pthread_mutex_lock(&clock->lock);
    const bool has_to_wait = clock->elapsed < waiter->until;
    if (has_to_wait) {
        ADM_ASSERT(clock->n_holds > 0);
        clock->n_holds--;
        waiter->bell = obtain_bell(clock);
        LIST_INSERT_HEAD(&clock->waiters, waiter, link);
        pthread_cond_broadcast(&clock->changed);
    }
    pthread_mutex_unlock(&clock->lock);
    adm_cancellation_restore(before);
    return has_to_wait;
}

static void leave(void *arg)
{
    struct waiter *waiter = arg;
    struct admission_virtual_clock *clock = waiter->clock;
    const int before = adm_cancellation_off();
    pthread_mutex_lock(&clock->lock);
    LIST_REMOVE(waiter, link);
    if (waiter->is_woken) {
        adm_flag_lower(waiter->bell->fd);
    } else {
        clock->n_holds++;
    }
    SLIST_INSERT_HEAD(&clock->bells, waiter->bell, link);
    pthread_cond_broadcast(&clock->changed);
    pthread_mutex_unlock(&clock->lock);
    adm_cancellation_restore(before);
}

static void wait_for(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us)
{
    ADM_ASSERT(n_fds <= MOST_FDS);
    struct waiter waiter = {.clock = context, .until = until_us, .n_fds = n_fds};
    struct pollfd polled[MOST_FDS + 1];
    for (size_t i = 0; i < n_fds; i++) {
        waiter.fds[i] = fds[i];
        polled[i] = fds[i];
    }
    if (!enter(context, &waiter)) {
        return;
    }
    pthread_cleanup_push(leave, &waiter);
    polled[n_fds] = (struct pollfd){.fd = waiter.bell->fd, .events = POLLIN};
    (void)poll(polled, (nfds_t)n_fds + 1, -1); /* a signal ends it early, which is fine */
    pthread_cleanup_pop(1);
}

/* Moving. The lock is held. */

static bool is_ready(const struct waiter *waiter)
{
    struct pollfd fds[MOST_FDS];
    for (size_t i = 0; i < waiter->n_fds; i++) {
        fds[i] = waiter->fds[i];
    }
    return poll(fds, (nfds_t)waiter->n_fds, 0) > 0;
}

static void wake(struct waiter *waiter)
{
    waiter->is_woken = true;
    waiter->clock->n_holds++;
    adm_flag_raise(waiter->bell->fd);
}

/* Wakes those who have something to read: what is ready may be taken away by another, and then
 * nothing else would tell that they have looked. False when there are none. */
static bool wake_the_ready(struct admission_virtual_clock *clock)
{
    bool has_some = false;
    struct waiter *waiter;
    LIST_FOREACH (waiter, &clock->waiters, link) {
        if (is_ready(waiter)) {
            wake(waiter);
            has_some = true;
        }
    }
    return has_some;
}

/* Waits until all is quiet. */
static void settle(struct admission_virtual_clock *clock)
{
    while (clock->n_holds > 0 || wake_the_ready(clock)) {
        pthread_cond_wait(&clock->changed, &clock->lock);
    }
}

static int64_t due_at(const struct admission_virtual_clock *clock)
{
    int64_t due = ADM_NEVER;
    const struct waiter *waiter;
    LIST_FOREACH (waiter, &clock->waiters, link) {
        due = adm_time_earlier(due, waiter->until);
    }
    return due;
}

static void wake_what_is_due(struct admission_virtual_clock *clock)
{
    struct waiter *waiter;
    LIST_FOREACH (waiter, &clock->waiters, link) {
        if (waiter->until <= clock->elapsed) {
            wake(waiter);
        }
    }
}

static void advance_to(struct admission_virtual_clock *clock, int64_t target)
{
    settle(clock);
    for (int64_t due = due_at(clock); due <= target && due != ADM_NEVER; due = due_at(clock)) {
        clock->elapsed = due;
        wake_what_is_due(clock);
        settle(clock);
    }
    clock->elapsed = target;
}

void admission_virtual_clock_advance(admission_virtual_clock_t *clock, int64_t by_us)
{
    ADM_ASSERT(clock != NULL && by_us >= 0);
    const int before = adm_cancellation_off();
    pthread_mutex_lock(&clock->advancing);
    pthread_mutex_lock(&clock->lock);
    advance_to(clock, adm_time_earlier(adm_time_add(clock->elapsed, by_us), ADM_NEVER - 1));
    pthread_mutex_unlock(&clock->lock);
    pthread_mutex_unlock(&clock->advancing);
    adm_cancellation_restore(before);
}

void admission_virtual_clock_set_wall(admission_virtual_clock_t *clock, int64_t wall_us)
{
    ADM_ASSERT(clock != NULL);
    pthread_mutex_lock(&clock->lock);
    clock->wall_us = wall_us;
    clock->wall_set_at = clock->elapsed;
    pthread_mutex_unlock(&clock->lock);
}

/* Life. */

admission_virtual_clock_t *admission_virtual_clock_new(int64_t wall_us)
{
    struct admission_virtual_clock *clock = adm_memory_new(1, sizeof *clock);
    clock->face = (struct admission_clock){
        .size = sizeof clock->face,
        .context = clock,
        .now = now,
        .elapsed = elapsed,
        .wait = wait_for,
        .hold = hold,
        .release = release,
    };
    clock->wall_us = wall_us;
    LIST_INIT(&clock->waiters);
    SLIST_INIT(&clock->bells);
    ADM_ASSERT(pthread_mutex_init(&clock->advancing, NULL) == 0);
    ADM_ASSERT(pthread_mutex_init(&clock->lock, NULL) == 0);
    ADM_ASSERT(pthread_cond_init(&clock->changed, NULL) == 0);
    return clock;
}

void admission_virtual_clock_destroy(admission_virtual_clock_t **clock_ptr)
{
    if (clock_ptr == NULL || *clock_ptr == NULL) {
        return;
    }
    struct admission_virtual_clock *clock = *clock_ptr;
    *clock_ptr = NULL;
    ADM_ASSERT(LIST_EMPTY(&clock->waiters));
    struct bell *bell;
    while ((bell = SLIST_FIRST(&clock->bells)) != NULL) {
        SLIST_REMOVE_HEAD(&clock->bells, link);
        close(bell->fd);
        free(bell);
    }
    pthread_cond_destroy(&clock->changed);
    pthread_mutex_destroy(&clock->lock);
    pthread_mutex_destroy(&clock->advancing);
    free(clock);
}

const struct admission_clock *admission_virtual_clock_face(
    const admission_virtual_clock_t *clock)
{
    ADM_ASSERT(clock != NULL);
    return &clock->face;
}
