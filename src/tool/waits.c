/* See tool/waits.h. New waits gather in an array, which is sorted and merged into the counted
 * ones when it has grown to half of them: each wait is moved O(log n) times in all. */
#include "tool/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    RECENT_AT_LEAST = 1 << 14
};

void adm_waits_deinit(struct adm_waits *waits)
{
    free(waits->distinct);
    free(waits->recent);
}

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Sorts the recent waits and counts equal ones; how many distinct ones `counted` has then. */
static size_t count_recent(struct adm_waits *waits, struct adm_wait *counted)
{
    qsort(waits->recent, waits->n_recent, sizeof *waits->recent, compare);
    size_t n = 0;
    for (size_t i = 0; i < waits->n_recent; i++) {
        if (n > 0 && counted[n - 1].wait_us == waits->recent[i]) {
            counted[n - 1].n++;
        } else {
            counted[n++] = (struct adm_wait){.wait_us = waits->recent[i], .n = 1};
        }
    }
    return n;
}

/* Merges `counted` into the distinct ones, from the end, so that it needs no second array; what
 * both have leaves a gap at the front, which is closed. */
static void merge(struct adm_waits *waits, const struct adm_wait *counted, size_t n_counted)
{
    size_t old = waits->n_distinct;
    size_t new = n_counted;
    size_t to = old + new;
    const size_t end = to;
    waits->distinct = adm_memory_reserve(waits->distinct, &waits->distinct_room, end,
                                         sizeof *waits->distinct);
    struct adm_wait *distinct = waits->distinct;
    while (new > 0) {
        if (old > 0 && distinct[old - 1].wait_us > counted[new - 1].wait_us) {
            distinct[--to] = distinct[--old];
        } else if (old > 0 && distinct[old - 1].wait_us == counted[new - 1].wait_us) {
            distinct[--to] = distinct[--old];
            distinct[to].n += counted[--new].n;
        } else {
            distinct[--to] = counted[--new];
        }
    }
    memmove(&distinct[old], &distinct[to], (end - to) * sizeof *distinct);
    waits->n_distinct = old + (end - to);
}

void adm_waits_settle(struct adm_waits *waits)
{
    if (waits->n_recent == 0) {
        return;
    }
    struct adm_wait *counted = adm_memory_new(waits->n_recent, sizeof *counted);
    merge(waits, counted, count_recent(waits, counted));
    waits->n_recent = 0;
    free(counted);
}

void adm_waits_add(struct adm_waits *waits, int64_t wait_us)
{
    waits->recent = adm_memory_reserve(waits->recent, &waits->recent_room, waits->n_recent + 1,
                                       sizeof *waits->recent);
    waits->recent[waits->n_recent++] = wait_us;
    waits->n++;
    if (waits->n_recent >= RECENT_AT_LEAST && waits->n_recent >= waits->n_distinct / 2) {
        adm_waits_settle(waits);
    }
}

int64_t adm_waits_percentile(const struct adm_waits *waits, unsigned percent)
{
    const uint64_t rank = waits->n / 100 * percent + (waits->n % 100 * percent + 99) / 100;
    uint64_t n = 0;
    for (size_t i = 0; i < waits->n_distinct; i++) {
        n += waits->distinct[i].n;
        if (n >= rank) {
            return waits->distinct[i].wait_us;
        }
    }
    return 0;
}
