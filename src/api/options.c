/* The public options: their defaults, and the one check of all of them. */
#include "admission/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/convert.h"
#include "base/assert.h"

struct admission_limits admission_limits_default(void)
{
    return (struct admission_limits){
        .max_concurrent = ADMISSION_NONE,
        .min_interval_us = 0,
        .queue_capacity = 1024,
        .admission_timeout_us = ADMISSION_NONE,
        .max_listens_per_principal = 1,
        .max_listeners = ADMISSION_NONE,
    };
}

struct admission_limits admission_limits_unchanged(void)
{
    return (struct admission_limits){
        .max_concurrent = ADMISSION_DEFAULT,
        .min_interval_us = ADMISSION_DEFAULT,
        .queue_capacity = ADMISSION_DEFAULT,
        .admission_timeout_us = ADMISSION_DEFAULT,
        .max_listens_per_principal = ADMISSION_DEFAULT,
        .max_listeners = ADMISSION_DEFAULT,
    };
}

struct admission_provider admission_provider_default(const char *name)
{
    return (struct admission_provider){
        .name = name,
        .max_concurrent = ADMISSION_NONE,
        .min_interval_us = 0,
        .queue_capacity = ADMISSION_NONE,
    };
}

struct admission_provider admission_provider_unchanged(const char *name)
{
    return (struct admission_provider){
        .name = name,
        .max_concurrent = ADMISSION_DEFAULT,
        .min_interval_us = ADMISSION_DEFAULT,
        .queue_capacity = ADMISSION_DEFAULT,
    };
}

/* From the environment, so that an operator can turn it without a build. */
static admission_spin_t default_spin(void)
{
    const char *text = getenv("ADMISSION_SPIN");
    if (text != NULL && strcmp(text, "always") == 0) {
        return ADMISSION_SPIN_ALWAYS;
    }
    return text != NULL && strcmp(text, "never") == 0 ? ADMISSION_SPIN_NEVER
                                                      : ADMISSION_SPIN_ADAPTIVE;
}

static struct admission_options defaults(void)
{
    return (struct admission_options){
        .size = sizeof(struct admission_options),
        .limits = admission_limits_default(),
        .client_credit = 1048576,
        .max_clients = 10000,
        .inlet_capacity = 2000,
        .spin = default_spin(),
    };
}

/* The members of the first version: nobody knows less. */
enum {
    LEAST_SIZE = offsetof(struct admission_options, clock)
};

void admission_options_init_sized(struct admission_options *options, size_t size)
{
    ADM_ASSERT(options != NULL && size >= LEAST_SIZE && size <= sizeof *options);
    const struct admission_options all = defaults();
    memcpy(options, &all, size);
    options->size = size;
}

static bool is_named_twice(const struct admission_options *options, size_t provider)
{
    for (size_t i = 0; i < provider; i++) {
        if (strcmp(options->providers[i].name, options->providers[provider].name) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_providers(const struct admission_options *options, const char **culprit)
{
    if (options->n_providers > 0 && options->providers == NULL) {
        *culprit = "providers";
        return false;
    }
    for (size_t i = 0; i < options->n_providers; i++) {
        struct adm_request request;
        if (!adm_convert_provider(&options->providers[i], &request, culprit)) {
            return false;
        }
        if (is_named_twice(options, i)) {
            *culprit = "name";
            return false;
        }
    }
    return true;
}

static bool is_in(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

/* NULL is the system's clock. */
static bool is_whole(const struct admission_clock *clock)
{
    return clock == NULL ||
           (clock->size == sizeof *clock && clock->now != NULL && clock->elapsed != NULL &&
            clock->wait != NULL && (clock->hold == NULL) == (clock->release == NULL));
}

static const char *find_culprit(const struct admission_options *options)
{
    struct adm_request request;
    const char *culprit = NULL;
    if (!adm_convert_limits(&options->limits, &request, &culprit) ||
        !check_providers(options, &culprit)) {
        return culprit;
    }
    if (!is_in(options->client_credit, 1, ADM_COUNT_MAX)) {
        return "client_credit";
    }
    if (!is_in(options->max_clients, 1, 1000000)) {
        return "max_clients";
    }
    if (!is_in(options->inlet_capacity, 2, 1000000)) {
        return "inlet_capacity";
    }
    if (!is_in((int64_t)options->spin, ADMISSION_SPIN_ADAPTIVE, ADMISSION_SPIN_NEVER)) {
        return "spin";
    }
    return is_whole(options->clock) ? NULL : "clock";
}

const char *adm_options_complete(const struct admission_options *given,
                                 struct admission_options *all)
{
    *all = defaults();
    if (given == NULL) {
        return NULL;
    }
    if (given->size < LEAST_SIZE || given->size > sizeof *all) {
        return "size";
    }
    memcpy(all, given, given->size);
    return find_culprit(all);
}

admission_status_t admission_options_check(const struct admission_options *options,
                                           const char **culprit)
{
    ADM_ASSERT(options != NULL);
    struct admission_options all;
    const char *found = adm_options_complete(options, &all);
    if (found == NULL) {
        return ADMISSION_OK;
    }
    if (culprit != NULL) {
        *culprit = found;
    }
    return ADMISSION_INVALID;
}
