/* The actor handle: starts the actor, turns its limits, reads its books, ends it.
 *
 * Every function may be called from any thread and, but for start and destroy, waits for the
 * actor's answer: microseconds, as the actor never waits for anybody. None may be called by a
 * thread after destroy. None is a cancellation point.
 *
 * The actor is a thread of its own with all signals blocked; it replaces no signal handler, and
 * nothing of it is left at exit. A program that lives in czmq can run it as a zactor instead:
 * admission/zactor.h. */
#ifndef ADMISSION_ACTOR_H
#define ADMISSION_ACTOR_H

#include <stdint.h>

#include "admission/options.h"
#include "admission/stats.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct admission_actor admission_actor_t;

/* Starts an actor; `options` (NULL: the defaults) is copied. End it with
 * admission_actor_destroy(). Returns
 *   ADMISSION_OK            `*actor` is the handle;
 *   ADMISSION_INVALID       an option is out of range: `*culprit`, when not NULL, is its name
 *                           (admission_options_check()), and no thread was started;
 *   ADMISSION_NO_RESOURCES  no thread, socket or descriptor could be had: errno says why. */
ADMISSION_EXPORT admission_status_t
admission_actor_new(admission_actor_t **actor, const struct admission_options *options,
                    const char **culprit) ADMISSION_MUST_CHECK;

/* Closes with no drain time (K1), ends the thread and nulls the pointer. NULL, or a pointer to
 * it, is fine. Clients that are still open read what they have been sent, then
 * ADMISSION_CLOSED; they are destroyed as ever, before or after this.
 *
 * It takes the longer, the more clients have been open at once: libzmq closes their sockets one
 * by one, each in time that grows with their number: measured, 0.1 s after 1,000 clients, 1.5 s
 * after 4,000, 22 s after 9,990. The sockets of clients that have ended are used again, so what
 * counts is how many were open together: keep a client for each thread, not one for each
 * request.
 *
 * In a child made by fork() it frees the handle and nothing else: the sockets and the state of
 * the parent's actor stay in the child's memory until it ends or calls exec(). */
ADMISSION_EXPORT void admission_actor_destroy(admission_actor_t **actor);

/* Changes the limits that `change` names and leaves those that are ADMISSION_DEFAULT (R1):
 * begin with admission_limits_unchanged(). `*culprit` as in admission_actor_new(). Returns
 *   ADMISSION_OK, ADMISSION_INVALID (nothing changed), ADMISSION_CLOSED, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_actor_change_limits(admission_actor_t *actor, const struct admission_limits *change,
                              const char **culprit) ADMISSION_MUST_CHECK;

/* Changes a provider likewise, or adds it: what is ADMISSION_DEFAULT then takes the default.
 * Returns as admission_actor_change_limits(). */
ADMISSION_EXPORT admission_status_t admission_actor_change_provider(
    admission_actor_t *actor, const struct admission_provider *change,
    const char **culprit) ADMISSION_MUST_CHECK;

/* Is there a provider of this name? Returns
 *   ADMISSION_OK (there is), ADMISSION_UNKNOWN_PROVIDER (there is none), ADMISSION_INVALID (the
 *   name is empty or longer than 255 bytes), ADMISSION_CLOSED, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_actor_has_provider(
    admission_actor_t *actor, const char *provider) ADMISSION_MUST_CHECK;

/* Lets no ticket of `provider` start before now + `delay_us` (0 to ADMISSION_NONE - 1): extends
 * an earlier cooldown, never shortens it, touches nothing that runs (T8). Returns
 *   ADMISSION_OK, ADMISSION_UNKNOWN_PROVIDER, ADMISSION_INVALID, ADMISSION_CLOSED,
 *   ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_actor_cooldown(
    admission_actor_t *actor, const char *provider, int64_t delay_us) ADMISSION_MUST_CHECK;

/* Reads the books (admission/stats.h). Returns ADMISSION_OK, ADMISSION_CLOSED,
 * ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_actor_stats(
    admission_actor_t *actor, struct admission_stats *stats) ADMISSION_MUST_CHECK;

/* Closes: refuses what is queued, aborts what runs, tells every live listener, and refuses
 * every admit from now on (K1). Then waits, at most `drain_us` (0 to ADMISSION_NONE) by the
 * actor's clock, until nothing runs any more (K2). The actor goes on until destroy. Closing
 * again only waits; so does another thread that closes at the same time. Returns
 *   ADMISSION_OK           drained;
 *   ADMISSION_NOT_DRAINED  the time passed first;
 *   ADMISSION_INVALID      `drain_us` is negative: nothing was closed;
 *   ADMISSION_CLOSED       the actor has ended; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_actor_close(admission_actor_t *actor, int64_t drain_us) ADMISSION_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
