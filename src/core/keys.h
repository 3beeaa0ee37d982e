/* Keys: each names one physical invocation, so at most one ticket of it runs (T1).
 *
 * Invariant: a key is here as long as a ticket of it runs or waits. Its lanes - one for each
 * provider at which tickets of it wait (core/queue.h) - hang in a list. */
#ifndef ADM_CORE_KEYS_H
#define ADM_CORE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/name.h"
#include "base/pool.h"
#include "base/table.h"

/* A ticket without a key has this one, which never runs. */
#define ADM_KEY_NONE ADM_POOL_NONE

struct adm_key {
    struct adm_owned_name name;
    uint32_t hash;
    uint32_t first_lane;
    bool is_running;
};

struct adm_keys {
    struct adm_pool keys;
    struct adm_table by_name;
    struct adm_hash_key hash_key;
};

void adm_keys_init(struct adm_keys *keys, const struct adm_hash_key *hash_key);
void adm_keys_deinit(struct adm_keys *keys);

static inline struct adm_key *adm_keys_at(const struct adm_keys *keys, uint32_t number)
{
    return adm_pool_at(&keys->keys, number);
}

/* The key of this name; ADM_KEY_NONE for no name, and when no ticket of it runs or waits: then
 * `walk` tells adm_keys_add() where it goes. */
uint32_t adm_keys_find(const struct adm_keys *keys, struct adm_name name,
                       struct adm_table_walk *walk);

/* Adds a key that is not there; it is the caller's to have a ticket of it run or wait. */
uint32_t adm_keys_add(struct adm_keys *keys, struct adm_name name,
                      const struct adm_table_walk *walk);

/* Forgets the key if no ticket of it runs or waits. ADM_KEY_NONE is fine. */
void adm_keys_release(struct adm_keys *keys, uint32_t number);

bool adm_keys_is_running(const struct adm_keys *keys, uint32_t number);

size_t adm_keys_bytes(const struct adm_keys *keys);

#endif
