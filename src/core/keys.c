/* See core/keys.h. */
#include "core/keys.h"

void adm_keys_init(struct adm_keys *keys, const struct adm_hash_key *hash_key)
{
    *keys = (struct adm_keys){.hash_key = *hash_key};
    adm_pool_init(&keys->keys, sizeof(struct adm_key));
}

void adm_keys_deinit(struct adm_keys *keys)
{
    adm_pool_deinit(&keys->keys);
    adm_table_deinit(&keys->by_name);
}

uint32_t adm_keys_find(const struct adm_keys *keys, struct adm_name name,
                       struct adm_table_walk *walk)
{
    if (adm_name_is_none(name)) {
        return ADM_KEY_NONE;
    }
    const uint32_t hash = adm_hash_name(&keys->hash_key, name);
    uint32_t number = adm_table_first(&keys->by_name, hash, walk);
    while (number != ADM_TABLE_NONE) {
        if (adm_name_equal(adm_owned_name_view(&adm_keys_at(keys, number)->name), name)) {
            return number;
        }
        number = adm_table_next(&keys->by_name, walk);
    }
    return ADM_KEY_NONE;
}

uint32_t adm_keys_add(struct adm_keys *keys, struct adm_name name,
                      const struct adm_table_walk *walk)
{
    const uint32_t number = adm_pool_take(&keys->keys);
    struct adm_key *key = adm_keys_at(keys, number);
    *key = (struct adm_key){.hash = walk->hash, .first_lane = ADM_POOL_NONE};
    adm_owned_name_init(&key->name, name);
    adm_table_add_at(&keys->by_name, walk, number);
    return number;
}

void adm_keys_release(struct adm_keys *keys, uint32_t number)
{
    if (number == ADM_KEY_NONE) {
        return;
    }
    struct adm_key *key = adm_keys_at(keys, number);
    if (!key->is_running && key->first_lane == ADM_POOL_NONE) {
        adm_table_remove(&keys->by_name, key->hash, number);
        adm_owned_name_deinit(&key->name);
        adm_pool_return(&keys->keys, number);
    }
}

bool adm_keys_is_running(const struct adm_keys *keys, uint32_t number)
{
    return number != ADM_KEY_NONE && adm_keys_at(keys, number)->is_running;
}

size_t adm_keys_bytes(const struct adm_keys *keys)
{
    return adm_pool_bytes(&keys->keys) + adm_table_bytes(&keys->by_name);
}
