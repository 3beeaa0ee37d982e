/* See tool/delimited.h. libcsv does the work, a line at a time, so that a message can name the
 * line; a quoted field therefore ends on its own line. */
#include "tool/delimited.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A line has lost its end before it comes here: what looks like one is part of a field. */
static int ends_no_line(unsigned char byte)
{
    (void)byte;
    return 0;
}

void adm_delimited_init(struct adm_delimited *delimited, struct adm_text first)
{
    *delimited = (struct adm_delimited){.n_fields = 0};
    csv_init(&delimited->parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_term_func(&delimited->parser, ends_no_line);
    if (memchr(first.bytes, '\t', first.length) != NULL) {
        csv_set_delim(&delimited->parser, '\t');
        csv_set_quote(&delimited->parser, '\0');
    }
}

void adm_delimited_deinit(struct adm_delimited *delimited)
{
    csv_free(&delimited->parser);
    free(delimited->ends);
    free(delimited->bytes);
}

static void take_field(void *field, size_t length, void *data)
{
    struct adm_delimited *delimited = data;
    delimited->ends = adm_memory_reserve(delimited->ends, &delimited->n_room,
                                         delimited->n_fields + 1, sizeof *delimited->ends);
    delimited->bytes = adm_memory_reserve(delimited->bytes, &delimited->bytes_room,
                                          delimited->n_bytes + length + 1, 1);
    memcpy(delimited->bytes + delimited->n_bytes, field, length);
    delimited->n_bytes += length;
    delimited->ends[delimited->n_fields++] = delimited->n_bytes;
}

bool adm_delimited_split(struct adm_delimited *delimited, struct adm_text line)
{
    struct csv_parser *parser = &delimited->parser;
    delimited->n_fields = 0;
    delimited->n_bytes = 0;
    return csv_parse(parser, line.bytes, line.length, take_field, NULL, delimited) ==
               line.length &&
           csv_fini(parser, take_field, NULL, delimited) == 0;
}

struct adm_text adm_delimited_field(const struct adm_delimited *delimited, size_t i)
{
    if (i >= delimited->n_fields) {
        return adm_text_of("");
    }
    const size_t start = i == 0 ? 0 : delimited->ends[i - 1];
    return (struct adm_text){
        .bytes = delimited->bytes + start,
        .length = delimited->ends[i] - start,
    };
}
