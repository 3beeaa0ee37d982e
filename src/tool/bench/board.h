/* The figures of a run: rows of samples, one a repetition, some beside a raw baseline. */
#ifndef ADM_TOOL_BENCH_BOARD_H
#define ADM_TOOL_BENCH_BOARD_H

#include <stddef.h>
#include <stdio.h>

#include "tool/output.h"

enum {
    ADM_BOARD_SAMPLES = 9 /* repetitions, at most */
};

struct adm_board_samples {
    double values[ADM_BOARD_SAMPLES];
    size_t n;
};

/* `what` is what was measured, `unit` in what; `raw` has samples where there is a baseline. */
struct adm_board_row {
    char name[48];
    char what[24];
    char unit[8];
    struct adm_board_samples ours;
    struct adm_board_samples raw;
};

/* Zeroed, it is empty. */
struct adm_board {
    struct adm_board_row *rows;
    size_t n;
    size_t room;
};

void adm_board_deinit(struct adm_board *board);

/* Adds a sample to the row of this name and what, which is made at its first. */
void adm_board_add(struct adm_board *board, const char *name, const char *what,
                   const char *unit, double value);

/* Adds a sample of the baseline to a row that is there. */
void adm_board_add_raw(struct adm_board *board, const char *name, const char *what,
                       double value);

/* Prints the medians with their spread. */
void adm_board_print(const struct adm_board *board, enum adm_output output, FILE *out);

#endif
