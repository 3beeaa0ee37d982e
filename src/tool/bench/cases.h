/* The cases of `admission bench`. Each takes its samples of one repetition. */
#ifndef ADM_TOOL_BENCH_CASES_H
#define ADM_TOOL_BENCH_CASES_H

#include <stdbool.h>

#include "tool/bench/board.h"

/* `is_quick` sizes a case down to about a tenth. */
typedef void adm_bench_case(struct adm_board *board, bool is_quick);

adm_bench_case adm_bench_sync;
adm_bench_case adm_bench_policy; /* adaptive spinning beside none */
adm_bench_case adm_bench_async;
adm_bench_case adm_bench_burst;
adm_bench_case adm_bench_flood;
adm_bench_case adm_bench_pacing;
adm_bench_case adm_bench_idle;
adm_bench_case adm_bench_core;

#endif
