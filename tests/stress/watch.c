/* See watch.h. */
#include "watch.h"

#include <inttypes.h>
#include <stdio.h>

const char *const provider_names[N_PROVIDERS + 1] = {"single", "double", "five", "wide", NULL};
const int64_t provider_caps[N_PROVIDERS] = {1, 2, 5, 12};
const char *const key_names[N_KEYS + 1] = {"k0", "k1", "k2", "k3", "k4",  "k5",
                                           "k6", "k7", "k8", "k9", "k10", "k11"};
const char *const principal_names[N_PRINCIPALS] = {"ann", "bob", "cy", "dee", "eve", "fay"};
const int64_t principal_caps[N_PRINCIPALS] = {1, 1, 2, 3, 8, 30};

struct watch watch;

void watch_fault(const char *file, int line, const char *promise)
{
    if (atomic_fetch_add(&watch.n_faults, 1) < 20) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, promise);
    }
}

void watch_meet(enum met met)
{
    atomic_fetch_add_explicit(&watch.met[met], 1, memory_order_relaxed);
}

void watch_granted(int provider, int key)
{
    watch_meet(MET_GRANT);
    WATCH_HOLDS(atomic_fetch_add(&watch.running, 1) < MAX_RUNNING);
    const int of_provider = atomic_fetch_add(&watch.of_provider[provider], 1);
    WATCH_HOLDS(provider == NO_PROVIDER || of_provider < provider_caps[provider]);
    const int of_key = atomic_fetch_add(&watch.of_key[key], 1);
    WATCH_HOLDS(key == NO_KEY || of_key == 0);
}

void watch_leaving(int provider, int key)
{
    atomic_fetch_sub(&watch.of_key[key], 1);
    atomic_fetch_sub(&watch.of_provider[provider], 1);
    atomic_fetch_sub(&watch.running, 1);
}

admission_actor_t *watch_start_actor(void)
{
    struct admission_provider providers[N_PROVIDERS];
    for (int i = 0; i < N_PROVIDERS; i++) {
        providers[i] = admission_provider_default(provider_names[i]);
        providers[i].max_concurrent = provider_caps[i];
    }
    providers[3].queue_capacity = 20;
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = MAX_RUNNING;
    options.limits.queue_capacity = 100;
    options.limits.max_listeners = MAX_LISTENERS;
    options.providers = providers;
    options.n_providers = N_PROVIDERS;
    options.inlet_capacity = 50; /* so that senders have to wait now and then */
    admission_actor_t *actor = NULL;
    WATCH_HOLDS(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    return actor;
}

void watch_empty(admission_actor_t *actor, uint64_t n_died, uint64_t n_destroyed)
{
    struct admission_stats stats;
    WATCH_HOLDS(admission_actor_stats(actor, &stats) == ADMISSION_OK);
    WATCH_HOLDS(stats.running == 0 && stats.queued == 0);
    WATCH_HOLDS(stats.listeners == 0 && stats.principals == 0);
    WATCH_HOLDS(stats.tickets_granted == stats.tickets_left);
    WATCH_HOLDS(stats.listeners_admitted ==
                stats.listeners_superseded + stats.listeners_left + stats.listeners_closed);
    WATCH_HOLDS(stats.clients == 0);
    WATCH_HOLDS(stats.clients_opened == stats.clients_died + stats.clients_destroyed);
    WATCH_HOLDS(stats.clients_died == n_died);
    WATCH_HOLDS(stats.clients_destroyed == n_destroyed);
    WATCH_HOLDS(stats.longest_held.held_us == 0);
    WATCH_HOLDS(stats.malformed_messages == 0);
    WATCH_HOLDS(atomic_load(&watch.running) == 0);
    for (int i = 0; i <= N_PROVIDERS; i++) {
        WATCH_HOLDS(atomic_load(&watch.of_provider[i]) == 0);
    }
}

bool watch_is_content(void)
{
    static const char *const names[N_MET] = {
        "grants",  "refusals", "aborts",        "admissions",   "supersessions", "live lists",
        "returns", "exits",    "cancellations", "destructions", "orderly ends",  "sudden ends",
    };
    for (int i = 0; i < N_MET; i++) {
        const uint64_t n = atomic_load(&watch.met[i]);
        fprintf(stderr, "%s%" PRIu64 " %s", i == 0 ? "" : ", ", n, names[i]);
        WATCH_HOLDS(n > 0);
    }
    fprintf(stderr, "\n");
    return atomic_load(&watch.n_faults) == 0;
}
