/* The live listeners of each principal, oldest first (L1, L5): the registry, without its rules.
 *
 * Invariant: a principal is here as long as it has at least one live listener; its list is in
 * admission order. */
#ifndef ADM_CORE_LISTENERS_H
#define ADM_CORE_LISTENERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/name.h"
#include "base/pool.h"
#include "base/table.h"

#define ADM_LISTENER_NONE ADM_POOL_NONE
#define ADM_PRINCIPAL_NONE ADM_POOL_NONE

struct adm_listener {
    uint64_t id;
    uint64_t order;
    uint32_t handle;
    uint32_t principal;
    uint32_t older;
    uint32_t newer;
};

struct adm_principal {
    struct adm_owned_name name;
    uint32_t hash;
    uint32_t oldest;
    uint32_t newest;
    uint32_t n;
};

struct adm_listeners {
    struct adm_pool listeners;
    struct adm_pool principals;
    struct adm_table by_name;
    uint64_t next_order;
    struct adm_hash_key hash_key;
};

void adm_listeners_init(struct adm_listeners *listeners, const struct adm_hash_key *hash_key);
void adm_listeners_deinit(struct adm_listeners *listeners);

static inline struct adm_listener *adm_listeners_at(const struct adm_listeners *listeners,
                                                    uint32_t number)
{
    return adm_pool_at(&listeners->listeners, number);
}

static inline struct adm_principal *adm_listeners_principal_at(
    const struct adm_listeners *listeners, uint32_t number)
{
    return adm_pool_at(&listeners->principals, number);
}

static inline uint32_t adm_listeners_hash(const struct adm_listeners *listeners,
                                          struct adm_name principal)
{
    return adm_hash_name(&listeners->hash_key, principal);
}

/* The principal of this name, whose hash is known; ADM_PRINCIPAL_NONE when it has no live
 * listener, and then `walk` tells adm_listeners_add_principal() where it goes. */
uint32_t adm_listeners_find(const struct adm_listeners *listeners, struct adm_name principal,
                            uint32_t hash, struct adm_table_walk *walk);

/* Adds a principal that is not there and has, until the next step of the caller, no listener.
 */
uint32_t adm_listeners_add_principal(struct adm_listeners *listeners, struct adm_name principal,
                                     const struct adm_table_walk *walk);

/* Records a new listener as its principal's newest, with the next order number. */
uint32_t adm_listeners_add(struct adm_listeners *listeners, uint32_t principal, uint32_t handle,
                           uint64_t id);

/* Takes a listener out, and its principal with it when it was the last. */
void adm_listeners_remove(struct adm_listeners *listeners, uint32_t number);

size_t adm_listeners_bytes(const struct adm_listeners *listeners);

#endif
