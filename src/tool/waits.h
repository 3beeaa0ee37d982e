/* Every wait, counted exactly: how often each distinct one came.
 *
 * Percentiles are nearest-rank over all of them, so none may be rounded or sampled away. What
 * is kept is bounded by the distinct waits - a log in milliseconds has at most as many as its
 * longest wait has milliseconds - at 16 bytes each and, while they come in, half as much again.
 */
#ifndef ADM_TOOL_WAITS_H
#define ADM_TOOL_WAITS_H

#include <stddef.h>
#include <stdint.h>

struct adm_wait {
    int64_t wait_us;
    uint64_t n;
};

/* Invariant: `distinct` is sorted and has no wait twice; `n` counts what is in both. Zeroed, it
 * is empty. */
struct adm_waits {
    uint64_t n;
    struct adm_wait *distinct;
    size_t n_distinct;
    size_t distinct_room;
    int64_t *recent; /* not counted yet, in the order they came */
    size_t n_recent;
    size_t recent_room;
};

void adm_waits_deinit(struct adm_waits *waits);

void adm_waits_add(struct adm_waits *waits, int64_t wait_us);

/* Counts what is recent: `distinct` then holds all. */
void adm_waits_settle(struct adm_waits *waits);

/* The least wait that at least `percent` of a hundred are at or below; 0 when there are none.
 * After adm_waits_settle(). */
int64_t adm_waits_percentile(const struct adm_waits *waits, unsigned percent);

#endif
