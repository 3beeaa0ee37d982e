/* See base/pool.h. Chunks are kept until the pool ends: a pool is as large as its peak was. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_pool_init(struct adm_pool *pool, size_t record_size)
{
    ADM_ASSERT(record_size >= sizeof(uint32_t));
    *pool = (struct adm_pool){.record_size = record_size, .free_head = ADM_POOL_NONE};
}

void adm_pool_deinit(struct adm_pool *pool)
{
    ADM_ASSERT(pool->n_live == 0);
    for (size_t i = 0; i < pool->n_chunks; i++) {
        free(pool->chunks[i]);
    }
    free(pool->chunks);
}

static void add_chunk(struct adm_pool *pool)
{
    ADM_ASSERT(pool->n_made < ADM_POOL_NONE - ADM_POOL_CHUNK);
    pool->chunks = adm_memory_reserve(pool->chunks, &pool->chunk_room, pool->n_chunks + 1,
                                      sizeof *pool->chunks);
    pool->chunks[pool->n_chunks++] = adm_memory_new(ADM_POOL_CHUNK, pool->record_size);
}

uint32_t adm_pool_take(struct adm_pool *pool)
{
    pool->n_live++;
    if (pool->free_head != ADM_POOL_NONE) {
        const uint32_t number = pool->free_head;
        memcpy(&pool->free_head, adm_pool_at(pool, number), sizeof pool->free_head);
        return number;
    }
    if (pool->n_made == pool->n_chunks * ADM_POOL_CHUNK) {
        add_chunk(pool);
    }
    return pool->n_made++;
}

void adm_pool_return(struct adm_pool *pool, uint32_t number)
{
    ADM_ASSERT(pool->n_live > 0);
    memcpy(adm_pool_at(pool, number), &pool->free_head, sizeof pool->free_head);
    pool->free_head = number;
    pool->n_live--;
}

size_t adm_pool_bytes(const struct adm_pool *pool)
{
    return pool->n_chunks * ADM_POOL_CHUNK * pool->record_size +
           pool->chunk_room * sizeof *pool->chunks;
}
