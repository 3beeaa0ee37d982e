/* What a flood does to others: to a lone caller's latency, to the other flooders, to memory. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/assert.h"
#include "tool/bench/cases.h"
#include "tool/bench/door.h"
#include "tool/bench/stream.h"

enum {
    CORK = 64,
    LONE_EVERY_US = 200,
    FLOODERS = 4
};

struct flood {
    admission_actor_t *actor;
    atomic_bool is_over;
    size_t n_lone;
    struct adm_latencies lone;
    size_t answered[FLOODERS];
    int64_t length_us;
};

static void flood_until_over(struct flood *flood, size_t i)
{
    struct adm_stream stream;
    adm_stream_init(&stream, flood->actor, i, CORK);
    while (!atomic_load_explicit(&flood->is_over, memory_order_relaxed)) {
        adm_stream_turn(&stream, SIZE_MAX);
    }
    flood->answered[i] = stream.n_answered;
    adm_stream_deinit(&stream);
}

static void call_now_and_then(struct flood *flood)
{
    admission_client_t *client = adm_door_client(flood->actor);
    for (size_t i = 0; i < flood->n_lone; i++) {
        uint64_t id;
        const int64_t before = adm_measure_now_ns();
        ADM_ASSERT(admission_client_admit_ticket(client, NULL, &id, NULL) == ADMISSION_OK);
        adm_latencies_add(&flood->lone, adm_measure_now_ns() - before);
        admission_client_leave(client, id);
        adm_measure_sleep_us(LONE_EVERY_US);
    }
    admission_client_destroy(&client);
    atomic_store(&flood->is_over, true);
}

static void one_flooder(struct adm_crew *crew, void *arg, size_t i)
{
    struct flood *flood = arg;
    adm_crew_begin(crew);
    if (i == 0) {
        call_now_and_then(flood);
    } else {
        flood_until_over(flood, 0);
    }
    adm_crew_finish(crew);
}

static void four_flooders(struct adm_crew *crew, void *arg, size_t i)
{
    struct flood *flood = arg;
    adm_crew_begin(crew);
    if (i == FLOODERS) {
        adm_measure_sleep_us(flood->length_us);
        atomic_store(&flood->is_over, true);
    } else {
        flood_until_over(flood, i);
    }
    adm_crew_finish(crew);
}

static void measure_lone(struct adm_board *board, bool is_quick)
{
    struct flood flood = {.actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE),
                          .n_lone = is_quick ? 500 : 3000};
    adm_latencies_init(&flood.lone, flood.n_lone);
    (void)adm_crew_run(2, one_flooder, &flood);
    admission_actor_destroy(&flood.actor);
    static const char name[] = "flood, a lone admit beside it";
    adm_board_add(board, name, "p50", "us", adm_latencies_us(&flood.lone, 50));
    adm_board_add(board, name, "p99", "us", adm_latencies_us(&flood.lone, 99));
    adm_board_add(board, name, "max", "us", adm_latencies_us(&flood.lone, 100));
    adm_latencies_deinit(&flood.lone);
}

static void measure_fairness(struct adm_board *board, bool is_quick)
{
    struct flood flood = {.actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE),
                          .length_us = is_quick ? 300000 : 2000000};
    (void)adm_crew_run(FLOODERS + 1, four_flooders, &flood);
    admission_actor_destroy(&flood.actor);
    size_t least = flood.answered[0];
    size_t most = flood.answered[0];
    for (size_t i = 1; i < FLOODERS; i++) {
        least = flood.answered[i] < least ? flood.answered[i] : least;
        most = flood.answered[i] > most ? flood.answered[i] : most;
    }
    adm_board_add(board, "flood, 4 flooders", "slowest/fastest", "",
                  (double)least / (double)most);
}

static double resident_mb(void)
{
    long size;
    long resident;
    FILE *file = fopen("/proc/self/statm", "r");
    ADM_ASSERT(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Leaves are never refused: only the inlet's bound holds them. */
static void measure_leaves(struct adm_board *board, bool is_quick)
{
    admission_actor_t *actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE);
    admission_client_t *client = adm_door_client(actor);
    const double before = resident_mb();
    double most = before;
    const int n = is_quick ? 1000000 : 10000000;
    admission_client_cork(client);
    for (int i = 0; i < n; i++) {
        admission_client_leave(client, 1);
        if (i % 100000 == 0) {
            const double now = resident_mb();
            most = now > most ? now : most;
        }
    }
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    adm_board_add(board, "flood of leaves", "memory", "MB", most - before);
}

void adm_bench_flood(struct adm_board *board, bool is_quick)
{
    measure_lone(board, is_quick);
    measure_fairness(board, is_quick);
    measure_leaves(board, is_quick);
}
