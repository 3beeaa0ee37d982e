/* Exact percentiles, against a plain sorted array; and the level over time behind a picture. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdlib.h>

#include "tool/series.h"
#include "tool/waits.h"

TestSuite(waits, .timeout = 30);
TestSuite(series, .timeout = 30);

enum {
    N_WAITS = 100000
};

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Adds `n` waits below `range` and checks every percentile against the sorted array. */
static void check(int n, int64_t range)
{
    static int64_t plain[N_WAITS];
    struct adm_waits waits = {0};
    for (int i = 0; i < n; i++) {
        plain[i] = ((int64_t)random() * 4093) % range;
        adm_waits_add(&waits, plain[i]);
    }
    adm_waits_settle(&waits);
    qsort(plain, (size_t)n, sizeof *plain, compare);
    cr_expect_eq(waits.n, (uint64_t)n);
    for (unsigned percent = 1; percent <= 100; percent++) {
        const int rank = (n * (int)percent + 99) / 100;
        const int64_t found = adm_waits_percentile(&waits, percent);
        cr_expect_eq(found, plain[rank - 1], "p%u of %d: %" PRId64, percent, n, found);
    }
    adm_waits_deinit(&waits);
}

Test(waits, percentiles_are_nearest_rank_whatever_the_number)
{
    const int counts[] = {1, 2, 3, 10, 99, 100, 101, 16384, 16385, N_WAITS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check(counts[i], 1);
        check(counts[i], 50);
        check(counts[i], INT64_C(1) << 40);
    }
}

Test(waits, there_is_a_percentile_of_nothing)
{
    struct adm_waits waits = {0};
    adm_waits_settle(&waits);
    cr_expect_eq(adm_waits_percentile(&waits, 99), 0);
    adm_waits_deinit(&waits);
}

Test(waits, equal_waits_are_kept_once)
{
    struct adm_waits waits = {0};
    for (int i = 0; i < 5 * N_WAITS; i++) {
        adm_waits_add(&waits, i % 1000);
    }
    adm_waits_settle(&waits);
    cr_expect_eq(waits.n_distinct, 1000);
    cr_expect_leq(waits.recent_room, 32768);
    for (size_t i = 0; i < waits.n_distinct; i++) {
        cr_assert_eq(waits.distinct[i].wait_us, (int64_t)i);
        cr_assert_eq(waits.distinct[i].n, 5 * N_WAITS / 1000);
    }
    adm_waits_deinit(&waits);
}

/* The highest level from `from` on and before `to`, by walking over all changes. */
static uint32_t highest(const int64_t *at, const uint32_t *level, int n, int64_t from,
                        int64_t to)
{
    uint32_t found = 0;
    for (int i = 0; i < n; i++) {
        const bool is_over = i + 1 < n && at[i + 1] <= from;
        if (at[i] < to && !is_over && level[i] > found) {
            found = level[i];
        }
    }
    return found;
}

Test(series, each_step_has_the_highest_level_that_was_in_it)
{
    enum {
        N = 3000
    };
    static struct adm_series series;
    static int64_t at[N];
    static uint32_t level[N];
    int64_t now = 1000;
    for (int i = 0; i < N; i++) {
        now += random() % (i < N / 2 ? 3 : 5000);
        at[i] = now;
        level[i] = (uint32_t)random() % 100;
        adm_series_add(&series, at[i], level[i]);
    }
    cr_expect_leq(series.n, ADM_SERIES_MAX);
    cr_expect_geq(series.n, ADM_SERIES_MAX / 2);
    for (size_t step = 0; step < series.n; step++) {
        const int64_t from = series.start_at + (int64_t)step * series.step_us;
        cr_assert_eq(series.highest[step], highest(at, level, N, from, from + series.step_us),
                     "step %zu", step);
    }
}
