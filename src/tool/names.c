/* See tool/names.h. Nothing is taken out before the end, so numbers come without gaps. */
#include "tool/names.h"

static struct adm_owned_name *at(const struct adm_names *names, uint32_t number)
{
    return adm_pool_at(&names->names, number);
}

void adm_names_init(struct adm_names *names, const struct adm_hash_key *key)
{
    *names = (struct adm_names){.key = *key};
    adm_pool_init(&names->names, sizeof(struct adm_owned_name));
}

void adm_names_deinit(struct adm_names *names)
{
    const uint32_t n = adm_names_count(names);
    for (uint32_t number = 0; number < n; number++) {
        adm_owned_name_deinit(at(names, number));
        adm_pool_return(&names->names, number);
    }
    adm_table_deinit(&names->by_hash);
    adm_pool_deinit(&names->names);
}

uint32_t adm_names_number(struct adm_names *names, struct adm_name name)
{
    if (adm_name_is_none(name)) {
        return ADM_NAMES_NONE;
    }
    const uint32_t hash = adm_hash_name(&names->key, name);
    struct adm_table_walk walk;
    uint32_t number = adm_table_first(&names->by_hash, hash, &walk);
    while (number != ADM_TABLE_NONE && !adm_name_equal(adm_names_at(names, number), name)) {
        number = adm_table_next(&names->by_hash, &walk);
    }
    if (number == ADM_TABLE_NONE) {
        number = adm_pool_take(&names->names);
        adm_owned_name_init(at(names, number), name);
        adm_table_add(&names->by_hash, hash, number);
    }
    return number;
}

struct adm_name adm_names_at(const struct adm_names *names, uint32_t number)
{
    return number == ADM_NAMES_NONE ? adm_name_none() : adm_owned_name_view(at(names, number));
}
