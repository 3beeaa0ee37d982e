/* The abort signal: tells a function that runs under admission to come to an end.
 *
 * It is a level, not an edge: raised once, it stays raised, with its first reason. It frees
 * nothing: the slot is given back when the function returns. Each attempt has a fresh one,
 * which is gone when the function has returned.
 *
 * Threads. In a pool any thread may ask and wait while the function runs. On a caller's thread
 * (admission_query_run()) it is that thread which reads what the actor says, by the calls
 * below: another thread sees what has been raised, but does not make it so. In a child made by
 * fork() nobody raises it any more. */
#ifndef ADMISSION_SIGNAL_H
#define ADMISSION_SIGNAL_H

#include <stdint.h>

#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct admission_signal admission_signal_t;

typedef enum admission_abort {
    ADMISSION_ABORT_NONE = 0,     /* not raised */
    ADMISSION_ABORT_TIMEOUT,      /* the attempt timeout has passed (T11) */
    ADMISSION_ABORT_PAUSED,       /* admission_query_pause() */
    ADMISSION_ABORT_DISPOSED,     /* admission_query_dispose(), or the end of the pool */
    ADMISSION_ABORT_UNSUBSCRIBED, /* admission_query_unsubscribe() */
    ADMISSION_ABORT_CLOSED,       /* the actor has closed (K1) */
} admission_abort_t;

/* Why it is raised; ADMISSION_ABORT_NONE: it is not. */
ADMISSION_EXPORT admission_abort_t admission_signal_reason(admission_signal_t *signal);

/* Waits at most `timeout_us` (0 to ADMISSION_NONE), by the actor's clock, until it is raised: a
 * sleep that an abort ends early. A cancellation point. Returns ADMISSION_OK (raised),
 * ADMISSION_EMPTY (not in time), ADMISSION_INVALID (`timeout_us` is negative) or
 * ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_signal_wait(admission_signal_t *signal, int64_t timeout_us) ADMISSION_MUST_CHECK;

/* A descriptor for the function's own poll(): readable as long as the signal is raised. On a
 * caller's thread it may also become readable for another word to the same client, and then is
 * quiet again once admission_signal_reason() has been asked: so ask. Never read, write or close
 * it; it goes with the signal. Returns ADMISSION_OK; ADMISSION_NO_RESOURCES: no descriptor
 * could be had, errno says why; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_signal_fd(admission_signal_t *signal,
                                                        int *fd) ADMISSION_MUST_CHECK;

/* "none", "timeout", "paused", ... Static; any thread. */
ADMISSION_EXPORT const char *admission_abort_text(admission_abort_t reason);

#ifdef __cplusplus
}
#endif

#endif
