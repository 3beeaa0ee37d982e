/* See tool/run.h. */
#include "tool/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void adm_run_init(struct adm_run *run, uint32_t limit, adm_sim_hear *hear, FILE *events,
                  FILE *trace)
{
    const struct adm_hash_key key = adm_hash_key_random();
    run->limit = limit;
    adm_sim_init(&run->sim, &key, hear, run);
    run->sim.events = events;
    run->sim.trace = trace;
}

void adm_run_deinit(struct adm_run *run)
{
    adm_sim_deinit(&run->sim);
}

static int loosest_first(const void *a, const void *b)
{
    const struct adm_run *left = *(const void *const *)a;
    const struct adm_run *right = *(const void *const *)b;
    if (left->limit != right->limit) {
        return left->limit > right->limit ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

const void **adm_run_order(const void *runs, size_t n, size_t size)
{
    const void **order = adm_memory_new(n, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        order[i] = (const char *)runs + i * size;
    }
    qsort(order, n, sizeof *order, loosest_first);
    return order;
}

void *adm_run_know(void *tolls, size_t *n, size_t *room, size_t size, uint32_t number)
{
    const size_t wanted = (size_t)number + 1;
    if (wanted <= *n) {
        return tolls;
    }
    char *grown = adm_memory_reserve(tolls, room, wanted, size);
    memset(grown + *n * size, 0, (wanted - *n) * size);
    *n = wanted;
    return grown;
}
