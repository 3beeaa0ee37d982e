/* The hardest hit of many, in order. */
#include <criterion/criterion.h>

#include "tool/rank.h"

TestSuite(rank, .timeout = 10);

static bool is_positive(const void *context, uint32_t number)
{
    const int *figures = context;
    return figures[number] > 0;
}

static bool is_higher(const void *context, uint32_t a, uint32_t b)
{
    const int *figures = context;
    return figures[a] > figures[b];
}

Test(rank, the_first_ten_come_in_order_and_equal_ones_as_they_are_numbered)
{
    const int figures[] = {3, 9, 1, 9, 7, 0, 5, 5, 5, 2, 8, 6, 4, 9};
    const uint32_t right[] = {1, 3, 13, 10, 4, 11, 6, 7, 8, 12};
    uint32_t first[ADM_RANK_MAX];
    cr_assert_eq(adm_rank(figures, 14, is_positive, is_higher, first), ADM_RANK_MAX);
    for (size_t i = 0; i < ADM_RANK_MAX; i++) {
        cr_expect_eq(first[i], right[i], "place %zu is of %u", i, first[i]);
    }
}

Test(rank, of_few_there_are_few)
{
    const int figures[] = {1, 2};
    uint32_t first[ADM_RANK_MAX];
    cr_assert_eq(adm_rank(figures, 2, is_positive, is_higher, first), 2);
    cr_expect(first[0] == 1 && first[1] == 0);
    cr_expect_eq(adm_rank(figures, 0, is_positive, is_higher, first), 0);
}

Test(rank, what_is_not_hit_has_no_place)
{
    const int figures[] = {0, 4, 0, 0, 5, 0};
    uint32_t first[ADM_RANK_MAX];
    cr_assert_eq(adm_rank(figures, 6, is_positive, is_higher, first), 2);
    cr_expect(first[0] == 4 && first[1] == 1);
}
