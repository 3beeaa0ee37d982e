/* See tool/rows.h. Every fault of a log ends here, as `FILE:LINE: what is wrong`. */
#include "tool/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "tool/command.h"

bool adm_rows_init(struct adm_rows *rows, const struct adm_rows_options *options)
{
    *rows = (struct adm_rows){.options = *options};
    if (!adm_input_open(&rows->input, options->path)) {
        return false;
    }
    const struct adm_hash_key key = adm_hash_key_random();
    adm_names_init(&rows->who, &key);
    adm_names_init(&rows->providers, &key);
    adm_progress_init(&rows->progress);
    return true;
}

void adm_rows_deinit(struct adm_rows *rows)
{
    adm_progress_clear(&rows->progress);
    if (rows->has_begun && rows->options.format == ADM_FORMAT_COLUMNS) {
        adm_delimited_deinit(&rows->delimited);
    }
    adm_names_deinit(&rows->who);
    adm_names_deinit(&rows->providers);
    adm_input_close(&rows->input);
    free(rows->sorted);
}

static enum adm_rows_result fail(struct adm_rows *rows, const char *error)
{
    adm_progress_clear(&rows->progress);
    fprintf(stderr, "%s:%" PRIu64 ": %s\n", rows->input.name, rows->input.line, error);
    return ADM_ROWS_WRONG;
}

static bool take_names(struct adm_rows *rows, const struct adm_log_entry *entry,
                       struct adm_row *row, char error[ADM_READER_ERROR_MAX])
{
    struct adm_reader reader = {.error = error};
    struct adm_name who = adm_name_none();
    struct adm_name provider = adm_name_none();
    if (rows->options.kind == ADM_LOG_LISTENS) {
        if (entry->principal.length == 0) {
            return adm_reader_fail(&reader, "the principal is missing");
        }
        if (!adm_reader_field(&reader, "principal", entry->principal, &who)) {
            return false;
        }
    } else if (!adm_reader_provider_field(&reader, entry->provider, &provider) ||
               (rows->options.wants_keys &&
                !adm_reader_field(&reader, "key", entry->key, &who))) {
        return false;
    }
    row->who = adm_names_number(&rows->who, who);
    row->provider = adm_names_number(&rows->providers, provider);
    return true;
}

/* How the first line says what the columns are; it is data when it is no header. */
static bool begin(struct adm_rows *rows, struct adm_text first, bool *is_header,
                  char error[ADM_READER_ERROR_MAX])
{
    rows->has_begun = true;
    *is_header = false;
    if (rows->options.format != ADM_FORMAT_COLUMNS) {
        return true;
    }
    adm_delimited_init(&rows->delimited, first);
    if (!adm_delimited_split(&rows->delimited, first)) {
        snprintf(error, ADM_READER_ERROR_MAX, "a quoted field does not end");
        return false;
    }
    struct adm_columns *columns = &rows->options.columns;
    if (!adm_columns_resolve(columns, &rows->delimited, is_header, error)) {
        return false;
    }
    if (!adm_columns_have_duration(columns) && rows->options.lasts_us < 0) {
        snprintf(error, ADM_READER_ERROR_MAX,
                 "no column tells how long things last; --lasts tells it for all");
        return false;
    }
    return true;
}

static bool read_entry(struct adm_rows *rows, struct adm_text line, struct adm_log_entry *entry,
                       char error[ADM_READER_ERROR_MAX])
{
    switch (rows->options.format) {
    case ADM_FORMAT_COMBINED:
        return adm_access_log_read(ADM_ACCESS_COMBINED, line, entry, error);
    case ADM_FORMAT_NGINX:
        return adm_access_log_read(ADM_ACCESS_NGINX, line, entry, error);
    case ADM_FORMAT_COLUMNS:
        break;
    }
    if (!adm_delimited_split(&rows->delimited, line)) {
        snprintf(error, ADM_READER_ERROR_MAX, "a quoted field does not end");
        return false;
    }
    return adm_columns_read(&rows->options.columns, &rows->delimited, entry, error);
}

/* What a line lasts that does not tell: as the user says, or else no time at all. */
static int64_t lasts_of(struct adm_rows *rows, const struct adm_log_entry *entry)
{
    if (entry->lasts_us != ADM_LASTS_UNKNOWN) {
        return entry->lasts_us;
    }
    if (rows->options.lasts_us != ADM_LASTS_UNKNOWN) {
        return rows->options.lasts_us;
    }
    rows->n_without_duration++;
    return 0;
}

static enum adm_rows_result read_row(struct adm_rows *rows, struct adm_text line,
                                     struct adm_row *row)
{
    char error[ADM_READER_ERROR_MAX];
    struct adm_log_entry entry;
    if (!read_entry(rows, line, &entry, error) || !take_names(rows, &entry, row, error)) {
        return fail(rows, error);
    }
    row->line = rows->n++;
    row->lasts_us = lasts_of(rows, &entry);
    row->at_us = entry.at_us;
    if (entry.is_end) {
        row->at_us -= adm_time_earlier(row->lasts_us, entry.at_us);
    }
    return ADM_ROWS_ROW;
}

/* A byte order mark before the first line. */
static struct adm_text skip_mark(struct adm_text line)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (line.length >= 3 && memcmp(line.bytes, mark, 3) == 0) {
        line.bytes += 3;
        line.length -= 3;
    }
    return line;
}

static enum adm_rows_result read_line(struct adm_rows *rows, struct adm_text *line)
{
    switch (adm_input_next(&rows->input, line)) {
    case ADM_INPUT_LINE:
        return ADM_ROWS_ROW;
    case ADM_INPUT_END:
        adm_progress_clear(&rows->progress);
        return ADM_ROWS_END;
    case ADM_INPUT_BROKEN:
        return fail(rows, rows->input.source.error);
    case ADM_INPUT_FAILED:
        break;
    }
    const int error = errno;
    adm_progress_clear(&rows->progress);
    return adm_command_unreadable(rows->input.name, error) == ADM_EXIT_WRONG ? ADM_ROWS_WRONG
                                                                             : ADM_ROWS_FAILED;
}

/* The next line that has data, blank ones and a header left out. */
static enum adm_rows_result next_line(struct adm_rows *rows, struct adm_text *line)
{
    for (;;) {
        const enum adm_rows_result result = read_line(rows, line);
        if (result != ADM_ROWS_ROW) {
            return result;
        }
        if (rows->input.line % ADM_PROGRESS_EVERY == 0) {
            adm_progress_show(&rows->progress, rows->input.line, adm_input_offset(&rows->input),
                              rows->input.size);
        }
        if (rows->input.line == 1) {
            *line = skip_mark(*line);
        }
        if (line->length == 0) {
            continue;
        }
        if (memchr(line->bytes, '\0', line->length) != NULL) {
            return fail(rows, "a NUL byte");
        }
        bool is_header = false;
        char error[ADM_READER_ERROR_MAX];
        if (!rows->has_begun && !begin(rows, *line, &is_header, error)) {
            return fail(rows, error);
        }
        if (!is_header) {
            return ADM_ROWS_ROW;
        }
    }
}

/* The next row in the order of the file. */
static enum adm_rows_result next_in_file(struct adm_rows *rows, struct adm_row *row)
{
    struct adm_text line;
    const enum adm_rows_result result = next_line(rows, &line);
    return result == ADM_ROWS_ROW ? read_row(rows, line, row) : result;
}

static int compare(const void *a, const void *b)
{
    const struct adm_row *left = a;
    const struct adm_row *right = b;
    if (left->at_us != right->at_us) {
        return left->at_us < right->at_us ? -1 : 1;
    }
    return left->line < right->line ? -1 : left->line > right->line;
}

static enum adm_rows_result read_and_sort(struct adm_rows *rows)
{
    struct adm_row row;
    enum adm_rows_result result;
    while ((result = next_in_file(rows, &row)) == ADM_ROWS_ROW) {
        rows->sorted = adm_memory_reserve(rows->sorted, &rows->sorted_room, rows->n_sorted + 1,
                                          sizeof *rows->sorted);
        rows->sorted[rows->n_sorted++] = row;
    }
    if (result == ADM_ROWS_END && rows->n_sorted > 0) {
        qsort(rows->sorted, rows->n_sorted, sizeof *rows->sorted, compare);
    }
    return result;
}

static enum adm_rows_result next_sorted(struct adm_rows *rows, struct adm_row *row)
{
    if (!rows->has_sorted) {
        const enum adm_rows_result result = read_and_sort(rows);
        if (result != ADM_ROWS_END) {
            return result;
        }
        rows->has_sorted = true;
    }
    if (rows->n_given == rows->n_sorted) {
        return ADM_ROWS_END;
    }
    *row = rows->sorted[rows->n_given++];
    return ADM_ROWS_ROW;
}

static enum adm_rows_result in_order(struct adm_rows *rows, const struct adm_row *row)
{
    if (rows->n > 1 && row->at_us < rows->last_us) {
        char error[ADM_READER_ERROR_MAX];
        snprintf(error, sizeof error,
                 "out of order: the time goes back by %" PRId64 " us; --sort sorts",
                 rows->last_us - row->at_us);
        return fail(rows, error);
    }
    rows->last_us = row->at_us;
    return ADM_ROWS_ROW;
}

enum adm_rows_result adm_rows_next(struct adm_rows *rows, struct adm_row *row)
{
    struct adm_row next;
    enum adm_rows_result result;
    if (rows->options.is_sorted) {
        result = next_sorted(rows, &next);
    } else {
        result = next_in_file(rows, &next);
        result = result == ADM_ROWS_ROW ? in_order(rows, &next) : result;
    }
    if (result != ADM_ROWS_ROW) {
        return result;
    }
    if (rows->options.format != ADM_FORMAT_COLUMNS) {
        if (!rows->has_origin) {
            rows->has_origin = true;
            rows->origin_us = next.at_us;
        }
        next.at_us -= rows->origin_us;
    }
    *row = next;
    return ADM_ROWS_ROW;
}
