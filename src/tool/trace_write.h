/* Writes a line of a trace: what adm_trace_read() reads back as the same. */
#ifndef ADM_TOOL_TRACE_WRITE_H
#define ADM_TOOL_TRACE_WRITE_H

#include <stdio.h>

#include "tool/trace.h"

void adm_trace_write(FILE *out, const struct adm_trace_line *line);

#endif
