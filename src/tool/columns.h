/* Which column of a log is what: by its place, by the header line, or as the user says. */
#ifndef ADM_TOOL_COLUMNS_H
#define ADM_TOOL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/delimited.h"
#include "tool/log_entry.h"

enum adm_column {
    ADM_COLUMN_AT,
    ADM_COLUMN_DURATION,
    ADM_COLUMN_END,
    ADM_COLUMN_PRINCIPAL,
    ADM_COLUMN_PROVIDER,
    ADM_COLUMN_KEY,
};
enum {
    ADM_N_COLUMNS = ADM_COLUMN_KEY + 1
};

/* The largest number of a column. */
#define ADM_COLUMN_MAX 1000u

struct adm_columns {
    enum adm_log_kind kind;
    bool are_given;  /* the user says */
    size_t n_wanted; /* fields that a line must have, ... */
    bool is_exact;   /* ... and no more of them */
    struct adm_column_place {
        size_t number; /* from 1; 0: not there, or known by its header */
        struct adm_text header;
        int64_t unit_us; /* of a time */
    } places[ADM_N_COLUMNS];
};

/* Where the columns are when nobody says. */
void adm_columns_init(struct adm_columns *columns, enum adm_log_kind kind);

/* Reads `FIELD=WHERE,...`, where FIELD is open_ms, principal, ... and WHERE a number or a name
 * in the header line. False: `error` says what is wrong. The texts stay borrowed from `spec`.
 */
bool adm_columns_parse(struct adm_columns *columns, const char *spec,
                       char error[ADM_READER_ERROR_MAX]);

/* Looks at the first line: is it a header, and where is what? */
bool adm_columns_resolve(struct adm_columns *columns, const struct adm_delimited *first,
                         bool *is_header, char error[ADM_READER_ERROR_MAX]);

/* Does the log tell how long things last? */
bool adm_columns_have_duration(const struct adm_columns *columns);

/* Reads the fields of a line. */
bool adm_columns_read(const struct adm_columns *columns, const struct adm_delimited *line,
                      struct adm_log_entry *entry, char error[ADM_READER_ERROR_MAX]);

#endif
