/* The baseline: an echo over raw libzmq, DEALER to ROUTER over inproc, with messages as large
 * as ours - 33 bytes there, 32 back - and no admission. */
#ifndef ADM_TOOL_BENCH_RAW_H
#define ADM_TOOL_BENCH_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "tool/bench/measure.h"

struct adm_raw;

/* Starts the echo; the thread inherits the caller's processors. */
struct adm_raw *adm_raw_new(void);
void adm_raw_destroy(struct adm_raw **raw);

/* `n_callers` threads, each `n` blocking round trips; nanoseconds for all, and each one's. */
int64_t adm_raw_sync(struct adm_raw *raw, size_t n_callers, size_t n,
                     struct adm_latencies *latencies);

/* `n_callers` threads, `total` round trips in all, with `window` messages in flight for each.
 */
int64_t adm_raw_async(struct adm_raw *raw, size_t n_callers, size_t total, size_t window);

#endif
