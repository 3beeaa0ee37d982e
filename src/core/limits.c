/* See core/limits.h. */
#include "core/limits.h"

struct adm_limits adm_limits_default(void)
{
    return (struct adm_limits){
        .max_concurrent = ADM_NO_LIMIT,
        .min_interval_us = 0,
        .queue_capacity = 1024,
        .admission_timeout_us = ADM_NEVER,
        .max_listens_per_principal = 1,
        .max_listeners = ADM_NO_LIMIT,
    };
}

struct adm_provider_limits adm_provider_limits_default(void)
{
    return (struct adm_provider_limits){
        .max_concurrent = ADM_NO_LIMIT,
        .min_interval_us = 0,
        .queue_capacity = ADM_NO_LIMIT,
    };
}

void adm_limits_change(struct adm_limits *limits, unsigned named, const struct adm_limits *to)
{
    if (named & ADM_LIMIT_MAX_CONCURRENT) {
        limits->max_concurrent = to->max_concurrent;
    }
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        limits->min_interval_us = to->min_interval_us;
    }
    if (named & ADM_LIMIT_QUEUE_CAPACITY) {
        limits->queue_capacity = to->queue_capacity;
    }
    if (named & ADM_LIMIT_ADMISSION_TIMEOUT) {
        limits->admission_timeout_us = to->admission_timeout_us;
    }
    if (named & ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL) {
        limits->max_listens_per_principal = to->max_listens_per_principal;
    }
    if (named & ADM_LIMIT_MAX_LISTENERS) {
        limits->max_listeners = to->max_listeners;
    }
}

void adm_provider_limits_change(struct adm_provider_limits *limits, unsigned named,
                                const struct adm_provider_limits *to)
{
    if (named & ADM_LIMIT_MAX_CONCURRENT) {
        limits->max_concurrent = to->max_concurrent;
    }
    if (named & ADM_LIMIT_MIN_INTERVAL) {
        limits->min_interval_us = to->min_interval_us;
    }
    if (named & ADM_LIMIT_QUEUE_CAPACITY) {
        limits->queue_capacity = to->queue_capacity;
    }
}
