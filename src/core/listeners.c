/* See core/listeners.h. */
#include "core/listeners.h"

void adm_listeners_init(struct adm_listeners *listeners, const struct adm_hash_key *hash_key)
{
    *listeners = (struct adm_listeners){.hash_key = *hash_key};
    adm_pool_init(&listeners->listeners, sizeof(struct adm_listener));
    adm_pool_init(&listeners->principals, sizeof(struct adm_principal));
}

void adm_listeners_deinit(struct adm_listeners *listeners)
{
    adm_pool_deinit(&listeners->listeners);
    adm_pool_deinit(&listeners->principals);
    adm_table_deinit(&listeners->by_name);
}

uint32_t adm_listeners_find(const struct adm_listeners *listeners, struct adm_name principal,
                            uint32_t hash, struct adm_table_walk *walk)
{
    uint32_t number = adm_table_first(&listeners->by_name, hash, walk);
    while (number != ADM_TABLE_NONE) {
        const struct adm_principal *found = adm_listeners_principal_at(listeners, number);
        if (adm_name_equal(adm_owned_name_view(&found->name), principal)) {
            return number;
        }
        number = adm_table_next(&listeners->by_name, walk);
    }
    return ADM_PRINCIPAL_NONE;
}

uint32_t adm_listeners_add_principal(struct adm_listeners *listeners, struct adm_name name,
                                     const struct adm_table_walk *walk)
{
    const uint32_t number = adm_pool_take(&listeners->principals);
    struct adm_principal *principal = adm_listeners_principal_at(listeners, number);
    adm_owned_name_init(&principal->name, name);
    principal->hash = walk->hash;
    principal->oldest = ADM_LISTENER_NONE;
    principal->newest = ADM_LISTENER_NONE;
    principal->n = 0;
    adm_table_add_at(&listeners->by_name, walk, number);
    return number;
}

static void remove_principal(struct adm_listeners *listeners, uint32_t number)
{
    struct adm_principal *principal = adm_listeners_principal_at(listeners, number);
    adm_table_remove(&listeners->by_name, principal->hash, number);
    adm_owned_name_deinit(&principal->name);
    adm_pool_return(&listeners->principals, number);
}

uint32_t adm_listeners_add(struct adm_listeners *listeners, uint32_t principal, uint32_t handle,
                           uint64_t id)
{
    struct adm_principal *of = adm_listeners_principal_at(listeners, principal);
    const uint32_t number = adm_pool_take(&listeners->listeners);
    *adm_listeners_at(listeners, number) = (struct adm_listener){
        .id = id,
        .order = listeners->next_order++,
        .handle = handle,
        .principal = principal,
        .older = of->newest,
        .newer = ADM_LISTENER_NONE,
    };
    if (of->newest == ADM_LISTENER_NONE) {
        of->oldest = number;
    } else {
        adm_listeners_at(listeners, of->newest)->newer = number;
    }
    of->newest = number;
    of->n++;
    return number;
}

void adm_listeners_remove(struct adm_listeners *listeners, uint32_t number)
{
    const struct adm_listener *listener = adm_listeners_at(listeners, number);
    struct adm_principal *of = adm_listeners_principal_at(listeners, listener->principal);
    if (listener->older == ADM_LISTENER_NONE) {
        of->oldest = listener->newer;
    } else {
        adm_listeners_at(listeners, listener->older)->newer = listener->newer;
    }
    if (listener->newer == ADM_LISTENER_NONE) {
        of->newest = listener->older;
    } else {
        adm_listeners_at(listeners, listener->newer)->older = listener->older;
    }
    of->n--;
    if (of->n == 0) {
        remove_principal(listeners, listener->principal);
    }
    adm_pool_return(&listeners->listeners, number);
}

size_t adm_listeners_bytes(const struct adm_listeners *listeners)
{
    return adm_pool_bytes(&listeners->listeners) + adm_pool_bytes(&listeners->principals) +
           adm_table_bytes(&listeners->by_name);
}
