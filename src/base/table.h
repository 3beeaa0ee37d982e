/* A hash table of record numbers: open addressing, linear probing, no tombstones.
 *
 * It holds what the caller's records are found by - a 32-bit hash - and the number of the
 * record, nothing else: 8 bytes a slot, at most half of them taken. Who looks something up
 * walks the numbers that have the right hash and compares the records itself. uthash takes 56
 * bytes an entry and a pointer chase per probe; docs/decisions/containers.md has the figures.
 */
#ifndef ADM_BASE_TABLE_H
#define ADM_BASE_TABLE_H

#include <stdbool.h>
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

/* The same for the number at which `walk` stands. */
void adm_table_remove_at(struct adm_table *table, const struct adm_table_walk *walk);

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
    *walk = (struct adm_table_walk){.hash = hash, .at = hash & (table->capacity - 1)};
    return table->n == 0 ? ADM_TABLE_NONE : adm_table_seek(table, walk);
}

static inline uint32_t adm_table_next(const struct adm_table *table,
                                      struct adm_table_walk *walk)
{
    walk->at = adm_table_next_slot(table, walk->at);
    return adm_table_seek(table, walk);
}

/* Whether one more would make it probe too far. */
static inline bool adm_table_is_full(const struct adm_table *table)
{
    return table->n >= table->capacity / 2;
}

/* Adds `number` where `walk`, which went to the end, found the first free slot of its hash. */
static inline void adm_table_add_at(struct adm_table *table, const struct adm_table_walk *walk,
                                    uint32_t number)
{
    if (adm_table_is_full(table)) {
        adm_table_add(table, walk->hash, number);
        return;
    }
    table->slots[walk->at] = (struct adm_table_slot){.hash = walk->hash, .number = number};
    table->n++;
}

/* Hints to the processor that `hash` will be looked up soon. Always inlined: gcc takes a
 * function that only hints for one that does nothing, and drops the call. */
__attribute__((always_inline)) static inline void adm_table_prefetch(
    const struct adm_table *table, uint32_t hash)
{
    if (table->n > 0) {
        __builtin_prefetch(&table->slots[hash & (table->capacity - 1)]);
    }
}

/* The bytes it has allocated. */
size_t adm_table_bytes(const struct adm_table *table);

#endif
