/* The query object: what it is made of, and what other threads do to its cycles.
 *
 * It lives as long as somebody refers to it: the user, until destroy, and each cycle. */
#include "admission/query.h"

#include <stdlib.h>
#include <string.h>

#include "admission/retry_after.h"
#include "api/actor.h"
#include "api/cancellation.h"
#include "api/convert.h"
#include "api/cycle.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"

void admission_query_options_init_sized(struct admission_query_options *options, size_t size)
{
    ADM_ASSERT(options != NULL && size == sizeof *options); /* there is one version yet */
    *options = (struct admission_query_options){
        .size = sizeof *options,
        .admission_timeout_us = ADMISSION_DEFAULT,
        .max_attempts = 1,
        .retry_base_us = ADMISSION_MS(200),
        .retry_max_us = ADMISSION_S(30),
    };
}

static bool is_name_or_none(const char *text)
{
    struct adm_name name;
    return text == NULL || adm_convert_name(text, &name);
}

/* One row an option: the name of the first that is out of range, or NULL. Of a struct of
 * another size nothing else is known, so it has no row. */
static const char *find_culprit(const struct admission_query_options *options)
{
    if (options->size != sizeof *options) {
        return "size";
    }
    const struct {
        bool is_fine;
        const char *name;
    } rows[] = {
        {is_name_or_none(options->provider), "provider"},
        {is_name_or_none(options->key), "key"},
        {options->function != NULL, "function"},
        {adm_convert_is_duration(options->attempt_timeout_us), "attempt_timeout_us"},
        {options->admission_timeout_us >= 0 ||
             options->admission_timeout_us == ADMISSION_DEFAULT,
         "admission_timeout_us"},
        {options->max_attempts >= 1 && (options->max_attempts <= ADM_COUNT_MAX ||
                                        options->max_attempts == ADMISSION_NONE),
         "max_attempts"},
        {adm_convert_is_duration(options->retry_base_us), "retry_base_us"},
        {adm_convert_is_duration(options->retry_max_us), "retry_max_us"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].is_fine) {
            return rows[i].name;
        }
    }
    return NULL;
}

/* Asks the actor: whether it has the provider, or only whether it is there. */
static admission_status_t check_actor(struct adm_hub *hub, const char *provider)
{
    struct adm_call call = {.stats = NULL};
    struct adm_inbound question = {.type = ADM_INBOUND_STATS};
    if (provider != NULL) {
        question.type = ADM_INBOUND_HAS_PROVIDER;
        ADM_ASSERT(adm_convert_name(provider, &question.name));
    }
    return adm_actor_ask(hub, &question, &call);
}

static char *copy_name(const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    const size_t size = strlen(name) + 1;
    return memcpy(adm_memory_new(size, 1), name, size);
}

static uint64_t make_seed(uint64_t wanted)
{
    if (wanted != 0) {
        return wanted;
    }
    const struct adm_hash_key key = adm_hash_key_random();
    uint64_t seed;
    memcpy(&seed, &key, sizeof seed);
    return seed;
}

static struct admission_query *make(struct adm_hub *hub,
                                    const struct admission_query_options *options)
{
    struct admission_query *query = adm_memory_new(1, sizeof *query);
    query->hub = adm_hub_keep(hub);
    query->options = *options;
    query->options.provider = copy_name(options->provider);
    query->options.key = copy_name(options->key);
    query->jitter = make_seed(options->jitter_seed);
    query->n_references = 1;
    TAILQ_INIT(&query->cycles);
    ADM_ASSERT(pthread_mutex_init(&query->lock, NULL) == 0);
    return query;
}

admission_status_t admission_query_new(admission_query_t **query,
                                       const admission_client_t *client,
                                       const struct admission_query_options *options,
                                       const char **culprit)
{
    ADM_ASSERT(query != NULL && client != NULL && options != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    const char *found = find_culprit(options);
    if (found != NULL) {
        if (culprit != NULL) {
            *culprit = found;
        }
        return ADMISSION_INVALID;
    }
    const admission_status_t checked = check_actor(client->hub, options->provider);
    if (checked == ADMISSION_OK) {
        *query = make(client->hub, options);
    }
    return checked;
}

/* Its life. */

static void free_query(struct admission_query *query)
{
    free((void *)(uintptr_t)query->options.provider);
    free((void *)(uintptr_t)query->options.key);
    free(query);
}

void adm_query_keep(struct admission_query *query)
{
    query->n_references++;
}

void adm_query_release(struct admission_query *query)
{
    const bool is_last = --query->n_references == 0;
    pthread_mutex_unlock(&query->lock);
    if (is_last) {
        const int before = adm_cancellation_off();
        pthread_mutex_destroy(&query->lock);
        adm_hub_release(&query->hub);
        free_query(query);
        adm_cancellation_restore(before);
    }
}

/* Interrupting. */

/* Takes the lock; false in a child made by fork(), whose copy of it may be locked for ever. */
static bool enter(struct admission_query *query)
{
    ADM_ASSERT(query != NULL);
    if (adm_hub_is_forked(query->hub)) {
        return false;
    }
    pthread_mutex_lock(&query->lock);
    return true;
}

static bool is_held(const struct adm_cycle *cycle)
{
    return cycle->phase == ADM_PHASE_HELD;
}

static void stop_all(struct admission_query *query, admission_abort_t why, bool held_too)
{
    struct adm_cycle *cycle;
    TAILQ_FOREACH (cycle, &query->cycles, link) {
        if (held_too || !is_held(cycle)) {
            adm_cycle_stop(cycle, why);
        }
    }
}

void admission_query_pause(admission_query_t *query, admission_pause_t new_cycles)
{
    if (!enter(query)) {
        return;
    }
    if (query->state != ADM_QUERY_DISPOSED) {
        const bool refuses = new_cycles == ADMISSION_PAUSE_REFUSE;
        query->state = refuses ? ADM_QUERY_REFUSING : ADM_QUERY_HOLDING;
        stop_all(query, ADMISSION_ABORT_PAUSED, refuses);
    }
    pthread_mutex_unlock(&query->lock);
}

void admission_query_resume(admission_query_t *query)
{
    if (!enter(query)) {
        return;
    }
    if (query->state != ADM_QUERY_DISPOSED) {
        query->state = ADM_QUERY_OPEN;
        struct adm_cycle *cycle;
        TAILQ_FOREACH (cycle, &query->cycles, link) {
            if (is_held(cycle)) {
                cycle->phase = ADM_PHASE_READY;
                cycle->nudge(cycle);
            }
        }
    }
    pthread_mutex_unlock(&query->lock);
}

static void dispose(struct admission_query *query)
{
    query->state = ADM_QUERY_DISPOSED;
    stop_all(query, ADMISSION_ABORT_DISPOSED, true);
}

void admission_query_dispose(admission_query_t *query)
{
    if (enter(query)) {
        dispose(query);
        pthread_mutex_unlock(&query->lock);
    }
}

void admission_query_unsubscribe(admission_query_t *query, uint64_t cycle_number)
{
    if (!enter(query)) {
        return;
    }
    struct adm_cycle *cycle;
    TAILQ_FOREACH (cycle, &query->cycles, link) {
        if (cycle->result.cycle == cycle_number) {
            adm_cycle_stop(cycle, ADMISSION_ABORT_UNSUBSCRIBED);
            break;
        }
    }
    pthread_mutex_unlock(&query->lock);
}

void admission_query_destroy(admission_query_t **query_ptr)
{
    if (query_ptr == NULL || *query_ptr == NULL) {
        return;
    }
    struct admission_query *query = *query_ptr;
    *query_ptr = NULL;
    if (enter(query)) {
        dispose(query);
        adm_query_release(query);
    } else {
        free_query(query);
    }
}

/* From inside the function. */

admission_status_t admission_attempt_cooldown(const struct admission_attempt *attempt,
                                              int64_t delay_us)
{
    ADM_ASSERT(attempt != NULL);
    const struct admission_query *query = attempt->query;
    struct adm_call call = {.stats = NULL};
    struct adm_inbound order = {.type = ADM_INBOUND_STEP,
                                .request = {.type = ADM_REQUEST_COOLDOWN}};
    order.request.of.cooldown.delay_us = delay_us;
    if (!adm_convert_is_duration(delay_us) ||
        !adm_convert_name(query->options.provider, &order.request.of.cooldown.provider)) {
        return ADMISSION_INVALID;
    }
    return adm_actor_ask(query->hub, &order, &call);
}

const char *admission_outcome_text(admission_outcome_t outcome)
{
    switch (outcome) {
    case ADMISSION_OUTCOME_VALUE:
        return "value";
    case ADMISSION_OUTCOME_SOURCE:
        return "source";
    case ADMISSION_OUTCOME_ADMISSION:
        return "admission";
    case ADMISSION_OUTCOME_ABORTED:
        return "aborted";
    }
    return "not an outcome";
}
