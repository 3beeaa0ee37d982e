/* Many threads, one client each, that admit, leave, cancel and die, round after round, for a
 * while: no cap is ever exceeded, and the books are empty at the end. */
#ifndef ADM_TESTS_STRESS_STRESS_H
#define ADM_TESTS_STRESS_STRESS_H

#include <stdbool.h>
#include <stdint.h>

struct stress_options {
    unsigned n_threads; /* at most 256 */
    int64_t duration_us;
    uint64_t seed;
};

/* 64 threads, as many seconds as ADMISSION_STRESS_SECONDS says and else `seconds`, and a seed
 * from ADMISSION_SEED or 1. */
struct stress_options stress_options(int64_t seconds);

/* Returns whether everything held; tells what it met, and what did not hold, on stderr. */
bool stress_run(const struct stress_options *options);

#endif
