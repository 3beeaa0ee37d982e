/* See tool/series.h. */
#include "tool/series.h"

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void double_step(struct adm_series *series)
{
    for (size_t i = 0; i < series->n; i++) {
        const uint32_t highest = series->highest[i];
        series->highest[i / 2] = i % 2 == 0 ? highest : higher(series->highest[i / 2], highest);
    }
    series->n = (series->n + 1) / 2;
    series->step_us *= 2;
}

void adm_series_add(struct adm_series *series, int64_t at, uint32_t level)
{
    if (series->n == 0) {
        series->start_at = at;
        series->step_us = 1;
    }
    while ((at - series->start_at) / series->step_us >= ADM_SERIES_MAX) {
        double_step(series);
    }
    const size_t step = (size_t)((at - series->start_at) / series->step_us);
    while (series->n <= step) {
        series->highest[series->n++] = series->level;
    }
    series->highest[step] = higher(series->highest[step], level);
    series->level = level;
}

double adm_series_span_us(const struct adm_series *series)
{
    return (double)series->n * (double)series->step_us;
}
