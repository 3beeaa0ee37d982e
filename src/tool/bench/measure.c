/* See tool/bench/measure.h. */
#include "tool/bench/measure.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"

static int64_t read_ns(clockid_t clock)
{
    struct timespec at;
    ADM_ASSERT(clock_gettime(clock, &at) == 0);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

int64_t adm_measure_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t adm_measure_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void adm_measure_sleep_us(int64_t duration_us)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(duration_us / 1000000),
                                 .tv_nsec = (long)(duration_us % 1000000) * 1000},
              NULL);
}

void adm_latencies_init(struct adm_latencies *latencies, size_t room)
{
    *latencies = (struct adm_latencies){.room = room};
    latencies->ns = adm_memory_new(room, sizeof *latencies->ns);
}

void adm_latencies_deinit(struct adm_latencies *latencies)
{
    free(latencies->ns);
}

void adm_latencies_add(struct adm_latencies *latencies, int64_t ns)
{
    if (latencies->n < latencies->room) {
        latencies->ns[latencies->n] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
    }
    latencies->n++;
}

static size_t kept(const struct adm_latencies *latencies)
{
    return latencies->n < latencies->room ? latencies->n : latencies->room;
}

void adm_latencies_join(struct adm_latencies *to, const struct adm_latencies *from)
{
    for (size_t i = 0; i < kept(from); i++) {
        adm_latencies_add(to, from->ns[i]);
    }
}

struct adm_latencies *adm_latencies_fan_out(size_t n_callers, size_t room)
{
    struct adm_latencies *each = adm_memory_new(n_callers, sizeof *each);
    for (size_t i = 0; i < n_callers; i++) {
        adm_latencies_init(&each[i], room);
    }
    return each;
}

void adm_latencies_fan_in(struct adm_latencies *to, struct adm_latencies *each,
                          size_t n_callers)
{
    for (size_t i = 0; i < n_callers; i++) {
        adm_latencies_join(to, &each[i]);
        adm_latencies_deinit(&each[i]);
    }
    free(each);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

double adm_latencies_us(struct adm_latencies *latencies, double percentile)
{
    const size_t n = kept(latencies);
    if (n == 0) {
        return 0;
    }
    qsort(latencies->ns, n, sizeof *latencies->ns, by_value);
    const size_t rank = (size_t)ceil(percentile / 100 * (double)n);
    return latencies->ns[rank == 0 ? 0 : rank - 1] / 1000.0;
}

/* `begun_at` and `finished_at` are those of the last to come there. */
struct adm_crew {
    pthread_barrier_t barrier;
    adm_crew_work *work;
    void *arg;
    atomic_int_fast64_t begun_at;
    atomic_int_fast64_t finished_at;
};

struct member {
    struct adm_crew *crew;
    size_t i;
    pthread_t thread;
};

static void *run_member(void *arg)
{
    const struct member *member = arg;
    member->crew->work(member->crew, member->crew->arg, member->i);
    return NULL;
}

static void note_latest(atomic_int_fast64_t *latest)
{
    const int_fast64_t now = adm_measure_now_ns();
    int_fast64_t before = atomic_load(latest);
    while (before < now && !atomic_compare_exchange_weak(latest, &before, now)) {
    }
}

int64_t adm_crew_run(size_t n, adm_crew_work *work, void *arg)
{
    struct adm_crew crew = {.work = work, .arg = arg};
    struct member *members = adm_memory_new(n, sizeof *members);
    pthread_barrier_init(&crew.barrier, NULL, (unsigned)n);
    for (size_t i = 0; i < n; i++) {
        members[i] = (struct member){.crew = &crew, .i = i};
        ADM_ASSERT(pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0);
    }
    for (size_t i = 0; i < n; i++) {
        pthread_join(members[i].thread, NULL);
    }
    pthread_barrier_destroy(&crew.barrier);
    free(members);
    return atomic_load(&crew.finished_at) - atomic_load(&crew.begun_at);
}

size_t adm_crew_share(size_t total, size_t n, size_t i)
{
    return total / n + (i < total % n);
}

void adm_crew_begin(struct adm_crew *crew)
{
    note_latest(&crew->begun_at);
    pthread_barrier_wait(&crew->barrier);
}

void adm_crew_finish(struct adm_crew *crew)
{
    note_latest(&crew->finished_at);
    pthread_barrier_wait(&crew->barrier);
}

void adm_crew_meet(struct adm_crew *crew)
{
    pthread_barrier_wait(&crew->barrier);
}

void adm_measure_pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const long n = sysconf(_SC_NPROCESSORS_CONF);
    for (int i = 0; i < (int)n; i++) {
        if (processor == -1 || processor == i) {
            CPU_SET((size_t)i, &set);
        }
    }
    (void)sched_setaffinity(0, sizeof set, &set);
}

int adm_measure_hog_begin(void)
{
    const pid_t hog = fork();
    if (hog == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            __asm__ volatile("");
        }
    }
    return hog;
}

void adm_measure_hog_end(int hog)
{
    if (hog > 0) {
        kill(hog, SIGKILL);
        waitpid(hog, NULL, 0);
    }
}
