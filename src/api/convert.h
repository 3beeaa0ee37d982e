/* The door between public values and the core's: checks ranges, and translates. */
#ifndef ADM_API_CONVERT_H
#define ADM_API_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "admission/event.h"
#include "admission/options.h"
#include "base/name.h"
#include "core/effect.h"
#include "core/limits.h"
#include "core/request.h"

/* Fills `all` with what is `given`, by a caller who may know fewer members (NULL: none), and
 * the defaults for the rest. Returns NULL, or the name of the first that is out of range. */
const char *adm_options_complete(const struct admission_options *given,
                                 struct admission_options *all);

/* The largest count that is a limit. */
#define ADM_COUNT_MAX (INT64_C(4294967294))

/* Fills `name` with a borrowed view; false when it is NULL, empty or too long. */
bool adm_convert_name(const char *text, struct adm_name *name);

/* 0 to ADMISSION_NONE - 1. */
bool adm_convert_is_duration(int64_t duration_us);

/* Translates a change: members that are ADMISSION_DEFAULT are not named. False, and `*culprit`
 * (when not NULL) the member's name, when one is out of range. */
bool adm_convert_limits(const struct admission_limits *from, struct adm_request *request,
                        const char **culprit);
bool adm_convert_provider(const struct admission_provider *from, struct adm_request *request,
                          const char **culprit);

#endif
