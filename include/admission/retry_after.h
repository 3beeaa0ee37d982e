/* How long to wait before the next try: what an upstream says, and what one works out. */
#ifndef ADMISSION_RETRY_AFTER_H
#define ADMISSION_RETRY_AFTER_H

#include <stdint.h>

#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest Retry-After that is believed: a year of 365 days. */
#define ADMISSION_RETRY_AFTER_MAX ADMISSION_S(INT64_C(31536000))

/* Reads the value of a Retry-After header (RFC 9110, 10.2.3): a whole number of seconds, or a
 * date in one of its three formats, from which `now_us` - the wall clock, microseconds since
 * 1970, any number - is taken away. Blanks around it and zeros before it do not matter; a
 * second :60 is the one after :59. `*delay_us` is what is left to wait,
 * fit for admission_attempt_cooldown(). Any thread. Returns ADMISSION_OK, or ADMISSION_INVALID:
 * it is NULL or malformed - also a date on the wrong weekday -, has passed already, or is
 * longer than ADMISSION_RETRY_AFTER_MAX. */
ADMISSION_EXPORT admission_status_t admission_retry_after(
    const char *value, int64_t now_us, int64_t *delay_us) ADMISSION_MUST_CHECK;

/* An exponential delay with jitter: at least half, and at most the whole, of `base_us` doubled
 * with every attempt after the first, but of `max_us` at most. `attempt` counts from 1;
 * `random` is any number and decides where between the two. Durations are from 0 to
 * ADMISSION_NONE - 1; what is below is read as 0. Any thread. */
ADMISSION_EXPORT int64_t admission_backoff(uint64_t attempt, int64_t base_us, int64_t max_us,
                                           uint64_t random);

#ifdef __cplusplus
}
#endif

#endif
