/* The hardest hit of many. */
#ifndef ADM_TOOL_RANK_H
#define ADM_TOOL_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ADM_RANK_MAX = 10
};

/* Is this number hit at all? */
typedef bool adm_rank_is_hit(const void *context, uint32_t number);

/* Is number `a` to stand before number `b`? */
typedef bool adm_rank_before(const void *context, uint32_t a, uint32_t b);

/* Of the numbers below `n` that are hit the first ADM_RANK_MAX at most in the order of
 * `before`, equal ones as they are numbered; how many there are. Costs O(n). */
size_t adm_rank(const void *context, uint32_t n, adm_rank_is_hit *is_hit,
                adm_rank_before *before, uint32_t first[ADM_RANK_MAX]);

#endif
