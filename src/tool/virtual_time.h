/* A driver of virtual time: the machine, and a clock that moves only when it is told to (I2).
 */
#ifndef ADM_TOOL_VIRTUAL_TIME_H
#define ADM_TOOL_VIRTUAL_TIME_H

#include <stdint.h>

#include "core/machine.h"

/* Is told each effect, in order, with the instant at which it was made. The rows of a LIVE come
 * one by one after it. */
typedef void adm_virtual_time_tell(void *context, int64_t at, const struct adm_effect *effect);

struct adm_virtual_time {
    struct adm_machine *machine;
    struct adm_effects effects;
    int64_t now;
    adm_virtual_time_tell *tell;
    void *context;
};

/* A machine with the default limits, no providers, at time 0. */
void adm_virtual_time_init(struct adm_virtual_time *time, const struct adm_hash_key *key,
                           adm_virtual_time_tell *tell, void *context);
void adm_virtual_time_deinit(struct adm_virtual_time *time);

/* Moves the clock to `at`, not before `now`, and stops at every due time on the way. */
void adm_virtual_time_move(struct adm_virtual_time *time, int64_t at);

/* Moves the clock to `at` in one go: what was due on the way comes late. */
void adm_virtual_time_jump(struct adm_virtual_time *time, int64_t at);

/* Applies one request, or none, at `now`. */
void adm_virtual_time_apply(struct adm_virtual_time *time, const struct adm_request *request);

/* Asks a LIVE at `now` and gives the answer to the caller alone: nothing is told. */
void adm_virtual_time_ask(struct adm_virtual_time *time, const struct adm_request *live,
                          struct adm_effects *answer);

#endif
