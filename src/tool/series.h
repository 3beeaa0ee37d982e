/* A level over time, for a picture: its highest value in each of at most ADM_SERIES_MAX steps.
 *
 * The time is cut into equal steps, which double whenever the log turns out to be longer, so
 * the memory is the same for a minute and for a year. */
#ifndef ADM_TOOL_SERIES_H
#define ADM_TOOL_SERIES_H

#include <stddef.h>
#include <stdint.h>

enum {
    ADM_SERIES_MAX = 1024
};

/* Step i is from start_at + i * step_us on. Zeroed, it has no steps. */
struct adm_series {
    int64_t start_at;
    int64_t step_us;
    size_t n;
    uint32_t level; /* the last one */
    uint32_t highest[ADM_SERIES_MAX];
};

/* The level is `level` from `at` on, which is not before the last one. */
void adm_series_add(struct adm_series *series, int64_t at, uint32_t level);

/* How long its steps are together: more than 63 bits can hold, when it is the longest. */
double adm_series_span_us(const struct adm_series *series);

#endif
