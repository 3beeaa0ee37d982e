/* Blocking calls: how fast one answer comes, for how many callers, at what cost; and adaptive
 * waiting beside sleeping at once, with the processors free and with one of them taken. */
#include <stdio.h>

#include "tool/bench/cases.h"
#include "tool/bench/door.h"
#include "tool/bench/raw.h"

/* One run: a rate, two percentiles and the processor time a call. */
struct figures {
    double per_second;
    double p50_us;
    double p99_us;
    double cpu_us;
};

/* What is measured: raw, or ours with this policy and kind. */
struct subject {
    bool is_raw;
    bool is_ticket;
    admission_spin_t spin;
};

static int64_t run(const struct subject *subject, size_t n_callers, size_t n, int actor_on,
                   int callers_on, struct adm_latencies *latencies)
{
    int64_t took_ns;
    adm_measure_pin(actor_on);
    if (subject->is_raw) {
        struct adm_raw *raw = adm_raw_new();
        adm_measure_pin(callers_on);
        took_ns = adm_raw_sync(raw, n_callers, n, latencies);
        adm_raw_destroy(&raw);
    } else {
        admission_actor_t *actor = adm_door_open(subject->spin);
        adm_measure_pin(callers_on);
        took_ns = adm_door_sync(actor, n_callers, n, subject->is_ticket, latencies);
        admission_actor_destroy(&actor);
    }
    adm_measure_pin(-1);
    return took_ns;
}

static struct figures measure(const struct subject *subject, size_t n_callers, size_t n,
                              int actor_on, int callers_on)
{
    struct adm_latencies latencies;
    adm_latencies_init(&latencies, n_callers * n);
    const int64_t cpu_ns = adm_measure_cpu_ns();
    const int64_t took_ns = run(subject, n_callers, n, actor_on, callers_on, &latencies);
    const double n_calls = (double)(n_callers * n);
    const struct figures figures = {
        .per_second = n_calls * 1e9 / (double)took_ns,
        .p50_us = adm_latencies_us(&latencies, 50),
        .p99_us = adm_latencies_us(&latencies, 99),
        .cpu_us = (double)(adm_measure_cpu_ns() - cpu_ns) / n_calls / 1000,
    };
    adm_latencies_deinit(&latencies);
    return figures;
}

static void add(struct adm_board *board, const char *name, const struct figures *ours,
                const struct figures *raw)
{
    adm_board_add(board, name, "rate", "1/s", ours->per_second);
    adm_board_add(board, name, "p50", "us", ours->p50_us);
    adm_board_add(board, name, "p99", "us", ours->p99_us);
    adm_board_add(board, name, "cpu a call", "us", ours->cpu_us);
    adm_board_add_raw(board, name, "rate", raw->per_second);
    adm_board_add_raw(board, name, "p50", raw->p50_us);
    adm_board_add_raw(board, name, "p99", raw->p99_us);
    adm_board_add_raw(board, name, "cpu a call", raw->cpu_us);
}

void adm_bench_sync(struct adm_board *board, bool is_quick)
{
    static const size_t callers[] = {1, 4, 16, 64};
    const struct subject raw = {.is_raw = true};
    const struct subject listener = {.spin = ADMISSION_SPIN_ADAPTIVE};
    const struct subject ticket = {.spin = ADMISSION_SPIN_ADAPTIVE, .is_ticket = true};
    char name[48];
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        const size_t n = (is_quick ? 4000 : 40000) / callers[i];
        const struct figures echo = measure(&raw, callers[i], n, -1, -1);
        const struct figures listeners = measure(&listener, callers[i], n, -1, -1);
        const struct figures tickets = measure(&ticket, callers[i], n, -1, -1);
        snprintf(name, sizeof name, "sync listener, %zu callers", callers[i]);
        add(board, name, &listeners, &echo);
        snprintf(name, sizeof name, "sync ticket, %zu callers", callers[i]);
        add(board, name, &tickets, &echo);
    }
    const size_t n = is_quick ? 2000 : 20000;
    const struct figures two = measure(&listener, 1, n, 0, 1);
    const struct figures two_raw = measure(&raw, 1, n, 0, 1);
    add(board, "sync listener, 2 processors", &two, &two_raw);
    const struct figures one = measure(&listener, 1, n, 0, 0);
    const struct figures one_raw = measure(&raw, 1, n, 0, 0);
    add(board, "sync listener, 1 processor", &one, &one_raw);
}

/* Beside our own policy of sleeping at once, rather than beside the raw echo. */
static void compare_policies(struct adm_board *board, const char *crowd, bool is_quick)
{
    static const size_t callers[] = {1, 4, 16, 64};
    const struct subject adaptive = {.spin = ADMISSION_SPIN_ADAPTIVE};
    const struct subject never = {.spin = ADMISSION_SPIN_NEVER};
    char name[48];
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        const size_t n = (is_quick ? 4000 : 40000) / callers[i];
        const struct figures spins = measure(&adaptive, callers[i], n, -1, -1);
        const struct figures sleeps = measure(&never, callers[i], n, -1, -1);
        snprintf(name, sizeof name, "spin or sleep, %s, %zu callers", crowd, callers[i]);
        adm_board_add(board, name, "rate", "1/s", spins.per_second);
        adm_board_add_raw(board, name, "rate", sleeps.per_second);
    }
}

/* One admit a millisecond: what adaptive waiting costs where it can gain nothing. */
static double sparse_cpu_us(admission_spin_t spin, size_t n)
{
    admission_actor_t *actor = adm_door_open(spin);
    admission_client_t *client = adm_door_client(actor);
    const int64_t before = adm_measure_cpu_ns();
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        if (admission_client_admit_ticket(client, NULL, &id, NULL) == ADMISSION_OK) {
            admission_client_leave(client, id);
        }
        adm_measure_sleep_us(1000);
    }
    const double cpu_us = (double)(adm_measure_cpu_ns() - before) / (double)n / 1000;
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return cpu_us;
}

void adm_bench_policy(struct adm_board *board, bool is_quick)
{
    compare_policies(board, "idle", is_quick);
    const int hog = adm_measure_hog_begin();
    compare_policies(board, "1 hog", is_quick);
    adm_measure_hog_end(hog);
    const size_t n = is_quick ? 200 : 1000;
    adm_board_add(board, "spin or sleep, 1 admit a ms", "cpu a call", "us",
                  sparse_cpu_us(ADMISSION_SPIN_ADAPTIVE, n));
    adm_board_add_raw(board, "spin or sleep, 1 admit a ms", "cpu a call",
                      sparse_cpu_us(ADMISSION_SPIN_NEVER, n));
}
