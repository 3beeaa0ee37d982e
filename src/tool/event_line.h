/* An effect as a line of docs/trace-format.md. */
#ifndef ADM_TOOL_EVENT_LINE_H
#define ADM_TOOL_EVENT_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "core/effect.h"
#include "core/stats.h"

/* Writes what `effect`, made at `at`, adds to the output; its handle and id are these words, of
 * a LIVE `id` is the principal. That is a whole line, but for LIVE and its rows: they make one
 * line together, and its end is the caller's to write. */
void adm_event_line_write(FILE *out, int64_t at, const struct adm_effect *effect,
                          struct adm_name handle, struct adm_name id);

void adm_event_line_write_stats(FILE *out, int64_t at, const struct adm_stats *stats);

#endif
