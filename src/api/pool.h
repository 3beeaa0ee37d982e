/* A pool, as its files see it: the door (pool.c), the dispatcher and the workers.
 *
 * A cycle goes round: posted to the dispatcher, by it to the actor, granted to a worker, posted
 * by that again, and finished. While it is `away` with a worker, the dispatcher leaves it
 * alone. Locks are taken in this order: a query's, the pool's. */
#ifndef ADM_API_POOL_H
#define ADM_API_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "admission/pool.h"
#include "api/cycle.h"
#include "api/roster.h"

struct adm_pool_cycle {
    struct adm_cycle cycle; /* first: it is nudged by its own address */
    struct admission_pool *pool;
    uint32_t number; /* in the roster; ADM_POOL_NEW: not there yet */

    /* under the pool's lock */
    bool is_posted;
    bool is_away;
    bool is_held_for; /* granted, and the clock is held for the worker who takes it */
    TAILQ_ENTRY(adm_pool_cycle) link; /* posted, granted or finished */
};

#define ADM_POOL_NEW UINT32_MAX

TAILQ_HEAD(adm_pool_list, adm_pool_cycle);

struct adm_worker {
    struct admission_pool *pool;
    pthread_t thread;
    int flag_fd;
    struct adm_clock_work work;
    SLIST_ENTRY(adm_worker) link;
};

struct admission_pool {
    struct adm_hub *hub;
    uint64_t max_workers;
    uint64_t max_cycles;
    pthread_t dispatcher;
    int wake_fd;     /* raised while something is posted, and for the end */
    int finished_fd; /* raised while a result can be read */

    atomic_bool is_ending; /* every cycle is to end, and then the dispatcher */

    pthread_mutex_t lock; /* of what follows */
    struct adm_pool_list posted;
    struct adm_pool_list granted;
    struct adm_pool_list finished;
    struct admission_pool_stats stats; /* but `waiting`; `free` are also those who will be */
    uint64_t n_granted;
    pthread_cond_t changed; /* for workers: a grant, or dismissal; for the maker: the start */
    SLIST_HEAD(, adm_worker) workers;
    bool is_dismissed; /* the workers are to end */
    bool has_started;
    admission_status_t start; /* whether the dispatcher could, */
    int start_error;          /* and the errno of why not */

    /* the dispatcher's; by the client any thread may leave and cancel */
    admission_client_t *client;
    struct adm_roster roster;
    bool has_actor_closed;
    bool has_actor_ended;
};

/* The door. */

/* Frees the pool, whose threads have ended. */
void adm_pool_free(struct admission_pool *pool);

/* The dispatcher (api/pool_dispatch.c). */

/* Starts it, with a client of `actor`, and waits until it runs. */
admission_status_t adm_pool_start(struct admission_pool *pool, admission_actor_t *actor);

/* Asks it to look at a cycle: the pool's lock is held. */
void adm_pool_post(struct adm_pool_cycle *cycle);

/* The workers (api/pool_work.c). */

/* Makes one; the lock is held. False, and errno says why, when it can't be had. */
bool adm_pool_hire(struct admission_pool *pool);

/* Hands a cycle that has been granted to a worker. */
void adm_pool_grant(struct adm_pool_cycle *cycle);

/* Waits until they have ended; nothing is granted any more. */
void adm_pool_dismiss(struct admission_pool *pool);

#endif
