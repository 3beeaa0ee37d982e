/* An actor by a clock that the test holds, and what a test says about it in few words.
 *
 *     struct bench bench = bench_with(1, NULL);
 *     ...
 *     pass(&bench, ADMISSION_S(3));
 *     bench_end(&bench);
 *
 * Nothing here sleeps: what waits, waits for the clock, or for a semaphore that is certain to
 * come. */
#ifndef ADM_TESTS_CYCLES_FIXTURE_H
#define ADM_TESTS_CYCLES_FIXTURE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission.h"

/* Ends the program when `condition` is not so, also on a second thread, where Criterion's own
 * asserts must not be used. */
void check_that(bool holds, const char *file, int line, const char *what);
#define check(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define check_ok(call) check((call) == ADMISSION_OK)

/* The wall clock at which every bench begins: 2026-01-01 00:00:00 UTC. */
#define BENCH_WALL_US (INT64_C(1767225600) * 1000000)

struct bench {
    admission_virtual_clock_t *clock;
    admission_actor_t *actor;
    admission_client_t *client; /* of the thread that made the bench */
};

/* At most `max_concurrent` tickets run; `provider`, when not NULL, is there too. */
struct bench bench_with(int64_t max_concurrent, const struct admission_provider *provider);

/* All gauges are at zero and the counters balance; then it ends everything. */
void bench_end(struct bench *bench);

/* Lets time pass, and what is due in it happen. */
void pass(struct bench *bench, int64_t by_us);

/* The same, from inside the function of a cycle. */
void pass_inside(struct bench *bench, int64_t by_us);

struct admission_stats books(struct bench *bench);

/* Options whose first member says that there is no other, and after which nothing can be read.
 */
void *nothing_but_a_size(void);

/* Threads. */
pthread_t start_thread(void *(*run)(void *), void *arg);
void join_thread(pthread_t thread);
void raise_semaphore(sem_t *semaphore);
void wait_for_semaphore(sem_t *semaphore);

#endif
