/* The library, as the cases use it: whatever fails ends the run, for a figure would be wrong.
 */
#ifndef ADM_TOOL_BENCH_DOOR_H
#define ADM_TOOL_BENCH_DOOR_H

#include <admission.h>

#include "tool/bench/measure.h"

enum {
    ADM_DOOR_CAP = 4
};

/* An actor with this waiting policy, ADM_DOOR_CAP listens a principal and no limit on tickets.
 */
admission_actor_t *adm_door_open(admission_spin_t spin);
admission_client_t *adm_door_client(admission_actor_t *actor);
struct admission_stats adm_door_stats(admission_actor_t *actor);

/* The next event, waited for. */
struct admission_event adm_door_next(admission_client_t *client);

/* `n_callers` threads with a client each; each admits `n` times, blocking, and leaves. What
 * they admit is a listener of a principal of their own, or a ticket. Nanoseconds for all. */
int64_t adm_door_sync(admission_actor_t *actor, size_t n_callers, size_t n, bool is_ticket,
                      struct adm_latencies *latencies);

#endif
