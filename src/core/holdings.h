/* What each handle holds, found by id: the ownership half of the books (H1, H2).
 *
 * A holding is a number that says whether it is a ticket or a listener and which. The id itself
 * lies in that record, not here: a lookup walks the holdings whose hash fits, and the caller,
 * who has the records, compares. */
#ifndef ADM_CORE_HOLDINGS_H
#define ADM_CORE_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/table.h"

#define ADM_HOLDING_NONE ADM_TABLE_NONE

/* Tickets, and listeners, that there can be: one bit of a holding says which it is. */
#define ADM_HOLDING_NUMBERS (UINT32_MAX / 2)

struct adm_holdings {
    struct adm_table *handles; /* one table of holdings for each handle number */
    size_t n_handles;
    size_t room;
    struct adm_hash_key hash_key;
};

static inline uint32_t adm_holding_ticket(uint32_t number)
{
    ADM_ASSERT(number < ADM_HOLDING_NUMBERS);
    return number << 1;
}

static inline uint32_t adm_holding_listener(uint32_t number)
{
    ADM_ASSERT(number < ADM_HOLDING_NUMBERS);
    return number << 1 | 1;
}

static inline bool adm_holding_is_listener(uint32_t holding)
{
    return (holding & 1) != 0;
}

static inline uint32_t adm_holding_number(uint32_t holding)
{
    return holding >> 1;
}

void adm_holdings_init(struct adm_holdings *holdings, const struct adm_hash_key *hash_key);
void adm_holdings_deinit(struct adm_holdings *holdings);

/* The hash of an id, which one step may need for several of the following. */
static inline uint32_t adm_holdings_hash(const struct adm_holdings *holdings, uint64_t id)
{
    return adm_hash_number(&holdings->hash_key, id);
}

/* The holdings of `handle` that may have the id of this hash, one after the other;
 * ADM_HOLDING_NONE ends. */
static inline uint32_t adm_holdings_first(const struct adm_holdings *holdings, uint32_t handle,
                                          uint32_t hash, struct adm_table_walk *walk)
{
    if (handle >= holdings->n_handles) {
        *walk = (struct adm_table_walk){.hash = hash};
        return ADM_HOLDING_NONE;
    }
    return adm_table_first(&holdings->handles[handle], hash, walk);
}

static inline uint32_t adm_holdings_next(const struct adm_holdings *holdings, uint32_t handle,
                                         struct adm_table_walk *walk)
{
    return adm_table_next(&holdings->handles[handle], walk);
}

/* Makes sure that there is a table for `handle`. */
void adm_holdings_reach(struct adm_holdings *holdings, uint32_t handle);

/* Adds a holding where `walk`, which went to the end, found that its id is not. */
static inline void adm_holdings_add(struct adm_holdings *holdings, uint32_t handle,
                                    const struct adm_table_walk *walk, uint32_t holding)
{
    if (handle >= holdings->n_handles) {
        adm_holdings_reach(holdings, handle);
    }
    adm_table_add_at(&holdings->handles[handle], walk, holding);
}

/* Removes the holding at which `walk` stands. */
static inline void adm_holdings_remove_at(struct adm_holdings *holdings, uint32_t handle,
                                          const struct adm_table_walk *walk)
{
    adm_table_remove_at(&holdings->handles[handle], walk);
}

/* Removes a holding that `handle` has, whose id is `id`. */
void adm_holdings_remove(struct adm_holdings *holdings, uint32_t handle, uint64_t id,
                         uint32_t holding);

/* All that `handle` holds; NULL when it never held anything. Valid until the next change. */
const struct adm_table *adm_holdings_of(const struct adm_holdings *holdings, uint32_t handle);

/* Moves all that `handle` holds out to the caller, who frees it with adm_table_deinit(). */
struct adm_table adm_holdings_take(struct adm_holdings *holdings, uint32_t handle);

size_t adm_holdings_bytes(const struct adm_holdings *holdings);

#endif
