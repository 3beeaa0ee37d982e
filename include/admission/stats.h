/* The books of an actor: gauges of now, counters since its start, and the time queued. */
#ifndef ADMISSION_STATS_H
#define ADMISSION_STATS_H

#include <stdint.h>

#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ADMISSION_N_REASONS = 7,
    ADMISSION_N_WAITS = 64,
    ADMISSION_NAME_SIZE = 256
};

/* The running ticket that started first: the one to look for when slots leak (T13). */
struct admission_longest_held {
    int64_t held_us; /* 0 when nothing runs; then the rest is 0 and empty */
    uint64_t owner;  /* admission_client_number() of its client */
    uint64_t id;
    char provider[ADMISSION_NAME_SIZE]; /* "" when it names none */
    char key[ADMISSION_NAME_SIZE];
};

/* At rest the counters balance:
 *   tickets_granted    = running + tickets_left
 *   listeners_admitted = listeners + listeners_superseded + listeners_left + listeners_closed
 *   clients_opened     = clients + clients_destroyed + clients_died */
struct admission_stats {
    uint64_t running;
    uint64_t queued;
    uint64_t listeners;
    uint64_t principals; /* with at least one live listener */
    uint64_t clients;
    int64_t max_concurrent; /* the limit as it is now (R1), or ADMISSION_NONE */

    uint64_t tickets_granted;
    uint64_t tickets_refused[ADMISSION_N_REASONS]; /* by admission_reason_t */
    uint64_t tickets_aborted[ADMISSION_N_REASONS];
    uint64_t tickets_left;      /* slots given back, by leave or with their client */
    uint64_t tickets_withdrawn; /* left the queue by leave or with their client */

    uint64_t listeners_admitted;
    uint64_t listeners_refused[ADMISSION_N_REASONS];
    uint64_t listeners_superseded;
    uint64_t listeners_left;
    uint64_t listeners_closed;

    uint64_t clients_opened;
    uint64_t clients_destroyed;
    uint64_t clients_died; /* their thread ended without destroying them (H1) */

    /* Leaves that named nothing of their client's. Some are normal: a leave of a listener that
     * crosses with its SUPERSEDED, or CLOSED, on the way counts. */
    uint64_t stray_leaves;
    uint64_t malformed_messages; /* dropped at the inlet */
    uint64_t wakeups;            /* how often the actor's thread woke from its wait */

    /* Grants by the time queued: waits[0] those of 0 us, waits[i] those from 2^(i-1) us up to,
     * but not including, 2^i us. */
    uint64_t waits[ADMISSION_N_WAITS];

    struct admission_longest_held longest_held;
};

#ifdef __cplusplus
}
#endif

#endif
