/* Providers: named upstreams with limits of their own, and which of them can take a start.
 *
 * A provider's `ready` heap holds its lanes whose key is free, by the arrival of their first
 * ticket: all that could start there, were the provider open. Invariant: a provider with
 * something ready and a free slot stands in one of two heaps - `open`, by that arrival, when
 * its interval and its cooldown have passed, else `shut`, by the instant when they will have.
 * All others stand in none. So the earliest eligible ticket (T3) is the first ready one of the
 * first open provider, and the next instant that time alone brings (I2) is the first of `shut`.
 *
 * Number 0 is the provider of tickets that name none; it has no limits. Providers are never
 * removed. */
#ifndef ADM_CORE_PROVIDERS_H
#define ADM_CORE_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/name.h"
#include "base/pool.h"
#include "base/table.h"
#include "core/limits.h"

#define ADM_PROVIDER_NONE 0u
#define ADM_PROVIDER_UNKNOWN ADM_POOL_NONE

/* The start of what has never started. */
#define ADM_NEVER_STARTED INT64_C(-1)

struct adm_provider {
    struct adm_owned_name name;
    struct adm_provider_limits limits;
    uint32_t n_running;
    uint32_t n_queued;
    int64_t last_start_at;
    int64_t not_before;
    struct adm_heap ready;
    struct adm_heap *seat; /* `open`, `shut` or NULL */
    uint32_t position;     /* in `seat` */
};

struct adm_providers {
    struct adm_pool providers;
    struct adm_table by_name;
    struct adm_heap open;
    struct adm_heap shut;
    adm_heap_place *place_lane;
    void *lanes; /* the owner of the ready heaps */
    struct adm_hash_key hash_key;
};

/* `place_lane(lanes, lane, position)` is told where a lane stands in a ready heap. `providers`
 * must not move afterwards. */
void adm_providers_init(struct adm_providers *providers, const struct adm_hash_key *hash_key,
                        adm_heap_place *place_lane, void *lanes);
void adm_providers_deinit(struct adm_providers *providers);

static inline struct adm_provider *adm_providers_at(const struct adm_providers *providers,
                                                    uint32_t number)
{
    return adm_pool_at(&providers->providers, number);
}

/* The provider of this name; ADM_PROVIDER_NONE for no name, else ADM_PROVIDER_UNKNOWN. */
uint32_t adm_providers_find(const struct adm_providers *providers, struct adm_name name);

/* Adds a provider, with default limits, of a name that is not there. */
uint32_t adm_providers_add(struct adm_providers *providers, struct adm_name name);

/* When its interval and its cooldown will have passed (T2). */
int64_t adm_provider_opens_at(const struct adm_provider *provider);

/* Has it a free slot, and is it open at `now`? */
bool adm_provider_takes_start(const struct adm_provider *provider, int64_t now);

/* Puts the provider where it belongs, after anything about it has changed. */
void adm_providers_reseat(struct adm_providers *providers, uint32_t number, int64_t now);

/* Opens what time alone has opened by `now`. */
void adm_providers_advance(struct adm_providers *providers, int64_t now);

size_t adm_providers_bytes(const struct adm_providers *providers);

#endif
