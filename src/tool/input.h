/* The lines of a log: a file or standard input, plain or compressed by gzip. */
#ifndef ADM_TOOL_INPUT_H
#define ADM_TOOL_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/place.h"
#include "tool/source.h"
#include "tool/values.h"

enum adm_input_result {
    ADM_INPUT_LINE,
    ADM_INPUT_END,
    ADM_INPUT_BROKEN, /* its compression is: `source.error` says how, `line` where */
    ADM_INPUT_FAILED, /* the system would not: errno says why */
};

struct adm_input {
    const char *name; /* what messages call it */
    uint64_t line;    /* the number of the last line, or of the broken one, from 1 */
    int64_t size;     /* of the file, compressed or not; 0 when it has none */
    struct adm_place place;
    struct adm_source source;
    char *buffer;
    size_t room;
    size_t start; /* of what has not been given out yet */
    size_t end;
};

/* Opens `path`; `-` is standard input. False when it cannot be, after a message. */
bool adm_input_open(struct adm_input *input, const char *path);
void adm_input_close(struct adm_input *input);

/* The next line, without its LF or CRLF; valid until the next call (adm_text_line()). */
enum adm_input_result adm_input_next(struct adm_input *input, struct adm_text *line);

/* How many of the `size` bytes have been read. */
static inline int64_t adm_input_offset(const struct adm_input *input)
{
    return input->source.n_read;
}

#endif
