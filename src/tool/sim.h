/* One machine on its way over a log: what comes is admitted, and leaves when it has lasted.
 *
 * Ends at an instant come before arrivals at it. A ticket lasts from its start; one whose
 * attempt is timed out leaves at once. What was superseded does not come back. */
#ifndef ADM_TOOL_SIM_H
#define ADM_TOOL_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/heap.h"
#include "base/pool.h"
#include "tool/trace.h"
#include "tool/virtual_time.h"

/* A line of the log that is queued, running or live. */
struct adm_sim_thing {
    uint64_t line; /* which line with data of the file, from 0: the ID in events and traces */
    int64_t lasts_us;
    int64_t end_at;    /* once it has begun */
    uint32_t who;      /* whose it is: a number of a name, or ADM_NAMES_NONE */
    uint32_t position; /* in the heap of ends; ADM_HEAP_OUT: it has not begun */
};

enum adm_sim_news {
    ADM_SIM_BEGAN,      /* granted, or admitted */
    ADM_SIM_REFUSED,    /* for `reason` */
    ADM_SIM_SUPERSEDED, /* before its end */
    ADM_SIM_ENDED,      /* it left */
};

struct adm_sim_event {
    enum adm_sim_news news;
    enum adm_reason reason;
    int64_t at;
    int64_t waited_us; /* in the queue, of a ticket that began or was refused */
    const struct adm_sim_thing *thing;
};

typedef void adm_sim_hear(void *context, const struct adm_sim_event *event);

struct adm_sim {
    struct adm_virtual_time time;
    struct adm_pool things;
    struct adm_heap ends;
    adm_sim_hear *hear; /* is told what happens */
    void *context;
    FILE *events; /* may be NULL */
    FILE *trace;  /* may be NULL */
    bool is_over; /* the log has ended: nothing is told or written any more */
};

void adm_sim_init(struct adm_sim *sim, const struct adm_hash_key *key, adm_sim_hear *hear,
                  void *context);
void adm_sim_deinit(struct adm_sim *sim);

/* Applies a change of limits or of a provider; before the first arrival it is a trace's header.
 */
void adm_sim_change(struct adm_sim *sim, bool is_header, const struct adm_request *request);

/* Moves the clock to `at`, through all starts, timeouts and ends on the way. */
void adm_sim_move(struct adm_sim *sim, int64_t at);

/* Something arrives: `request` admits a ticket or a listener. */
void adm_sim_admit(struct adm_sim *sim, const struct adm_sim_thing *thing,
                   const struct adm_request *request);

/* No more arrivals: goes on until nothing ends and nothing is due any more. */
void adm_sim_finish(struct adm_sim *sim);

/* How many run or are live, and how many are queued. */
static inline uint32_t adm_sim_alive(const struct adm_sim *sim)
{
    return (uint32_t)sim->ends.n;
}

static inline uint32_t adm_sim_queued(const struct adm_sim *sim)
{
    return sim->things.n_live - adm_sim_alive(sim);
}

#endif
