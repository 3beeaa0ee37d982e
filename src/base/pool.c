/* See base/pool.h. Chunks are kept until the pool ends: a pool is as large as its peak was. */
#include "base/pool.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"

/* Records of 32 and 64 bytes shall not lie across two of them. */
enum {
    CACHE_LINE = 64
};

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
    pool->chunks[pool->n_chunks++] =
        adm_memory_new_aligned(CACHE_LINE, ADM_POOL_CHUNK * pool->record_size);
}

uint32_t adm_pool_make(struct adm_pool *pool)
{
    if (pool->n_made == pool->n_chunks * ADM_POOL_CHUNK) {
        add_chunk(pool);
    }
    pool->n_live++;
    return pool->n_made++;
}

size_t adm_pool_bytes(const struct adm_pool *pool)
{
    return pool->n_chunks * ADM_POOL_CHUNK * pool->record_size +
           pool->chunk_room * sizeof *pool->chunks;
}
