/* A line of a trace as a struct: docs/trace-format.md, one line at a time, without any state.
 *
 * What a line means beyond itself - that TIME never goes back, that lines without a TIME come
 * first - is the replayer's to hold. */
#ifndef ADM_TOOL_TRACE_H
#define ADM_TOOL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/request.h"
#include "tool/reader.h"

enum adm_trace_type {
    ADM_TRACE_NOTHING, /* a blank line or a comment */
    ADM_TRACE_REQUEST, /* `request` is for the machine */
    ADM_TRACE_STATS,   /* the books are asked for */
    ADM_TRACE_END,     /* the clock moves, nothing else */
};

/* The names borrow from the line. `request.handle` and `request.id` are the replayer's to fill
 * in: a trace has words where the machine has numbers. */
struct adm_trace_line {
    enum adm_trace_type type;
    bool has_time; /* false: `limits` or `provider` before the first timed line */
    bool is_late;  /* TIME ends in `!` */
    int64_t at;
    struct adm_name handle; /* none: the line is the operator's, HANDLE is `-` */
    struct adm_name id;     /* none: the verb takes no ID */
    struct adm_request request;
};

/* Reads one line, without its line end. False when it is unreadable: `error` then says what is
 * wrong, in printable ASCII, and `line` is undefined. */
bool adm_trace_read(struct adm_text text, struct adm_trace_line *line,
                    char error[ADM_READER_ERROR_MAX]);

#endif
