/* The machine: docs/semantics.md, decided by a pure function of time, state and request.
 *
 * A step takes `now` and at most one request and appends effects in order; a question tells
 * when it next wants to be stepped. The same inputs give the same effects in the same order. It
 * knows no sockets, no threads and no clock. Every step costs O(log n) in what is queued,
 * running and live, beside what it makes happen; a start or an end of a key as often as there
 * are providers at which that key waits. It serves the actor, the replayer, the
 * simulator, the tests and the fuzzer alike. */
#ifndef ADM_CORE_MACHINE_H
#define ADM_CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/effect.h"
#include "core/limits.h"
#include "core/request.h"
#include "core/stats.h"

struct adm_machine;

/* A machine with these limits and no providers, at time 0. `key` should be secret and random
 * where names come from outside; it changes no effect. */
struct adm_machine *adm_machine_new(const struct adm_limits *limits,
                                    const struct adm_hash_key *key);

/* Ends the machine and nulls the pointer: takes every handle down, without effects, and asserts
 * that all books are at zero. NULL is fine. */
void adm_machine_destroy(struct adm_machine **machine);

/* Steps to `now` (I1), applies `request` (NULL: none), starts what has become eligible (T3) and
 * appends the effects. A `now` before the last one is read as the last one (Z2). */
void adm_machine_step(struct adm_machine *machine, int64_t now,
                      const struct adm_request *request, struct adm_effects *effects);

enum {
    ADM_FORESEE_MAX = 16
};

/* Brings to the processor's cache what stepping these requests soon will touch: for whoever has
 * several at hand, ADM_FORESEE_MAX at most. Changes nothing but the hashes that it notes in the
 * requests, which are for this machine then. */
void adm_machine_foresee(const struct adm_machine *machine, struct adm_request *const *requests,
                         size_t n);

/* The next due time (I2), after the last step's `now`; ADM_NEVER when nothing is due by itself.
 */
int64_t adm_machine_due_at(const struct adm_machine *machine);

/* The books as of the last step. */
void adm_machine_stats(const struct adm_machine *machine, struct adm_stats *stats);

/* Is there a provider of this name? */
bool adm_machine_has_provider(const struct adm_machine *machine, struct adm_name name);

/* How many tickets and live listeners `handle` holds. */
uint32_t adm_machine_held(const struct adm_machine *machine, uint32_t handle);

/* The bytes that the machine has allocated, without long names. */
size_t adm_machine_bytes(const struct adm_machine *machine);

#endif
