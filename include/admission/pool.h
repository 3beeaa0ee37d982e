/* A pool: runs cycles of queries on threads of its own, so that an event loop can drive
 * thousands (admission/query.h says what a cycle is).
 *
 * It has a client of its own and a thread, the dispatcher, which has all its cycles admitted at
 * once: one that is blocked never blocks another. A cycle that is granted runs on a worker
 * thread, made when it is needed and kept. Every cycle that is submitted ends with one result,
 * read with admission_pool_next().
 *
 * Threads. Any thread may call any function, but for new and destroy; none of them from inside
 * a function that the pool runs, but for admission_pool_submit() and admission_pool_stats().
 * The pool's threads block all signals. */
#ifndef ADMISSION_POOL_H
#define ADMISSION_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "admission/actor.h"
#include "admission/query.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct admission_pool admission_pool_t;

struct admission_pool_options {
    size_t size; /* set by admission_pool_options_init() */

    /* Worker threads at most: 1 to 4294967294, or ADMISSION_NONE, the default: as many as the
     * limits let run at once. An attempt's timeout counts from its grant, so a grant must find
     * a worker at once: fewer than the actor's max_concurrent are refused. When that is raised
     * later, and a grant has to wait for a worker, the statistics say so. */
    int64_t max_workers;

    /* Cycles at most that are submitted and whose result has not been read. Those that are
     * queued or run also count against the credit of the pool's client (client_credit of
     * struct admission_options). 1 to 4294967294; default 1048576. */
    int64_t max_cycles;
};

struct admission_pool_stats {
    uint64_t open;     /* cycles that have not ended, */
    uint64_t finished; /* and results that have not been read */
    uint64_t workers;  /* threads that there are */
    uint64_t free;     /* of them those that have nothing to run */
    uint64_t waiting;  /* grants that wait for a worker, while their attempt's time runs */

    uint64_t submitted; /* cycles since the start */
    uint64_t waited;    /* grants that found no worker at once, since the start */
};

/* Fills `options` with the defaults. Always begin with it, as with admission_options_init(),
 * where `size` is explained. */
#define admission_pool_options_init(options)                                                   \
    admission_pool_options_init_sized((options), sizeof *(options))
ADMISSION_EXPORT void admission_pool_options_init_sized(struct admission_pool_options *options,
                                                        size_t size);

/* Makes a pool for `actor`; `options` may be NULL: the defaults. It may outlive the actor
 * handle. Returns
 *   ADMISSION_OK;
 *   ADMISSION_INVALID       an option is out of range, or `max_workers` below the actor's
 *                           max_concurrent: `*culprit`, when not NULL, is its name;
 *   ADMISSION_NO_RESOURCES  no thread, socket or descriptor could be had: errno says why;
 *   ADMISSION_CLOSED, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_pool_new(
    admission_pool_t **pool, admission_actor_t *actor,
    const struct admission_pool_options *options, const char **culprit) ADMISSION_MUST_CHECK;

/* Ends all its cycles (ADMISSION_ABORT_DISPOSED), waits until their functions have returned,
 * ends the threads, and nulls the pointer. Results that have not been read are gone. NULL, or a
 * pointer to it, is fine. In a child made by fork() it only lets go of the memory. */
ADMISSION_EXPORT void admission_pool_destroy(admission_pool_t **pool);

/* Starts a cycle of `query` and returns at once. `user` goes to the attempts and into the
 * result; `*cycle`, when `cycle` is not NULL, is written before it starts, for
 * admission_query_unsubscribe(). Returns ADMISSION_OK; ADMISSION_BUSY: `max_cycles` are there;
 * ADMISSION_INVALID: the query is another actor's; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_pool_submit(admission_pool_t *pool,
                                                          admission_query_t *query, void *user,
                                                          uint64_t *cycle) ADMISSION_MUST_CHECK;

/* Reads the next result, in the order in which the cycles ended, waiting for it at most
 * `timeout_us` by the actor's clock: 0 looks only, ADMISSION_NONE waits for ever. A
 * cancellation point. Returns ADMISSION_OK; ADMISSION_EMPTY: none came in time;
 * ADMISSION_INVALID: `timeout_us` is negative; ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_pool_next(admission_pool_t *pool, int64_t timeout_us,
                    struct admission_result *result) ADMISSION_MUST_CHECK;

/* A descriptor for poll(), epoll, libuv and the like, level-triggered: readable as long as a
 * result waits to be read. Never read, write or close it; it goes with the pool. */
ADMISSION_EXPORT int admission_pool_fd(const admission_pool_t *pool);

/* Reads the pool's books. */
ADMISSION_EXPORT void admission_pool_stats(admission_pool_t *pool,
                                           struct admission_pool_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
