/* Time as a number: microseconds on the elapsed clock, from 0 to 2^63-1 (rule Z1). */
#ifndef ADM_BASE_TIME_H
#define ADM_BASE_TIME_H

#include <stdint.h>

/* The time that never comes; as a duration, no end. */
#define ADM_NEVER INT64_MAX

/* `at` plus `duration_us`, both not negative: saturates at ADM_NEVER, never wraps (Z1). */
static inline int64_t adm_time_add(int64_t at, int64_t duration_us)
{
    return duration_us > ADM_NEVER - at ? ADM_NEVER : at + duration_us;
}

static inline int64_t adm_time_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t adm_time_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
