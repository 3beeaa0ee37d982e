/* What the actor answers to whoever waits for it: the calls of the actor handle. */
#ifndef ADM_ACTOR_ANSWER_H
#define ADM_ACTOR_ANSWER_H

#include <stdint.h>

#include "base/name.h"
#include "core/stats.h"

/* The books of the loop, beside those of the machine. At rest:
 *   opened = handles + destroyed + died */
struct adm_loop_stats {
    uint64_t handles;
    uint64_t opened;
    uint64_t destroyed;
    uint64_t died;
    uint64_t malformed;
    uint64_t wakeups;
};

/* The names of the longest held ticket are borrowed: from the machine in the loop, from the
 * caller's own copy (actor/calls.h) outside. */
struct adm_actor_stats {
    struct adm_stats machine;
    struct adm_loop_stats loop;
    uint64_t longest_owner; /* the public number of machine.longest_handle */
};

enum adm_answer_word {
    ADM_ANSWER_OK,
    ADM_ANSWER_NO_PROVIDER,
    ADM_ANSWER_NOT_DRAINED,
    ADM_ANSWER_ENDED, /* the actor ended first */
};

struct adm_answer {
    enum adm_answer_word word;
    const struct adm_actor_stats *stats; /* of STATS; else NULL */
};

#endif
