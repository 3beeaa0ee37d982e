/* See tool/progress.h. */
#include "tool/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
    BAR = 40
};

void adm_progress_init(struct adm_progress *progress)
{
    *progress = (struct adm_progress){.is_wanted = isatty(STDERR_FILENO) == 1};
}

void adm_progress_show(struct adm_progress *progress, uint64_t line, int64_t part,
                       int64_t whole)
{
    if (!progress->is_wanted) {
        return;
    }
    progress->is_shown = true;
    fputs("\r", stderr);
    if (whole > 0) {
        static const char full[] = "########################################";
        static const char empty[] = "----------------------------------------";
        const double share = part < whole ? (double)part / (double)whole : 1;
        const int n = (int)(share * BAR);
        fprintf(stderr, "[%.*s%.*s] %3.0f%% ", n, full, BAR - n, empty, share * 100);
    }
    fprintf(stderr, "%" PRIu64 " lines", line);
    fflush(stderr);
}

void adm_progress_clear(struct adm_progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
        progress->is_shown = false;
    }
}
