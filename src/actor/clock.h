/* The clock that an actor and its clients go by: the system's, or one that a test holds.
 *
 * All that waits in the library waits in one of the two functions below, and all that decides
 * by time asks adm_clock_elapsed(): so a clock that is given replaces time altogether.
 *
 * A thread of the library that has work in hand holds the clock, so that one which is moved by
 * a test does not move past it; the clock is let go for the length of a wait. The system's
 * clock moves anyway, and knows nothing of holds. */
#ifndef ADM_ACTOR_CLOCK_H
#define ADM_ACTOR_CLOCK_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/* The members of struct admission_clock (admission/clock.h), where they are explained. */
struct adm_clock {
    void *context;
    int64_t (*now)(void *context);
    int64_t (*elapsed)(void *context);
    void (*wait)(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us);
    void (*hold)(void *context); /* NULL, as is release: holding is for nothing */
    void (*release)(void *context);
};

/* The system's: CLOCK_REALTIME, CLOCK_MONOTONIC and ppoll(). */
struct adm_clock adm_clock_system(void);

/* CLOCK_MONOTONIC, whatever clock the actor goes by. */
int64_t adm_clock_monotonic(void);

static inline int64_t adm_clock_now(const struct adm_clock *clock)
{
    return clock->now(clock->context);
}

static inline int64_t adm_clock_elapsed(const struct adm_clock *clock)
{
    return clock->elapsed(clock->context);
}

static inline void adm_clock_hold(const struct adm_clock *clock)
{
    if (clock->hold != NULL) {
        clock->hold(clock->context);
    }
}

static inline void adm_clock_release(const struct adm_clock *clock)
{
    if (clock->release != NULL) {
        clock->release(clock->context);
    }
}

/* Waits until a descriptor is readable or `until_us` has come; may return early. The caller
 * holds the clock, before and after. A cancellation point, in which it is still held. */
static inline void adm_clock_wait(const struct adm_clock *clock, struct pollfd *fds,
                                  size_t n_fds, int64_t until_us)
{
    clock->wait(clock->context, fds, n_fds, until_us);
}

/* The same for a caller who does not hold it. */
void adm_clock_visit(const struct adm_clock *clock, struct pollfd *fds, size_t n_fds,
                     int64_t until_us);

#endif
