/* One limit on its way over a log: what the runs of every study have in common. */
#ifndef ADM_TOOL_RUN_H
#define ADM_TOOL_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/sim.h"

/* A study's own struct begins with it, so that a pointer to the one is one to the other. */
struct adm_run {
    uint32_t limit; /* ADM_NO_LIMIT: none */
    struct adm_sim sim;
};

/* `hear` gets the run as its context; `events` and `trace` may be NULL. */
void adm_run_init(struct adm_run *run, uint32_t limit, adm_sim_hear *hear, FILE *events,
                  FILE *trace);
void adm_run_deinit(struct adm_run *run);

/* The `n` structs of an array, each of `size` bytes and begun by its run, from the loosest
 * limit to the tightest, equal ones as they stand. Free the result. */
const void **adm_run_order(const void *runs, size_t n, size_t size);

/* An array of `size` bytes for each number of a name, grown so that it has `number`: what is
 * new is zero. */
void *adm_run_know(void *tolls, size_t *n, size_t *room, size_t size, uint32_t number);

#endif
