/* The clock as a test seam: real time by default, or a clock that moves only when a test says
 * so.
 *
 * An actor is given its clock at the start (struct admission_options), and its clients, cycles
 * and pools go by the same one. `elapsed` decides - pacing, timeouts, cooldowns, delays -,
 * `now` only stamps (Z3): a wall clock that jumps changes no decision. */
#ifndef ADMISSION_CLOCK_H
#define ADMISSION_CLOCK_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A clock of your own. It is copied at the start; what `context` points to outlives the actor
 * and all its clients and pools. Every function is called from any thread, and at any time. */
struct admission_clock {
    size_t size; /* sizeof(struct admission_clock) */
    void *context;

    /* The wall clock, in microseconds since 1970. Stamps results and events. */
    int64_t (*now)(void *context);

    /* The clock that decides, in microseconds, from 0; it never goes back. */
    int64_t (*elapsed)(void *context);

    /* The scheduler: waits until poll() would find one of the `n_fds` (1 to 4) descriptors
     * ready, or `elapsed` has reached `until_us` (ADMISSION_NONE: never), whichever comes
     * first; may return early, and then is asked again. The caller reads no `revents`. May be a
     * cancellation point. */
    void (*wait)(void *context, struct pollfd *fds, size_t n_fds, int64_t until_us);

    /* Both or neither, NULL. Between a hold and its release a thread of the library has work in
     * hand, or is about to be handed some, and a clock that is moved by hand should not move:
     * but for the length of a wait(), which is only called by one who holds. They count: as
     * many releases as holds, not always from the same thread. */
    void (*hold)(void *context);
    void (*release)(void *context);
};

/* A clock that stands still until it is told to advance, for tests with a real actor and real
 * threads that neither sleep nor depend on speed. `elapsed` begins at 0.
 *
 * Threads. Any thread may use it; of those that advance it at the same time, one waits for the
 * other. It needs a descriptor for each thread that waits by it, and ends the process with one
 * line when there is none. */
typedef struct admission_virtual_clock admission_virtual_clock_t;

/* `wall_us` is what its wall clock begins with. */
ADMISSION_EXPORT admission_virtual_clock_t *admission_virtual_clock_new(int64_t wall_us);

/* Nothing goes by it any more. Nulls the pointer; NULL, or a pointer to it, is fine. */
ADMISSION_EXPORT void admission_virtual_clock_destroy(admission_virtual_clock_t **clock);

/* What to set in struct admission_options; valid as long as the clock. */
ADMISSION_EXPORT const struct admission_clock *admission_virtual_clock_face(
    const admission_virtual_clock_t *clock);

/* Lets `by_us` (0 to ADMISSION_NONE) pass, its wall clock with it, and everything that is due
 * on the way happen at its own instant (I2): the clock stops at every due time, in order.
 * Before it moves, at every stop and at the end it waits until all is quiet: every message that
 * was sent has been handled, by the actor and by whoever waits for the answer, and every cycle
 * waits - for the actor, for a resume, or for this clock. With 0 it only waits for that.
 *
 * So it waits for the function of a cycle too, until that returns, or waits by this clock
 * itself: on its signal, with any client, in a cycle that it runs, or in admission_pool_next().
 * A function takes no time but by waiting. One that waits for something else, such as
 * admission_actor_close(), or that advances the clock, lets it go first
 * (admission_virtual_clock_release()). */
ADMISSION_EXPORT void admission_virtual_clock_advance(admission_virtual_clock_t *clock,
                                                      int64_t by_us);

/* For the function of a cycle: lets the clock go, so that it moves though the function runs,
 * and holds it again. In between, the function does not wait by the clock. */
ADMISSION_EXPORT void admission_virtual_clock_release(admission_virtual_clock_t *clock);
ADMISSION_EXPORT void admission_virtual_clock_hold(admission_virtual_clock_t *clock);

/* Sets its wall clock: a jump, in either direction. */
ADMISSION_EXPORT void admission_virtual_clock_set_wall(admission_virtual_clock_t *clock,
                                                       int64_t wall_us);

#ifdef __cplusplus
}
#endif

#endif
