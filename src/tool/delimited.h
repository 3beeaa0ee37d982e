/* A line of tab- or comma-separated values as its fields. */
#ifndef ADM_TOOL_DELIMITED_H
#define ADM_TOOL_DELIMITED_H

#include <csv.h>
#include <stdbool.h>
#include <stddef.h>

#include "tool/values.h"

struct adm_delimited {
    struct csv_parser parser;
    size_t *ends; /* of the fields, which lie end to end in `bytes` */
    size_t n_fields;
    size_t n_room;
    char *bytes;
    size_t n_bytes;
    size_t bytes_room;
};

/* Tabs are separators when the first line of the file, `first`, has one; else commas are. Only
 * between commas may fields be quoted. */
void adm_delimited_init(struct adm_delimited *delimited, struct adm_text first);
void adm_delimited_deinit(struct adm_delimited *delimited);

/* Splits a line; false when a quote is not as it should be. */
bool adm_delimited_split(struct adm_delimited *delimited, struct adm_text line);

/* Field `i`, from 0, of the last line; of length 0 when there is none. */
struct adm_text adm_delimited_field(const struct adm_delimited *delimited, size_t i);

#endif
