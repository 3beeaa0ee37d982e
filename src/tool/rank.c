/* See tool/rank.h. */
#include "tool/rank.h"

size_t adm_rank(const void *context, uint32_t n, adm_rank_is_hit *is_hit,
                adm_rank_before *before, uint32_t first[ADM_RANK_MAX])
{
    size_t n_first = 0;
    for (uint32_t number = 0; number < n; number++) {
        if (!is_hit(context, number)) {
            continue;
        }
        size_t at = n_first;
        while (at > 0 && before(context, number, first[at - 1])) {
            at--;
        }
        if (at == ADM_RANK_MAX) {
            continue;
        }
        n_first += n_first < ADM_RANK_MAX;
        for (size_t i = n_first - 1; i > at; i--) {
            first[i] = first[i - 1];
        }
        first[at] = number;
    }
    return n_first;
}
