/* What measuring needs: clocks, percentiles, threads that begin together, processors. */
#ifndef ADM_TOOL_BENCH_MEASURE_H
#define ADM_TOOL_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds: of the monotonic clock, and of processor time of the whole process. */
int64_t adm_measure_now_ns(void);
int64_t adm_measure_cpu_ns(void);

void adm_measure_sleep_us(int64_t duration_us);

/* A latency a call, up to its room; later ones are counted, not kept. */
struct adm_latencies {
    uint32_t *ns;
    size_t n;
    size_t room;
};

void adm_latencies_init(struct adm_latencies *latencies, size_t room);
void adm_latencies_deinit(struct adm_latencies *latencies);
void adm_latencies_add(struct adm_latencies *latencies, int64_t ns);
void adm_latencies_join(struct adm_latencies *to, const struct adm_latencies *from);

/* Nearest-rank, in microseconds; sorts. 0 when there is none. */
double adm_latencies_us(struct adm_latencies *latencies, double percentile);

/* One for each of `n_callers`, each with `room`; and back again: what they have goes to `to`.
 */
struct adm_latencies *adm_latencies_fan_out(size_t n_callers, size_t room);
void adm_latencies_fan_in(struct adm_latencies *to, struct adm_latencies *each,
                          size_t n_callers);

/* Threads that work side by side. */
struct adm_crew;

/* What member `i` does: prepares, begins, works, finishes - each once - and tidies up. */
typedef void adm_crew_work(struct adm_crew *crew, void *arg, size_t i);

/* Runs `n` members; the nanoseconds from the common begin to the last finish. */
int64_t adm_crew_run(size_t n, adm_crew_work *work, void *arg);

/* How much of `total` member `i` of `n` has to do: the first ones do what is left over. */
size_t adm_crew_share(size_t total, size_t n, size_t i);

/* Waits until all are prepared. */
void adm_crew_begin(struct adm_crew *crew);

/* Takes the time, and waits until all have finished. */
void adm_crew_finish(struct adm_crew *crew);

/* Waits for all the others, once more. */
void adm_crew_meet(struct adm_crew *crew);

/* Puts the calling thread on one processor; -1: on all. Threads that it makes inherit it. */
void adm_measure_pin(int processor);

/* Keeps one processor busy from begin to end, from another process. */
int adm_measure_hog_begin(void);
void adm_measure_hog_end(int hog);

#endif
