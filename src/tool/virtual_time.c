/* See tool/virtual_time.h. The clock moves before a request is applied and not with it, so that
 * whoever is told has heard all that is due by then and can say what the request is about. For
 * the machine it is the same: a second step to the same instant finds nothing left to do. */
#include "tool/virtual_time.h"

#include "base/assert.h"

void adm_virtual_time_init(struct adm_virtual_time *time, const struct adm_hash_key *key,
                           adm_virtual_time_tell *tell, void *context)
{
    const struct adm_limits limits = adm_limits_default();
    *time = (struct adm_virtual_time){
        .machine = adm_machine_new(&limits, key),
        .tell = tell,
        .context = context,
    };
}

void adm_virtual_time_deinit(struct adm_virtual_time *time)
{
    adm_machine_destroy(&time->machine);
    adm_effects_deinit(&time->effects);
}

static void step(struct adm_virtual_time *time, int64_t now, const struct adm_request *request)
{
    time->now = now;
    adm_machine_step(time->machine, now, request, &time->effects);
    for (size_t i = 0; i < time->effects.n; i++) {
        time->tell(time->context, now, &time->effects.items[i]);
    }
    adm_effects_clear(&time->effects);
}

void adm_virtual_time_move(struct adm_virtual_time *time, int64_t at)
{
    ADM_ASSERT(at >= time->now);
    int64_t due_at;
    while ((due_at = adm_machine_due_at(time->machine)) <= at) {
        step(time, due_at, NULL);
    }
    time->now = at;
}

void adm_virtual_time_jump(struct adm_virtual_time *time, int64_t at)
{
    ADM_ASSERT(at >= time->now);
    time->now = at;
    if (adm_machine_due_at(time->machine) <= at) {
        step(time, at, NULL);
    }
}

void adm_virtual_time_apply(struct adm_virtual_time *time, const struct adm_request *request)
{
    step(time, time->now, request);
}

void adm_virtual_time_ask(struct adm_virtual_time *time, const struct adm_request *live,
                          struct adm_effects *answer)
{
    ADM_ASSERT(live->type == ADM_REQUEST_LIVE);
    ADM_ASSERT(adm_machine_due_at(time->machine) > time->now);
    adm_machine_step(time->machine, time->now, live, answer);
}
