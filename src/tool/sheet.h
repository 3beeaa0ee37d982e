/* Figures in rows and columns, for people and for programs. */
#ifndef ADM_TOOL_SHEET_H
#define ADM_TOOL_SHEET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/name.h"

/* Sums of waits do not fit into 64 bits. */
__extension__ typedef unsigned __int128 adm_sum_t;

enum adm_cell_type {
    ADM_CELL_COUNT,
    ADM_CELL_LIMIT, /* a count, of which ADM_NO_LIMIT is none */
    ADM_CELL_SPAN,  /* microseconds; shown in ms, or as people say it */
    ADM_CELL_SHARE, /* `n` of `of` */
    ADM_CELL_NAME,
};

struct adm_cell {
    enum adm_cell_type type;
    union {
        uint64_t count;
        adm_sum_t span_us;
        struct {
            uint64_t n;
            uint64_t of;
        } share;
        struct adm_name name; /* lives as long as the sheet */
    } is;
};

struct adm_cell adm_cell_count(uint64_t count);
struct adm_cell adm_cell_limit(uint32_t limit);
struct adm_cell adm_cell_span(adm_sum_t span_us);
struct adm_cell adm_cell_share(uint64_t n, uint64_t of);
struct adm_cell adm_cell_name(struct adm_name name);

/* What programs and what people call a column. */
struct adm_sheet_column {
    const char *name;
    const char *title;
};

struct adm_sheet {
    const struct adm_sheet_column *columns;
    size_t n_columns;
    struct adm_cell *cells; /* row by row */
    size_t n_cells;
    size_t room;
};

void adm_sheet_init(struct adm_sheet *sheet, const struct adm_sheet_column *columns,
                    size_t n_columns);
void adm_sheet_deinit(struct adm_sheet *sheet);

/* Adds a row of `n_columns` cells. */
void adm_sheet_add(struct adm_sheet *sheet, const struct adm_cell *cells);

size_t adm_sheet_n_rows(const struct adm_sheet *sheet);

/* A table with aligned columns; a CSV with a header line; a JSON array of objects, to stand as
 * a member of an object, in which figures are the same texts as in the CSV. */
void adm_sheet_print_table(const struct adm_sheet *sheet, FILE *out);
void adm_sheet_print_csv(const struct adm_sheet *sheet, FILE *out);
void adm_sheet_print_json(const struct adm_sheet *sheet, FILE *out);

#endif
