/* A hash table of record numbers: open addressing, linear probing, no tombstones.
 *
 * It holds what the caller's records are found by - a 32-bit hash - and the number of the
 * record, nothing else: 8 bytes a slot, at most 4 of 5 slots taken. Who looks something up
 * walks the numbers that have the right hash and compares the records itself. uthash takes 56
 * bytes an entry and a pointer chase per probe; docs/decisions/containers.md has the figures.
 */
#ifndef ADM_BASE_TABLE_H
#define ADM_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* No record has this number. */
#define ADM_TABLE_NONE UINT32_MAX

struct adm_table_slot {
    uint32_t hash;
    uint32_t number; /* ADM_TABLE_NONE: the slot is free */
};

/* Zeroed, it is an empty table that owns no memory. */
struct adm_table {
    struct adm_table_slot *slots;
    uint32_t n;
    uint32_t capacity; /* 0 or a power of two */
};

/* Where a walk stands; valid until the table changes. */
struct adm_table_walk {
    uint32_t hash;
    uint32_t at;
};

void adm_table_deinit(struct adm_table *table);

/* Adds `number` under `hash`. The same number is never in a table twice. */
void adm_table_add(struct adm_table *table, uint32_t hash, uint32_t number);

/* Takes out `number`, which is there under `hash`; gives memory back as the table empties. */
void adm_table_remove(struct adm_table *table, uint32_t hash, uint32_t number);

static inline uint32_t adm_table_next_slot(const struct adm_table *table, uint32_t at)
{
    return (at + 1) & (table->capacity - 1);
}

/* The number under the hash of `walk` that comes at its place or behind; ADM_TABLE_NONE: none.
 */
static inline uint32_t adm_table_seek(const struct adm_table *table,
                                      struct adm_table_walk *walk)
{
    while (table->slots[walk->at].number != ADM_TABLE_NONE &&
           table->slots[walk->at].hash != walk->hash) {
        walk->at = adm_table_next_slot(table, walk->at);
    }
    return table->slots[walk->at].number;
}

/* The first number under `hash`, and the next ones; ADM_TABLE_NONE at the end. */
static inline uint32_t adm_table_first(const struct adm_table *table, uint32_t hash,
                                       struct adm_table_walk *walk)
{
    if (table->n == 0) {
        return ADM_TABLE_NONE;
    }
    *walk = (struct adm_table_walk){.hash = hash, .at = hash & (table->capacity - 1)};
    return adm_table_seek(table, walk);
}

static inline uint32_t adm_table_next(const struct adm_table *table,
                                      struct adm_table_walk *walk)
{
    walk->at = adm_table_next_slot(table, walk->at);
    return adm_table_seek(table, walk);
}

/* Hints to the processor that `hash` will be looked up soon. */
static inline void adm_table_prefetch(const struct adm_table *table, uint32_t hash)
{
    if (table->n > 0) {
        __builtin_prefetch(&table->slots[hash & (table->capacity - 1)]);
    }
}

/* The bytes it has allocated. */
size_t adm_table_bytes(const struct adm_table *table);

#endif
