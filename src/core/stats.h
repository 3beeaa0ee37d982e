/* The machine's books, as an operator reads them. */
#ifndef ADM_CORE_STATS_H
#define ADM_CORE_STATS_H

#include <stdint.h>

#include "base/name.h"
#include "core/effect.h"

enum {
    ADM_N_WAITS = 64
};

/* Counters count since the machine was made. They balance at rest:
 *   tickets_granted = running + tickets_left
 *   listeners_admitted = listeners + listeners_superseded + listeners_left + listeners_closed
 * and every ticket that was asked for is granted, refused, withdrawn or still queued. */
struct adm_stats {
    /* gauges */
    uint32_t running;
    uint32_t queued;
    uint32_t listeners;
    uint32_t principals;     /* with at least one live listener */
    uint32_t max_concurrent; /* the limit as it is now */

    /* counters */
    uint64_t tickets_granted;
    uint64_t tickets_refused[ADM_N_REASONS];
    uint64_t tickets_aborted[ADM_N_REASONS];
    uint64_t tickets_left;      /* slots given back, by leave or down */
    uint64_t tickets_withdrawn; /* taken out of the queue by their owner's leave or down */
    uint64_t listeners_admitted;
    uint64_t listeners_refused[ADM_N_REASONS];
    uint64_t listeners_superseded;
    uint64_t listeners_left; /* by leave or down */
    uint64_t listeners_closed;
    uint64_t stray_leaves; /* leaves that named nothing of the handle's */

    /* Grants by the time queued: waits[0] those of 0 us, waits[i] those from 2^(i-1) us up to,
     * but not including, 2^i us. */
    uint64_t waits[ADM_N_WAITS];

    /* The running ticket that started first (T13); its names are borrowed from the machine
     * until the next step. `longest_held_us` is 0 when none runs. */
    int64_t longest_held_us;
    uint32_t longest_handle;
    uint64_t longest_id;
    struct adm_name longest_provider;
    struct adm_name longest_key;
};

#endif
