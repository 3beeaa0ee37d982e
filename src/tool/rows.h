/* A log, line by line, in order of time: read, checked, and its names turned into numbers.
 *
 * Without sorting it keeps nothing but each name once; with it, 40 bytes a line. */
#ifndef ADM_TOOL_ROWS_H
#define ADM_TOOL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/access_log.h"
#include "tool/columns.h"
#include "tool/input.h"
#include "tool/names.h"
#include "tool/progress.h"

enum adm_log_format {
    ADM_FORMAT_COLUMNS, /* TSV or CSV */
    ADM_FORMAT_COMBINED,
    ADM_FORMAT_NGINX,
};

struct adm_rows_options {
    const char *path;
    enum adm_log_kind kind;
    enum adm_log_format format;
    struct adm_columns columns;
    bool is_sorted;   /* by us, in memory */
    bool wants_keys;  /* of requests; else they are not kept */
    int64_t lasts_us; /* what a line that does not tell lasts; or ADM_LASTS_UNKNOWN */
};

struct adm_row {
    uint64_t line; /* 0-based, of the lines with data, in the order of the file */
    int64_t at_us;
    int64_t lasts_us;
    uint32_t who;      /* the principal of a listen, the key of a request */
    uint32_t provider; /* of a request */
};

struct adm_rows {
    struct adm_rows_options options;
    struct adm_input input;
    struct adm_progress progress;
    struct adm_delimited delimited;
    bool has_begun; /* the first line has been looked at */
    uint64_t n;     /* lines with data so far */
    uint64_t n_without_duration;
    int64_t last_us; /* the time of the last row */
    bool has_origin;
    int64_t origin_us; /* what an access log's times are counted from */
    struct adm_names who;
    struct adm_names providers;
    bool has_sorted; /* all lines have been read, into `sorted` */
    struct adm_row *sorted;
    size_t n_sorted;
    size_t sorted_room;
    size_t n_given;
};

enum adm_rows_result {
    ADM_ROWS_ROW,
    ADM_ROWS_END,
    ADM_ROWS_WRONG,  /* the input is; the message has been printed */
    ADM_ROWS_FAILED, /* the system would not; the message has been printed */
};

/* False when the log cannot be opened, after a message. */
bool adm_rows_init(struct adm_rows *rows, const struct adm_rows_options *options);
void adm_rows_deinit(struct adm_rows *rows);

/* The next row, in order of time; lines of one instant stay in the order of the file. */
enum adm_rows_result adm_rows_next(struct adm_rows *rows, struct adm_row *row);

#endif
