/* Runs one trace through the machine and the naive model and finds where they first differ. */
#ifndef ADM_TESTS_CORE_COMPARE_H
#define ADM_TESTS_CORE_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "clauses.h"
#include "trace.h"

/* The number of steps that were made, and where and in what the models differed. */
struct comparison {
    uint64_t n_steps;
    bool differs;
    size_t line;      /* the line of the trace that was being run */
    int64_t now;      /* the instant of the step */
    const char *what; /* what differed */
};

/* Compares, after every step: the effects one by one, the due time, all books, what every
 * handle holds and which providers there are; and holds the machine's books to their balance.
 * Where `report` is not NULL a difference is told there in full. */
struct comparison compare_models(const struct trace *trace, struct clauses *clauses,
                                 FILE *report);

/* The same comparison of two machines under different hash keys. */
struct comparison compare_keys(const struct trace *trace);

/* Drops every line of `trace` without which the models still differ. */
void compare_shrink(struct trace *trace);

#endif
