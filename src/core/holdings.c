/* See core/holdings.h. */
#include "core/holdings.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_holdings_init(struct adm_holdings *holdings, const struct adm_hash_key *hash_key)
{
    *holdings = (struct adm_holdings){.hash_key = *hash_key};
}

void adm_holdings_deinit(struct adm_holdings *holdings)
{
    for (size_t i = 0; i < holdings->n_handles; i++) {
        ADM_ASSERT(holdings->handles[i].n == 0);
        adm_table_deinit(&holdings->handles[i]);
    }
    free(holdings->handles);
}

void adm_holdings_reach(struct adm_holdings *holdings, uint32_t handle)
{
    holdings->handles = adm_memory_reserve(holdings->handles, &holdings->room,
                                           (size_t)handle + 1, sizeof *holdings->handles);
    while (holdings->n_handles <= handle) {
        holdings->handles[holdings->n_handles++] = (struct adm_table){0};
    }
}

void adm_holdings_remove(struct adm_holdings *holdings, uint32_t handle, uint64_t id,
                         uint32_t holding)
{
    ADM_ASSERT(handle < holdings->n_handles);
    adm_table_remove(&holdings->handles[handle], adm_holdings_hash(holdings, id), holding);
}

const struct adm_table *adm_holdings_of(const struct adm_holdings *holdings, uint32_t handle)
{
    return handle < holdings->n_handles ? &holdings->handles[handle] : NULL;
}

struct adm_table adm_holdings_take(struct adm_holdings *holdings, uint32_t handle)
{
    if (handle >= holdings->n_handles) {
        return (struct adm_table){0};
    }
    const struct adm_table taken = holdings->handles[handle];
    holdings->handles[handle] = (struct adm_table){0};
    return taken;
}

size_t adm_holdings_bytes(const struct adm_holdings *holdings)
{
    size_t bytes = holdings->room * sizeof *holdings->handles;
    for (size_t i = 0; i < holdings->n_handles; i++) {
        bytes += adm_table_bytes(&holdings->handles[i]);
    }
    return bytes;
}
