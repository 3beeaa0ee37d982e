/* What `admission simulate` is asked, and the two ways to answer it.
 *
 * A study sends every row of a log to one machine a limit, all in one pass, so that standard
 * input will do, and keeps the figures of each. */
#ifndef ADM_TOOL_STUDY_H
#define ADM_TOOL_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/plot.h"
#include "tool/rows.h"
#include "tool/sheet.h"

struct adm_provider_limit {
    struct adm_name name;
    uint32_t max_concurrent;
};

/* The question; of a kind of log, only its own members count. */
struct adm_question {
    const uint32_t *limits; /* max_listens or max_concurrent, one machine each */
    size_t n_limits;

    bool refuse_when_full; /* of listens */
    uint32_t max_listeners;

    uint32_t queue_capacity; /* of requests */
    int64_t timeout_us;
    int64_t min_interval_us;
    int64_t attempt_timeout_us;
    bool is_per_key;
    const struct adm_provider_limit *providers;
    size_t n_providers;

    bool wants_plot;
    FILE *events; /* of the first limit; may be NULL */
    FILE *trace;  /* likewise */
};

/* The figures, and who is hit hardest. */
struct adm_report {
    struct adm_sheet limits;
    struct adm_sheet hardest;
};

struct adm_study {
    void *(*new)(const struct adm_question *question, const struct adm_rows *rows);
    void (*take)(void *study, const struct adm_row *row);
    void (*finish)(void *study); /* no more rows */
    void (*report)(void *study, struct adm_report *report);
    void (*draw)(void *study, struct adm_plot *plot);
    void (*destroy)(void *study);
};

extern const struct adm_study adm_study_listens;
extern const struct adm_study adm_study_requests;

#endif
