/* A query: a call to an upstream, described once and run many times under admission.
 *
 * One run is a cycle: attempts in turn, each of which is admitted anew - so pacing, cooldowns
 * and limits hold for retries too -, calls the function, and gives its slot back when the
 * function returns, whatever happened, and only then. Until then its key runs nowhere else
 * (T1), and another cycle of that key waits in admission, under its own admission timeout.
 *
 * When the actor closes, a cycle whose function runs has its signal raised, and any other ends
 * at once - whether it is queued, rests between two attempts, or is held by a pause - as one
 * that admission refused: ADMISSION, CLOSED (K1).
 *
 * A cycle runs on the thread of whoever calls admission_query_run(), or in a pool
 * (admission/pool.h). The actor runs no user code.
 *
 * Threads. A query may be used from any thread, and run on many at the same time, each with a
 * client of its own. */
#ifndef ADMISSION_QUERY_H
#define ADMISSION_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/client.h"
#include "admission/event.h"
#include "admission/signal.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct admission_query admission_query_t;

/* One call of the function, in its hands until it returns. */
struct admission_attempt {
    admission_query_t *query;
    uint64_t number; /* in its cycle, from 1 */
    admission_signal_t *signal;
    void *user;  /* what the cycle was started with */
    void *value; /* NULL; set it to what the cycle is to result in, when it succeeds */
};

/* The function: returns 0, or the error of the source, which is yours to number. It should end
 * soon when its signal is raised; one that never returns holds its slot and its key for ever,
 * and shows in the statistics as the longest held (T13). It must return: no longjmp(), and in a
 * pool no pthread_exit() either. On a caller's thread it may use the client, and even run
 * another cycle with it. In a child that it forks there is no cycle: when it returns there,
 * admission_query_run() returns ADMISSION_FORKED at once, and in a pool the thread ends, which
 * is the only one that the child has. */
typedef int admission_function_t(struct admission_attempt *attempt, void *context);

/* Whether to try again after attempt number `attempt` has failed with `error`, and how long to
 * wait before asking for admission again: 0 to ADMISSION_NONE - 1, and what is below is read
 * as 0. Called on the thread that ran the attempt, when its slot has been given back; to be
 * brief, and not to wait. Never asked about what admission refused, nor after the last attempt,
 * nor when the cycle is to end. */
typedef bool admission_should_retry_t(uint64_t attempt, int error, void *context);
typedef int64_t admission_retry_delay_t(uint64_t attempt, int error, void *context);

/* What a query does. Begin with admission_query_options_init(). */
struct admission_query_options {
    size_t size; /* set by admission_query_options_init() */

    const char *provider; /* copied; NULL: none */
    const char *key;      /* copied; NULL: none; one invocation at a time (T1) */
    admission_function_t *function;
    void *context; /* handed to the functions */

    int64_t attempt_timeout_us;   /* counts from the grant, which the call follows at once
                                     (T11); 0: none */
    int64_t admission_timeout_us; /* of each attempt, as timeout_us of struct admission_ticket;
                                     default ADMISSION_DEFAULT, the limit */
    int64_t max_attempts;         /* 1 to 4294967294, or ADMISSION_NONE; default 1 */

    admission_should_retry_t *should_retry; /* NULL: yes */
    admission_retry_delay_t *retry_delay;   /* NULL: admission_backoff() of what follows */
    int64_t retry_base_us; /* 0 to ADMISSION_NONE - 1, as is the next; default 200 ms */
    int64_t retry_max_us;  /* default 30 s */
    uint64_t jitter_seed;  /* of the jitter's numbers; 0: at random */
};

/* How a cycle ended. */
typedef enum admission_outcome {
    ADMISSION_OUTCOME_VALUE = 1, /* the function succeeded */
    ADMISSION_OUTCOME_SOURCE,    /* the function failed, and is not tried again: `error` */
    ADMISSION_OUTCOME_ADMISSION, /* admission refused an attempt: `reason` */
    ADMISSION_OUTCOME_ABORTED,   /* aborted, or never let in: `abort` */
} admission_outcome_t;

/* The result of a cycle. */
struct admission_result {
    admission_outcome_t outcome;
    uint64_t cycle; /* its number in its query */
    void *user;     /* what it was started with */
    void *value;    /* VALUE: what the function set; else NULL */
    int error;      /* of the last attempt that failed, whatever the outcome; 0: none did */

    /* ADMISSION: why. A client without credit (ADMISSION_BUSY) counts as OVERFLOW. Otherwise
     * ADMISSION_REASON_NONE. */
    admission_reason_t reason;

    /* ABORTED: why; an attempt that ran into its timeout and failed is ABORTED too, if it is
     * the last: any other is tried again like one that failed in time. VALUE: why the signal
     * was raised, if it was, which the function did not heed. */
    admission_abort_t abort;

    uint64_t attempts;      /* calls of the function */
    int64_t waited_us;      /* in admission, all attempts together */
    int64_t ran_us;         /* in the function, all attempts together */
    int64_t received_at_us; /* the end: wall clock, microseconds since 1970 (Z3) */
};

/* What pause does with cycles that are started later. */
typedef enum admission_pause {
    ADMISSION_PAUSE_HOLD = 0, /* they wait for resume */
    ADMISSION_PAUSE_REFUSE,   /* they end at once: ABORTED, PAUSED */
} admission_pause_t;

/* Fills `options` with the defaults. Always begin with it, as with admission_options_init(),
 * where `size` is explained. */
#define admission_query_options_init(options)                                                  \
    admission_query_options_init_sized((options), sizeof *(options))
ADMISSION_EXPORT void admission_query_options_init_sized(
    struct admission_query_options *options, size_t size);

/* Makes a query for the actor of `client`, which is used for nothing else: any client of that
 * actor, and any pool, can run it. Asks the actor whether it has the provider. Returns
 *   ADMISSION_OK                end it with admission_query_destroy();
 *   ADMISSION_INVALID           an option is out of range: `*culprit`, when not NULL, is its
 *                               name, static;
 *   ADMISSION_UNKNOWN_PROVIDER  there is none of that name;
 *   ADMISSION_CLOSED            the actor has ended; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_query_new(
    admission_query_t **query, const admission_client_t *client,
    const struct admission_query_options *options, const char **culprit) ADMISSION_MUST_CHECK;

/* Disposes of it (admission_query_dispose()) and nulls the pointer. What it needs lives until
 * its last cycle has ended. NULL, or a pointer to it, is fine. */
ADMISSION_EXPORT void admission_query_destroy(admission_query_t **query);

/* Runs one cycle on the calling thread, the owner of `client`, and waits for its result. `user`
 * goes to the attempts and into the result. `*cycle`, when `cycle` is not NULL, is written
 * before anything else happens, for admission_query_unsubscribe(). A cancellation point where
 * it waits; a thread that is cancelled in it gives back what the cycle holds. Returns
 *   ADMISSION_OK              `*result` says how it ended;
 *   ADMISSION_INVALID         `client` belongs to another actor;
 *   ADMISSION_NO_RESOURCES    no descriptor could be had, errno says why; nothing was done;
 *   ADMISSION_FOREIGN_THREAD, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_query_run(admission_query_t *query, admission_client_t *client, void *user,
                    uint64_t *cycle, struct admission_result *result) ADMISSION_MUST_CHECK;

/* The four that interrupt. Any thread, also from inside the function; none waits. A cycle whose
 * function runs has its signal raised and ends, ABORTED, when the function has failed - or with
 * its VALUE when the function succeeds all the same; one that is queued, or between two
 * attempts, ends at once. */

/* Ends the cycles there are, and lets no other begin until resume. In a pool a cycle is there
 * from admission_pool_submit() on. Pausing again changes what happens to new ones: those that
 * are held stay so, or end, if it refuses. */
ADMISSION_EXPORT void admission_query_pause(admission_query_t *query,
                                            admission_pause_t new_cycles);

/* Lets cycles begin again, and those that are held. */
ADMISSION_EXPORT void admission_query_resume(admission_query_t *query);

/* Ends the cycles there are, and all that begin later, for good. */
ADMISSION_EXPORT void admission_query_dispose(admission_query_t *query);

/* Ends one cycle, whose result nobody wants any more: it comes all the same. Of a cycle that
 * has ended, nothing happens. Looks for it among all that the query has, one by one, and none
 * of them takes a step meanwhile: who wants to end many of thousands pauses, or disposes. */
ADMISSION_EXPORT void admission_query_unsubscribe(admission_query_t *query, uint64_t cycle);

/* Cools the query's provider down (T8), from inside the function: what is admitted next, this
 * cycle's retry too, is held back. Waits for the actor's answer, so that it stands before the
 * slot is free. Returns ADMISSION_OK; ADMISSION_INVALID: `delay_us` is not from 0 to
 * ADMISSION_NONE - 1, or the query has no provider; ADMISSION_CLOSED; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_attempt_cooldown(
    const struct admission_attempt *attempt, int64_t delay_us) ADMISSION_MUST_CHECK;

/* "value", "source", "admission", "aborted". Static; any thread. */
ADMISSION_EXPORT const char *admission_outcome_text(admission_outcome_t outcome);

#ifdef __cplusplus
}
#endif

#endif
