/* A bar on standard error for those who wait for a long log. */
#ifndef ADM_TOOL_PROGRESS_H
#define ADM_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A log is long from here on, and the bar moves once in so many lines. */
enum {
    ADM_PROGRESS_EVERY = 1 << 18
};

struct adm_progress {
    bool is_wanted; /* standard error is a terminal */
    bool is_shown;
};

void adm_progress_init(struct adm_progress *progress);

/* `line` has been read; `part` of `whole` bytes are behind it (0: nobody knows). */
void adm_progress_show(struct adm_progress *progress, uint64_t line, int64_t part,
                       int64_t whole);

/* Takes the bar away, so that the next words stand on a clean line. */
void adm_progress_clear(struct adm_progress *progress);

#endif
