/* See tool/bench/board.h. */
#include "tool/bench/board.h"

#include <csv.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_board_deinit(struct adm_board *board)
{
    free(board->rows);
    *board = (struct adm_board){0};
}

static struct adm_board_row *find(const struct adm_board *board, const char *name,
                                  const char *what)
{
    for (size_t i = 0; i < board->n; i++) {
        if (strcmp(board->rows[i].name, name) == 0 && strcmp(board->rows[i].what, what) == 0) {
            return &board->rows[i];
        }
    }
    return NULL;
}

static void sample(struct adm_board_samples *samples, double value)
{
    ADM_ASSERT(samples->n < ADM_BOARD_SAMPLES);
    samples->values[samples->n++] = value;
}

void adm_board_add(struct adm_board *board, const char *name, const char *what,
                   const char *unit, double value)
{
    struct adm_board_row *row = find(board, name, what);
    if (row == NULL) {
        board->rows =
            adm_memory_reserve(board->rows, &board->room, board->n + 1, sizeof *board->rows);
        row = &board->rows[board->n++];
        *row = (struct adm_board_row){.ours = {.n = 0}};
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->what, sizeof row->what, "%s", what);
        snprintf(row->unit, sizeof row->unit, "%s", unit);
    }
    sample(&row->ours, value);
}

void adm_board_add_raw(struct adm_board *board, const char *name, const char *what,
                       double value)
{
    struct adm_board_row *row = find(board, name, what);
    ADM_ASSERT(row != NULL);
    sample(&row->raw, value);
}

static int by_value(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

struct summary {
    double median;
    double least;
    double most;
};

static struct summary summarize(const struct adm_board_samples *samples)
{
    struct adm_board_samples sorted = *samples;
    qsort(sorted.values, sorted.n, sizeof *sorted.values, by_value);
    return (struct summary){.median = sorted.values[sorted.n / 2],
                            .least = sorted.values[0],
                            .most = sorted.values[sorted.n - 1]};
}

static double ratio(const struct adm_board_row *row)
{
    const double raw = summarize(&row->raw).median;
    return raw == 0 ? 0 : summarize(&row->ours).median / raw;
}

static void print_table_row(const struct adm_board_row *row, FILE *out)
{
    const struct summary ours = summarize(&row->ours);
    fprintf(out, "%-34s %-14s %12.2f %-5s %10.2f..%-10.2f", row->name, row->what, ours.median,
            row->unit, ours.least, ours.most);
    if (row->raw.n > 0) {
        fprintf(out, " %12.2f %8.2fx", summarize(&row->raw).median, ratio(row));
    }
    fputc('\n', out);
}

static void print_csv_row(const struct adm_board_row *row, FILE *out)
{
    const struct summary ours = summarize(&row->ours);
    const char *const words[] = {row->name, row->what, row->unit};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        csv_fwrite(out, words[i], strlen(words[i])); /* quoted: some have a comma */
        fputc(',', out);
    }
    fprintf(out, "%.4f,%.4f,%.4f,", ours.median, ours.least, ours.most);
    if (row->raw.n > 0) {
        fprintf(out, "%.4f,%.4f\n", summarize(&row->raw).median, ratio(row));
    } else {
        fputs(",\n", out);
    }
}

static json_t *json_row(const struct adm_board_row *row)
{
    const struct summary ours = summarize(&row->ours);
    json_t *object = json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "case", row->name, "what",
                               row->what, "unit", row->unit, "median", ours.median, "least",
                               ours.least, "most", ours.most);
    if (row->raw.n > 0) {
        json_object_set_new(object, "raw", json_real(summarize(&row->raw).median));
        json_object_set_new(object, "ratio", json_real(ratio(row)));
    }
    return object;
}

static void print_json(const struct adm_board *board, FILE *out)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < board->n; i++) {
        json_array_append_new(rows, json_row(&board->rows[i]));
    }
    json_dumpf(rows, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    fputc('\n', out);
    json_decref(rows);
}

void adm_board_print(const struct adm_board *board, enum adm_output output, FILE *out)
{
    switch (output) {
    case ADM_OUTPUT_TABLE:
        fprintf(out, "%-34s %-14s %12s %-5s %22s %12s %9s\n", "case", "what", "median", "unit",
                "spread", "raw", "ratio");
        for (size_t i = 0; i < board->n; i++) {
            print_table_row(&board->rows[i], out);
        }
        break;
    case ADM_OUTPUT_CSV:
        fputs("case,what,unit,median,least,most,raw,ratio\n", out);
        for (size_t i = 0; i < board->n; i++) {
            print_csv_row(&board->rows[i], out);
        }
        break;
    case ADM_OUTPUT_JSON:
        print_json(board, out);
        break;
    }
}
