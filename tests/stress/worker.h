/* A thread with one client, which does what threads do, and ends as threads end. */
#ifndef ADM_TESTS_STRESS_WORKER_H
#define ADM_TESTS_STRESS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/random.h"
#include "admission.h"
#include "watch.h"

enum {
    MAX_HELD = 8,
    MAX_PENDING = 16,
};

/* What all workers of a round share. */
struct round {
    admission_actor_t *actor;
    pthread_rwlock_t lock; /* held for reading while a client is opened */
    bool is_over;          /* behind the lock: the actor is going */
    atomic_bool is_stopping;
    atomic_uint_fast64_t n_died;
    atomic_uint_fast64_t n_destroyed;
};

struct held {
    uint64_t id;
    int provider;
    int key;
};

struct worker {
    pthread_t thread;
    struct round *round;
    struct random random;
    admission_client_t *client;
    struct held held[MAX_HELD]; /* granted and not left */
    int n_held;
    struct held pending[MAX_PENDING]; /* asked for without waiting, and not answered */
    int n_pending;
    uint64_t last_listener; /* the newest that was admitted, not yet superseded; 0: none */
    atomic_bool has_ended;  /* nothing of it is used any more but to join it */
};

/* The thread's function. */
void *worker_run(void *worker);

#endif
