/* A pool of records of one size, each found by its number.
 *
 * Numbers are half the size of pointers, which is what lets a listener fit in 64 bytes; records
 * never move; a returned record is the next one handed out, while it is still in the cache. */
#ifndef ADM_BASE_POOL_H
#define ADM_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/table.h"

enum {
    ADM_POOL_CHUNK_BITS = 8,
    ADM_POOL_CHUNK = 1 << ADM_POOL_CHUNK_BITS
};

/* No record has this number: the end of a list of records. It is the table's as well. */
#define ADM_POOL_NONE ADM_TABLE_NONE

/* Invariant: numbers below n_made are in use or on the free list; n_live are in use. */
struct adm_pool {
    char **chunks;
    size_t n_chunks;
    size_t chunk_room;
    size_t record_size;
    uint32_t n_made;
    uint32_t n_live;
    uint32_t free_head;
};

/* `record_size` is at least 4 bytes. */
void adm_pool_init(struct adm_pool *pool, size_t record_size);

/* Every record has been returned: asserted, for it is how a leak of the core shows. */
void adm_pool_deinit(struct adm_pool *pool);

/* The number of a record that was never in use. */
uint32_t adm_pool_make(struct adm_pool *pool);

/* The bytes it has allocated. */
size_t adm_pool_bytes(const struct adm_pool *pool);

/* The record `number`, which is in use. */
static inline void *adm_pool_at(const struct adm_pool *pool, uint32_t number)
{
    return pool->chunks[number >> ADM_POOL_CHUNK_BITS] +
           (number & (ADM_POOL_CHUNK - 1)) * pool->record_size;
}

/* The number of a record that is not in use; its bytes are undefined. */
static inline uint32_t adm_pool_take(struct adm_pool *pool)
{
    const uint32_t number = pool->free_head;
    if (number == ADM_POOL_NONE) {
        return adm_pool_make(pool);
    }
    memcpy(&pool->free_head, adm_pool_at(pool, number), sizeof pool->free_head);
    pool->n_live++;
    return number;
}

static inline void adm_pool_return(struct adm_pool *pool, uint32_t number)
{
    ADM_ASSERT(pool->n_live > 0);
    memcpy(adm_pool_at(pool, number), &pool->free_head, sizeof pool->free_head);
    pool->free_head = number;
    pool->n_live--;
}

#endif
