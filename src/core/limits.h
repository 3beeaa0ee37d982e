/* The limits, and changes of them (R1): what an operator turns. */
#ifndef ADM_CORE_LIMITS_H
#define ADM_CORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

/* As a count: no limit. The largest limit there is lies one below. */
#define ADM_NO_LIMIT UINT32_MAX

/* Durations are from 0 to ADM_NEVER, which stands for "none" in admission_timeout_us. */
struct adm_limits {
    uint32_t max_concurrent;            /* 0 is a pause (T1) */
    int64_t min_interval_us;            /* between starts (T7) */
    uint32_t queue_capacity;            /* 0: nothing ever waits (T5) */
    int64_t admission_timeout_us;       /* of a ticket that names none (T6) */
    uint32_t max_listens_per_principal; /* of an admit that names none; at least 1 (L2) */
    uint32_t max_listeners;             /* of all principals together (L7) */
};

struct adm_provider_limits {
    uint32_t max_concurrent;
    int64_t min_interval_us;
    uint32_t queue_capacity; /* of this provider's tickets */
};

/* Which members a change names; what it does not name stays as it is. */
enum adm_limit_bit {
    ADM_LIMIT_MAX_CONCURRENT = 1 << 0,
    ADM_LIMIT_MIN_INTERVAL = 1 << 1,
    ADM_LIMIT_QUEUE_CAPACITY = 1 << 2,
    ADM_LIMIT_ADMISSION_TIMEOUT = 1 << 3,
    ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL = 1 << 4,
    ADM_LIMIT_MAX_LISTENERS = 1 << 5,
};

enum {
    ADM_LIMIT_ALL = (1 << 6) - 1,
    ADM_PROVIDER_LIMIT_ALL =
        ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL | ADM_LIMIT_QUEUE_CAPACITY,
};

/* The defaults of docs/trace-format.md. */
struct adm_limits adm_limits_default(void);
struct adm_provider_limits adm_provider_limits_default(void);

/* Is there room for one more than `n`? */
static inline bool adm_limit_has_room(uint32_t n, uint32_t limit)
{
    return limit == ADM_NO_LIMIT || n < limit;
}

/* Sets the members of `limits` that `named` (of enum adm_limit_bit) names to those of `to`. */
void adm_limits_change(struct adm_limits *limits, unsigned named, const struct adm_limits *to);
void adm_provider_limits_change(struct adm_provider_limits *limits, unsigned named,
                                const struct adm_provider_limits *to);

#endif
