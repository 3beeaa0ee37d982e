/* The clock that an actor and its clients go by: the system's, or one that a test holds.
 *
 * All that waits in the library waits in one of the two functions below, and all that decides
 * by time asks adm_clock_elapsed(): so a clock that is given replaces time altogether.
 *
 * A thread that has work of the library in hand holds the clock, so that one which is moved by
 * a test does not move past it; the clock is let go for the length of a wait. The system's
 * clock moves anyway, and knows nothing of holds. */
#ifndef ADM_ACTOR_CLOCK_H
#define ADM_ACTOR_CLOCK_H

#include <poll.h>
#include <stdbool.h>
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

/* The work of a thread, noted with the thread: whatever it waits with - the function of a cycle
 * may have a client of its own, or run another cycle - lets the clock go that it holds. Kept by
 * the one who begins it until it ends, which it does on the same thread and in reverse order.
 */
struct adm_clock_work {
    const struct adm_clock *clock;
    struct adm_clock_work *outer;
    bool is_inside; /* work by the same clock, whose hold it shares */
};

/* Holds the clock, unless this thread does so already. */
void adm_clock_begin_work(struct adm_clock_work *work, const struct adm_clock *clock);
void adm_clock_end_work(struct adm_clock_work *work);

/* Ends it in a child made by fork(), where the clock is nobody's. */
void adm_clock_forget_work(struct adm_clock_work *work);

/* Waits until a descriptor is readable or `until_us` has come; may return early. For a thread
 * that holds the clock and runs no user code. A cancellation point, in which it is held. */
static inline void adm_clock_wait(const struct adm_clock *clock, struct pollfd *fds,
                                  size_t n_fds, int64_t until_us)
{
    clock->wait(clock->context, fds, n_fds, until_us);
}

/* The same for any thread, which may have work in hand or none. */
void adm_clock_visit(const struct adm_clock *clock, struct pollfd *fds, size_t n_fds,
                     int64_t until_us);

#endif
