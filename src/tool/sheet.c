/* See tool/sheet.h. Programs get every figure in full: milliseconds with as many decimals as
 * they have. People get it rounded, with its unit. */
#include "tool/sheet.h"

#include <csv.h>
#include <inttypes.h>
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

/* Milliseconds in full: `12`, `12.5`, `12.345`. */
static void print_ms(char room[CELL_ROOM], adm_sum_t span_us)
{
    const uint64_t ms = (uint64_t)(span_us / 1000);
    const unsigned us = (unsigned)(span_us % 1000);
    if (us == 0) {
        snprintf(room, CELL_ROOM, "%" PRIu64, ms);
        return;
    }
    int n = snprintf(room, CELL_ROOM, "%" PRIu64 ".%03u", ms, us);
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

/* A span in the largest unit that leaves at least one whole. */
static void print_span(char room[CELL_ROOM], adm_sum_t span_us)
{
    static const struct {
        double us;
        const char *unit;
    } units[] = {{86400e6, "d"}, {3600e6, "h"}, {60e6, "min"}, {1e6, "s"}, {1e3, "ms"}};
    const double us = (double)span_us;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (us >= units[i].us) {
            snprintf(room, CELL_ROOM, "%.1f %s", us / units[i].us, units[i].unit);
            return;
        }
    }
    snprintf(room, CELL_ROOM, us == 0 ? "0" : "%.0f us", us);
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

static json_t *cell_json(const struct adm_cell *cell)
{
    switch (cell->type) {
    case ADM_CELL_COUNT:
        return json_integer((json_int_t)cell->is.count);
    case ADM_CELL_LIMIT:
        return cell->is.count == ADM_NO_LIMIT ? json_null()
                                              : json_integer((json_int_t)cell->is.count);
    case ADM_CELL_SPAN:
        return cell->is.span_us % 1000 == 0
                   ? json_integer((json_int_t)(cell->is.span_us / 1000))
                   : json_real((double)cell->is.span_us / 1000);
    case ADM_CELL_SHARE:
        return json_real((double)(uint64_t)(share_of(cell) * 1e6 + 0.5) / 1e6);
    case ADM_CELL_NAME:
        return name_json(cell->is.name);
    }
    return json_null();
}

json_t *adm_sheet_json(const struct adm_sheet *sheet)
{
    json_t *rows = json_array();
    json_t *row = NULL;
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const size_t c = i % sheet->n_columns;
        if (c == 0) {
            row = json_object();
            json_array_append_new(rows, row);
        }
        json_object_set_new(row, sheet->columns[c].name, cell_json(&sheet->cells[i]));
    }
    return rows;
}
