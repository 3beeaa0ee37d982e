/* See tool/bench/door.h. */
#include "tool/bench/door.h"

#include <stdio.h>

#include "base/assert.h"

admission_actor_t *adm_door_open(admission_spin_t spin)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_listens_per_principal = ADM_DOOR_CAP;
    options.limits.queue_capacity = ADMISSION_NONE;
    options.spin = spin;
    admission_actor_t *actor;
    ADM_ASSERT(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    return actor;
}

admission_client_t *adm_door_client(admission_actor_t *actor)
{
    admission_client_t *client;
    ADM_ASSERT(admission_client_new(&client, actor) == ADMISSION_OK);
    return client;
}

struct admission_stats adm_door_stats(admission_actor_t *actor)
{
    struct admission_stats stats;
    ADM_ASSERT(admission_actor_stats(actor, &stats) == ADMISSION_OK);
    return stats;
}

struct admission_event adm_door_next(admission_client_t *client)
{
    struct admission_event event;
    ADM_ASSERT(admission_client_next(client, ADMISSION_NONE, &event) == ADMISSION_OK);
    return event;
}

struct errand {
    admission_actor_t *actor;
    size_t n;
    bool is_ticket;
    struct adm_latencies *latencies; /* one for each caller */
};

static void admit_and_leave(admission_client_t *client, bool is_ticket,
                            const struct admission_listen *listen)
{
    uint64_t id;
    const admission_status_t status =
        is_ticket ? admission_client_admit_ticket(client, NULL, &id, NULL)
                  : admission_client_admit_listener(client, listen, &id, NULL);
    ADM_ASSERT(status == ADMISSION_OK);
    admission_client_leave(client, id);
}

static void call(struct adm_crew *crew, void *arg, size_t i)
{
    const struct errand *errand = arg;
    admission_client_t *client = adm_door_client(errand->actor);
    char principal[32];
    snprintf(principal, sizeof principal, "principal-%zu", i);
    const struct admission_listen listen = admission_listen_default(principal);
    adm_crew_begin(crew);
    for (size_t k = 0; k < errand->n; k++) {
        const int64_t before = adm_measure_now_ns();
        admit_and_leave(client, errand->is_ticket, &listen);
        adm_latencies_add(&errand->latencies[i], adm_measure_now_ns() - before);
    }
    adm_crew_finish(crew);
    admission_client_destroy(&client);
}

int64_t adm_door_sync(admission_actor_t *actor, size_t n_callers, size_t n, bool is_ticket,
                      struct adm_latencies *latencies)
{
    struct adm_latencies *each = adm_latencies_fan_out(n_callers, n);
    struct errand errand = {.actor = actor, .n = n, .is_ticket = is_ticket, .latencies = each};
    const int64_t took_ns = adm_crew_run(n_callers, call, &errand);
    adm_latencies_fan_in(latencies, each, n_callers);
    return took_ns;
}
