/* The names of a log, each kept once and called by a number: 0, 1, 2, ... as they come. */
#ifndef ADM_TOOL_NAMES_H
#define ADM_TOOL_NAMES_H

#include <stdint.h>

#include "base/hash.h"
#include "base/name.h"
#include "base/pool.h"
#include "base/table.h"

/* No name has this number: the absent name's. */
#define ADM_NAMES_NONE ADM_POOL_NONE

struct adm_names {
    struct adm_hash_key key;
    struct adm_pool names;
    struct adm_table by_hash;
};

void adm_names_init(struct adm_names *names, const struct adm_hash_key *key);
void adm_names_deinit(struct adm_names *names);

/* The number of `name`, which is new or not; ADM_NAMES_NONE of the absent name. */
uint32_t adm_names_number(struct adm_names *names, struct adm_name name);

/* The name of a number; of ADM_NAMES_NONE the absent name. */
struct adm_name adm_names_at(const struct adm_names *names, uint32_t number);

static inline uint32_t adm_names_count(const struct adm_names *names)
{
    return names->names.n_live;
}

#endif
