/* The public actor handle: every call is a request through the inlet that waits for its answer.
 */
#include "api/actor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "actor/thread.h"
#include "api/cancellation.h"
#include "api/convert.h"
#include "base/assert.h"
#include "base/memory.h"

static void apply(struct adm_machine *machine, const struct adm_request *request)
{
    struct adm_effects effects = {0};
    adm_machine_step(machine, 0, request, &effects);
    ADM_ASSERT(effects.n == 0);
    adm_effects_deinit(&effects);
}

static struct adm_machine *make_machine(const struct admission_options *options)
{
    const struct adm_limits defaults = adm_limits_default();
    const struct adm_hash_key key = adm_hash_key_random();
    struct adm_machine *machine = adm_machine_new(&defaults, &key);
    struct adm_request request;
    ADM_ASSERT(adm_convert_limits(&options->limits, &request, NULL));
    apply(machine, &request);
    for (size_t i = 0; i < options->n_providers; i++) {
        ADM_ASSERT(adm_convert_provider(&options->providers[i], &request, NULL));
        apply(machine, &request);
    }
    return machine;
}

static struct adm_clock take_clock(const struct admission_clock *clock)
{
    if (clock == NULL) {
        return adm_clock_system();
    }
    return (struct adm_clock){
        .context = clock->context,
        .now = clock->now,
        .elapsed = clock->elapsed,
        .wait = clock->wait,
        .hold = clock->hold,
        .release = clock->release,
    };
}

int adm_actor_make(const struct admission_options *options, struct adm_hub **hub,
                   struct adm_machine **machine)
{
    const struct adm_hub_options hub_options = {
        .max_clients = (uint32_t)options->max_clients,
        .inlet_capacity = (uint32_t)options->inlet_capacity,
        .client_credit = (uint32_t)options->client_credit,
        .spin = options->clock == NULL ? (enum adm_spin_policy)options->spin : ADM_SPIN_NEVER,
        .clock = take_clock(options->clock),
    };
    const int error = adm_hub_new(hub, &hub_options);
    if (error == 0) {
        *machine = make_machine(options);
    }
    return error;
}

static int start(struct admission_actor *actor, const struct admission_options *options)
{
    struct adm_machine *machine;
    int error = adm_actor_make(options, &actor->hub, &machine);
    if (error != 0) {
        return error;
    }
    error = adm_thread_start(&actor->thread, actor->hub, machine);
    if (error != 0) {
        adm_machine_destroy(&machine);
        adm_inlet_close_receiver(&actor->hub->inlet);
        adm_hub_release(&actor->hub);
    }
    return error;
}

admission_status_t admission_actor_new(admission_actor_t **actor_ptr,
                                       const struct admission_options *options,
                                       const char **culprit)
{
    ADM_ASSERT(actor_ptr != NULL);
    struct admission_options all;
    const char *found = adm_options_complete(options, &all);
    if (found != NULL) {
        if (culprit != NULL) {
            *culprit = found;
        }
        return ADMISSION_INVALID;
    }
    struct admission_actor *actor = adm_memory_new(1, sizeof *actor);
    actor->has_thread = true;
    const int before = adm_cancellation_off();
    const int error = start(actor, &all);
    adm_cancellation_restore(before);
    if (error != 0) {
        free(actor);
        errno = error;
        return ADMISSION_NO_RESOURCES;
    }
    *actor_ptr = actor;
    return ADMISSION_OK;
}

admission_status_t adm_actor_ask(struct adm_hub *hub, struct adm_inbound *inbound,
                                 struct adm_call *call)
{
    if (adm_hub_is_forked(hub)) {
        return ADMISSION_FORKED;
    }
    const int before = adm_cancellation_off();
    const enum adm_answer_word word = adm_hub_call(hub, inbound, call);
    adm_cancellation_restore(before);
    switch (word) {
    case ADM_ANSWER_OK:
        return ADMISSION_OK;
    case ADM_ANSWER_NO_PROVIDER:
        return ADMISSION_UNKNOWN_PROVIDER;
    case ADM_ANSWER_NOT_DRAINED:
        return ADMISSION_NOT_DRAINED;
    case ADM_ANSWER_ENDED:
        return ADMISSION_CLOSED;
    }
    return ADMISSION_CLOSED;
}

static admission_status_t ask_simply(admission_actor_t *actor, struct adm_inbound inbound)
{
    ADM_ASSERT(actor != NULL);
    struct adm_call call = {.stats = NULL};
    return adm_actor_ask(actor->hub, &inbound, &call);
}

void admission_actor_destroy(admission_actor_t **actor_ptr)
{
    if (actor_ptr == NULL || *actor_ptr == NULL) {
        return;
    }
    struct admission_actor *actor = *actor_ptr;
    *actor_ptr = NULL;
    ADM_ASSERT(actor->has_thread);
    if (!adm_hub_is_forked(actor->hub)) {
        const int before = adm_cancellation_off();
        (void)ask_simply(actor, (struct adm_inbound){.type = ADM_INBOUND_CLOSE});
        (void)adm_hub_send(
            actor->hub,
            &(struct adm_inbound){.type = ADM_INBOUND_END, .request = {.handle = ADM_NOBODY}});
        ADM_ASSERT(pthread_join(actor->thread, NULL) == 0);
        adm_hub_release(&actor->hub);
        adm_cancellation_restore(before);
    }
    free(actor);
}

admission_status_t admission_actor_change_limits(admission_actor_t *actor,
                                                 const struct admission_limits *change,
                                                 const char **culprit)
{
    ADM_ASSERT(change != NULL);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP};
    return adm_convert_limits(change, &inbound.request, culprit) ? ask_simply(actor, inbound)
                                                                 : ADMISSION_INVALID;
}

admission_status_t admission_actor_change_provider(admission_actor_t *actor,
                                                   const struct admission_provider *change,
                                                   const char **culprit)
{
    ADM_ASSERT(change != NULL);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP};
    return adm_convert_provider(change, &inbound.request, culprit) ? ask_simply(actor, inbound)
                                                                   : ADMISSION_INVALID;
}

admission_status_t admission_actor_has_provider(admission_actor_t *actor, const char *provider)
{
    struct adm_inbound inbound = {.type = ADM_INBOUND_HAS_PROVIDER};
    return adm_convert_name(provider, &inbound.name) ? ask_simply(actor, inbound)
                                                     : ADMISSION_INVALID;
}

admission_status_t admission_actor_cooldown(admission_actor_t *actor, const char *provider,
                                            int64_t delay_us)
{
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP,
                                  .request = {.type = ADM_REQUEST_COOLDOWN}};
    inbound.request.of.cooldown.delay_us = delay_us;
    if (!adm_convert_name(provider, &inbound.request.of.cooldown.provider) ||
        !adm_convert_is_duration(delay_us)) {
        return ADMISSION_INVALID;
    }
    return ask_simply(actor, inbound);
}

static void copy_name(char to[ADMISSION_NAME_SIZE], struct adm_name from)
{
    memcpy(to, from.bytes, from.length);
    to[from.length] = '\0';
}

_Static_assert(ADMISSION_N_REASONS == (int)ADM_N_REASONS, "the public reasons are the core's");
_Static_assert((int)ADMISSION_SPIN_NEVER == (int)ADM_SPIN_NEVER, "the public policy is ours");
_Static_assert(ADMISSION_N_WAITS == (int)ADM_N_WAITS, "the public histogram is the core's");

void adm_actor_publish_stats(const struct adm_actor_stats *from, struct admission_stats *to)
{
    const struct adm_stats *machine = &from->machine;
    *to = (struct admission_stats){
        .running = machine->running,
        .queued = machine->queued,
        .listeners = machine->listeners,
        .principals = machine->principals,
        .clients = from->loop.handles,
        .max_concurrent = machine->max_concurrent == ADM_NO_LIMIT
                              ? ADMISSION_NONE
                              : (int64_t)machine->max_concurrent,
        .tickets_granted = machine->tickets_granted,
        .tickets_left = machine->tickets_left,
        .tickets_withdrawn = machine->tickets_withdrawn,
        .listeners_admitted = machine->listeners_admitted,
        .listeners_superseded = machine->listeners_superseded,
        .listeners_left = machine->listeners_left,
        .listeners_closed = machine->listeners_closed,
        .clients_opened = from->loop.opened,
        .clients_destroyed = from->loop.destroyed,
        .clients_died = from->loop.died,
        .stray_leaves = machine->stray_leaves,
        .malformed_messages = from->loop.malformed,
        .wakeups = from->loop.wakeups,
        .longest_held = {.held_us = machine->longest_held_us,
                         .owner = from->longest_owner,
                         .id = machine->longest_id},
    };
    memcpy(to->tickets_refused, machine->tickets_refused, sizeof to->tickets_refused);
    memcpy(to->tickets_aborted, machine->tickets_aborted, sizeof to->tickets_aborted);
    memcpy(to->listeners_refused, machine->listeners_refused, sizeof to->listeners_refused);
    memcpy(to->waits, machine->waits, sizeof to->waits);
    copy_name(to->longest_held.provider, machine->longest_provider);
    copy_name(to->longest_held.key, machine->longest_key);
}

admission_status_t admission_actor_stats(admission_actor_t *actor,
                                         struct admission_stats *stats)
{
    ADM_ASSERT(actor != NULL && stats != NULL);
    struct adm_actor_stats answer;
    char provider[ADM_NAME_MAX];
    char key[ADM_NAME_MAX];
    struct adm_call call = {.stats = &answer, .longest_provider = provider, .longest_key = key};
    struct adm_inbound question = {.type = ADM_INBOUND_STATS};
    const admission_status_t status = adm_actor_ask(actor->hub, &question, &call);
    if (status == ADMISSION_OK) {
        adm_actor_publish_stats(&answer, stats);
    }
    return status;
}

admission_status_t admission_actor_close(admission_actor_t *actor, int64_t drain_us)
{
    if (drain_us < 0) {
        return ADMISSION_INVALID;
    }
    return ask_simply(actor,
                      (struct adm_inbound){.type = ADM_INBOUND_CLOSE, .drain_us = drain_us});
}
