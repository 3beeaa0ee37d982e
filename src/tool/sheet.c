/* See tool/sheet.h. Programs get every figure in full: milliseconds with as many decimals as
 * they have. People get it rounded, with its unit. */
#include "tool/sheet.h"

#include <csv.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/limits.h"

enum {
    CELL_ROOM = 320
};

struct adm_cell adm_cell_count(uint64_t count)
{
    return (struct adm_cell){.type = ADM_CELL_COUNT, .is.count = count};
}

struct adm_cell adm_cell_limit(uint32_t limit)
{
    return (struct adm_cell){.type = ADM_CELL_LIMIT, .is.count = limit};
}

struct adm_cell adm_cell_span(adm_sum_t span_us)
{
    return (struct adm_cell){.type = ADM_CELL_SPAN, .is.span_us = span_us};
}

struct adm_cell adm_cell_share(uint64_t n, uint64_t of)
{
    return (struct adm_cell){.type = ADM_CELL_SHARE, .is.share = {.n = n, .of = of}};
}

struct adm_cell adm_cell_name(struct adm_name name)
{
    return (struct adm_cell){.type = ADM_CELL_NAME, .is.name = name};
}

void adm_sheet_init(struct adm_sheet *sheet, const struct adm_sheet_column *columns,
                    size_t n_columns)
{
    *sheet = (struct adm_sheet){.columns = columns, .n_columns = n_columns};
}

void adm_sheet_deinit(struct adm_sheet *sheet)
{
    free(sheet->cells);
}

void adm_sheet_add(struct adm_sheet *sheet, const struct adm_cell *cells)
{
    sheet->cells = adm_memory_reserve(sheet->cells, &sheet->room,
                                      sheet->n_cells + sheet->n_columns, sizeof *sheet->cells);
    memcpy(&sheet->cells[sheet->n_cells], cells, sheet->n_columns * sizeof *cells);
    sheet->n_cells += sheet->n_columns;
}

size_t adm_sheet_n_rows(const struct adm_sheet *sheet)
{
    return sheet->n_cells / sheet->n_columns;
}

static double share_of(const struct adm_cell *cell)
{
    return cell->is.share.of == 0 ? 0 : (double)cell->is.share.n / (double)cell->is.share.of;
}

/* All digits of a sum, of which printf() has none so long; how many. */
static int print_sum(char room[CELL_ROOM], adm_sum_t sum)
{
    static const uint64_t part = UINT64_C(10000000000000000000);
    if (sum < part) {
        return snprintf(room, CELL_ROOM, "%" PRIu64, (uint64_t)sum);
    }
    const int n = print_sum(room, sum / part);
    return n +
           snprintf(room + n, (size_t)(CELL_ROOM - n), "%019" PRIu64, (uint64_t)(sum % part));
}

/* Milliseconds in full: `12`, `12.5`, `12.345`. */
static void print_ms(char room[CELL_ROOM], adm_sum_t span_us)
{
    int n = print_sum(room, span_us / 1000);
    const unsigned us = (unsigned)(span_us % 1000);
    if (us == 0) {
        return;
    }
    n += snprintf(room + n, (size_t)(CELL_ROOM - n), ".%03u", us);
    while (room[n - 1] == '0') {
        room[--n] = '\0';
    }
}

/* A cell as programs read it. */
static void print_exact(char room[CELL_ROOM], const struct adm_cell *cell)
{
    switch (cell->type) {
    case ADM_CELL_COUNT:
        snprintf(room, CELL_ROOM, "%" PRIu64, cell->is.count);
        break;
    case ADM_CELL_LIMIT:
        if (cell->is.count == ADM_NO_LIMIT) {
            strcpy(room, "none");
        } else {
            snprintf(room, CELL_ROOM, "%" PRIu64, cell->is.count);
        }
        break;
    case ADM_CELL_SPAN:
        print_ms(room, cell->is.span_us);
        break;
    case ADM_CELL_SHARE:
        snprintf(room, CELL_ROOM, "%.6f", share_of(cell));
        break;
    case ADM_CELL_NAME:
        snprintf(room, CELL_ROOM, "%.*s", (int)cell->is.name.length, cell->is.name.bytes);
        break;
    }
}

/* 1,234,567 */
static void print_grouped(char room[CELL_ROOM], uint64_t count)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = room;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
}

/* A span in the largest unit that leaves at least one whole, after rounding: 999,960 us are
 * 1.0 s and not 1000.0 ms. */
static void print_span(char room[CELL_ROOM], adm_sum_t span_us)
{
    static const struct {
        uint64_t us;
        const char *name;
    } units[] = {{UINT64_C(1000), "ms"},
                 {UINT64_C(1000000), "s"},
                 {UINT64_C(60000000), "min"},
                 {UINT64_C(3600000000), "h"},
                 {UINT64_C(86400000000), "d"}};
    if (span_us < units[0].us) {
        snprintf(room, CELL_ROOM, span_us == 0 ? "0" : "%u us", (unsigned)span_us);
        return;
    }
    adm_sum_t tenths = 0;
    size_t i = 0;
    for (;; i++) {
        tenths = (span_us * 10 + units[i].us / 2) / units[i].us;
        if (i + 1 == sizeof units / sizeof *units ||
            tenths * units[i].us < 10 * (adm_sum_t)units[i + 1].us) {
            break;
        }
    }
    const int n = print_sum(room, tenths / 10);
    snprintf(room + n, (size_t)(CELL_ROOM - n), ".%u %s", (unsigned)(tenths % 10),
             units[i].name);
}

/* A cell as people read it. */
static void print_rounded(char room[CELL_ROOM], const struct adm_cell *cell)
{
    switch (cell->type) {
    case ADM_CELL_COUNT:
        print_grouped(room, cell->is.count);
        break;
    case ADM_CELL_SPAN:
        print_span(room, cell->is.span_us);
        break;
    case ADM_CELL_SHARE:
        snprintf(room, CELL_ROOM, "%.1f %%", share_of(cell) * 100);
        break;
    case ADM_CELL_LIMIT:
    case ADM_CELL_NAME:
        print_exact(room, cell);
        break;
    }
}

static size_t width_of(const struct adm_sheet *sheet, size_t column)
{
    char room[CELL_ROOM];
    size_t width = strlen(sheet->columns[column].title);
    for (size_t i = column; i < sheet->n_cells; i += sheet->n_columns) {
        print_rounded(room, &sheet->cells[i]);
        width = strlen(room) > width ? strlen(room) : width;
    }
    return width;
}

void adm_sheet_print_table(const struct adm_sheet *sheet, FILE *out)
{
    size_t *widths = adm_memory_new(sheet->n_columns, sizeof *widths);
    for (size_t c = 0; c < sheet->n_columns; c++) {
        widths[c] = width_of(sheet, c);
        fprintf(out, "%s%*s", c == 0 ? "" : "  ", (int)widths[c], sheet->columns[c].title);
    }
    fputc('\n', out);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        char room[CELL_ROOM];
        const size_t c = i % sheet->n_columns;
        print_rounded(room, &sheet->cells[i]);
        fprintf(out, "%s%*s%s", c == 0 ? "" : "  ", (int)widths[c], room,
                c + 1 == sheet->n_columns ? "\n" : "");
    }
    free(widths);
}

static void print_csv_field(FILE *out, const struct adm_cell *cell)
{
    char room[CELL_ROOM];
    print_exact(room, cell);
    if (strpbrk(room, ",\"") != NULL) {
        csv_fwrite(out, room, strlen(room));
    } else {
        fputs(room, out);
    }
}

void adm_sheet_print_csv(const struct adm_sheet *sheet, FILE *out)
{
    for (size_t c = 0; c < sheet->n_columns; c++) {
        fprintf(out, "%s%s", c == 0 ? "" : ",", sheet->columns[c].name);
    }
    fputc('\n', out);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const size_t c = i % sheet->n_columns;
        fputs(c == 0 ? "" : ",", out);
        print_csv_field(out, &sheet->cells[i]);
        fputs(c + 1 == sheet->n_columns ? "\n" : "", out);
    }
}

/* A name as a JSON text; one that is no UTF-8 with its bytes as \xHH. */
static json_t *name_json(struct adm_name name)
{
    json_t *json = json_stringn(name.bytes, name.length);
    if (json != NULL) {
        return json;
    }
    char room[4 * ADM_NAME_MAX + 1];
    char *to = room;
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char byte = (unsigned char)name.bytes[i];
        to += byte < 0x80 ? sprintf(to, "%c", byte) : sprintf(to, "\\x%02x", byte);
    }
    return json_string(room);
}

static void print_json_cell(FILE *out, const struct adm_cell *cell)
{
    char room[CELL_ROOM];
    if (cell->type == ADM_CELL_NAME) {
        json_t *name = name_json(cell->is.name);
        json_dumpf(name, out, JSON_ENCODE_ANY);
        json_decref(name);
    } else if (cell->type == ADM_CELL_LIMIT && cell->is.count == ADM_NO_LIMIT) {
        fputs("null", out);
    } else {
        print_exact(room, cell);
        fputs(room, out);
    }
}

void adm_sheet_print_json(const struct adm_sheet *sheet, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const size_t c = i % sheet->n_columns;
        if (c == 0) {
            fprintf(out, "%s\n    {", i == 0 ? "" : ",");
        }
        fprintf(out, "%s\n      \"%s\": ", c == 0 ? "" : ",", sheet->columns[c].name);
        print_json_cell(out, &sheet->cells[i]);
        fputs(c + 1 == sheet->n_columns ? "\n    }" : "", out);
    }
    fputs(sheet->n_cells == 0 ? "]" : "\n  ]", out);
}
