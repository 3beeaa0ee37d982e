/* See base/table.h.
 *
 * Invariant: walking from the home slot of a hash, every number under it comes before the first
 * free slot. Removal keeps it by moving later entries of the run back (no tombstones), so a
 * table that lives for weeks probes as fast as a new one. */
#include "base/table.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"

enum {
    SMALLEST = 4,
    SMALL = 128 /* slots, a kilobyte: not worth shrinking, for a few comings and goings would
                   make it grow again */
};

static void place(struct adm_table *table, struct adm_table_slot entry)
{
    uint32_t at = entry.hash & (table->capacity - 1);
    while (table->slots[at].number != ADM_TABLE_NONE) {
        at = adm_table_next_slot(table, at);
    }
    table->slots[at] = entry;
}

static void resize(struct adm_table *table, uint32_t capacity)
{
    const struct adm_table old = *table;
    table->slots = adm_memory_resize(NULL, capacity, sizeof *table->slots);
    table->capacity = capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        table->slots[i].number = ADM_TABLE_NONE;
    }
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].number != ADM_TABLE_NONE) {
            place(table, old.slots[i]);
        }
    }
    free(old.slots);
}

void adm_table_deinit(struct adm_table *table)
{
    free(table->slots);
    *table = (struct adm_table){0};
}

void adm_table_add(struct adm_table *table, uint32_t hash, uint32_t number)
{
    ADM_ASSERT(number != ADM_TABLE_NONE);
    if (adm_table_is_full(table)) {
        ADM_ASSERT(table->capacity <= UINT32_MAX / 4);
        resize(table, table->capacity == 0 ? SMALLEST : table->capacity * 2);
    }
    place(table, (struct adm_table_slot){.hash = hash, .number = number});
    table->n++;
}

/* Frees slot `hole`, first moving back whatever of its run could no longer be reached. */
static void close_hole(struct adm_table *table, uint32_t hole)
{
    const uint32_t mask = table->capacity - 1;
    for (uint32_t at = adm_table_next_slot(table, hole);
         table->slots[at].number != ADM_TABLE_NONE; at = adm_table_next_slot(table, at)) {
        const uint32_t home = table->slots[at].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole].number = ADM_TABLE_NONE;
}

void adm_table_remove(struct adm_table *table, uint32_t hash, uint32_t number)
{
    ADM_ASSERT(table->n > 0);
    uint32_t at = hash & (table->capacity - 1);
    while (table->slots[at].number != number) {
        ADM_ASSERT(table->slots[at].number != ADM_TABLE_NONE);
        at = adm_table_next_slot(table, at);
    }
    adm_table_remove_at(table, &(struct adm_table_walk){.hash = hash, .at = at});
}

void adm_table_remove_at(struct adm_table *table, const struct adm_table_walk *walk)
{
    ADM_ASSERT(table->slots[walk->at].number != ADM_TABLE_NONE);
    close_hole(table, walk->at);
    table->n--;
    if (table->capacity > SMALL && table->n < table->capacity / 8) {
        resize(table, table->capacity / 2);
    }
}

size_t adm_table_bytes(const struct adm_table *table)
{
    return (size_t)table->capacity * sizeof *table->slots;
}
