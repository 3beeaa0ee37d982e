/* See actor/clock.h. The system's clock waits in ppoll(): zmq_poll() knows milliseconds only.
 */
#include "actor/clock.h"

#include <pthread.h>
#include <time.h>

#include "base/assert.h"
#include "base/time.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec at;
    ADM_ASSERT(clock_gettime(clock, &at) == 0);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

int64_t adm_clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_now(void *context)
{
    (void)context;
    return read_clock(CLOCK_REALTIME);
}

static int64_t system_elapsed(void *context)
{
    (void)context;
    return adm_clock_monotonic();
}

/* A signal ends it early, which is fine. */
static void system_wait(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us)
{
    (void)context;
    if (until_us == ADM_NEVER) {
        ppoll(fds, n_fds, NULL, NULL);
        return;
    }
    const int64_t left_us = until_us - adm_clock_monotonic();
    if (left_us > 0) {
        const struct timespec left = {.tv_sec = (time_t)(left_us / 1000000),
                                      .tv_nsec = (long)(left_us % 1000000) * 1000};
        ppoll(fds, n_fds, &left, NULL);
    }
}

struct adm_clock adm_clock_system(void)
{
    return (struct adm_clock){
        .now = system_now, .elapsed = system_elapsed, .wait = system_wait};
}

/* Work. */

static _Thread_local struct adm_clock_work *innermost;

/* Each actor has its own copy of a clock. */
static bool is_same(const struct adm_clock *a, const struct adm_clock *b)
{
    return a->context == b->context && a->hold == b->hold;
}

void adm_clock_begin_work(struct adm_clock_work *work, const struct adm_clock *clock)
{
    *work = (struct adm_clock_work){.clock = clock, .outer = innermost};
    for (const struct adm_clock_work *at = innermost; at != NULL; at = at->outer) {
        work->is_inside = work->is_inside || is_same(at->clock, clock);
    }
    if (!work->is_inside) {
        adm_clock_hold(clock);
    }
    innermost = work;
}

void adm_clock_forget_work(struct adm_clock_work *work)
{
    ADM_ASSERT(innermost == work);
    innermost = work->outer;
}

void adm_clock_end_work(struct adm_clock_work *work)
{
    adm_clock_forget_work(work);
    if (!work->is_inside) {
        adm_clock_release(work->clock);
    }
}

static void end_visit(void *work)
{
    adm_clock_end_work(work);
}

void adm_clock_visit(const struct adm_clock *clock, struct pollfd *fds, size_t n_fds,
                     int64_t until_us)
{
    struct adm_clock_work work;
    adm_clock_begin_work(&work, clock);
    pthread_cleanup_push(end_visit, &work);
    adm_clock_wait(clock, fds, n_fds, until_us);
    pthread_cleanup_pop(1);
}
