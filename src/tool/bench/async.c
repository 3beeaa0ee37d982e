/* Requests without waiting: throughput with many in flight, and a burst of one principal. */
#include <stdio.h>

#include "base/assert.h"
#include "tool/bench/cases.h"
#include "tool/bench/door.h"
#include "tool/bench/raw.h"
#include "tool/bench/stream.h"

struct errand {
    admission_actor_t *actor;
    size_t n;
    size_t cork;
};

static void pipeline(struct adm_crew *crew, void *arg, size_t i)
{
    const struct errand *errand = arg;
    struct adm_stream stream;
    adm_stream_init(&stream, errand->actor, i, errand->cork);
    adm_crew_begin(crew);
    while (stream.n_answered < errand->n) {
        adm_stream_turn(&stream, errand->n);
    }
    adm_crew_finish(crew);
    adm_stream_deinit(&stream);
}

static double admits_per_second(size_t n_callers, size_t n, size_t cork)
{
    admission_actor_t *actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE);
    struct errand errand = {.actor = actor, .n = n / cork * cork, .cork = cork};
    const int64_t took_ns = adm_crew_run(n_callers, pipeline, &errand);
    admission_actor_destroy(&actor);
    return (double)(n_callers * errand.n) * 1e9 / (double)took_ns;
}

static double echoes_per_second(size_t n_callers, size_t n)
{
    struct adm_raw *raw = adm_raw_new();
    const int64_t took_ns = adm_raw_async(raw, n_callers, n_callers * n, ADM_STREAM_WINDOW);
    adm_raw_destroy(&raw);
    return (double)(n_callers * n) * 1e9 / (double)took_ns;
}

void adm_bench_async(struct adm_board *board, bool is_quick)
{
    static const size_t callers[] = {1, 16};
    static const size_t corks[] = {1, 8, 64, 256};
    char name[48];
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        const size_t n = (is_quick ? 64000 : 512000) / callers[i];
        const double raw = echoes_per_second(callers[i], n);
        for (size_t k = 0; k < sizeof corks / sizeof *corks; k++) {
            snprintf(name, sizeof name, "async, %zu callers, cork %zu", callers[i], corks[k]);
            adm_board_add(board, name, "rate", "1/s",
                          admits_per_second(callers[i], n, corks[k]));
            adm_board_add_raw(board, name, "rate", raw);
        }
    }
}

/* A burst of one principal. */

enum {
    BURST = 1000,
    BURST_CLIENTS = 16
};

struct burst {
    admission_actor_t *actor;
    struct admission_stats after; /* while all that were admitted are still there */
};

static void burst(struct adm_crew *crew, void *arg, size_t i)
{
    struct burst *burst = arg;
    admission_client_t *client = adm_door_client(burst->actor);
    struct admission_listen listen = admission_listen_default("ann");
    listen.max = ADM_DOOR_CAP;
    const size_t n = adm_crew_share(BURST, BURST_CLIENTS, i);
    adm_crew_begin(crew);
    for (size_t k = 0; k < n; k++) {
        ADM_ASSERT(admission_client_request_listener(client, &listen, NULL) == ADMISSION_OK);
    }
    for (size_t n_admitted = 0; n_admitted < n;) {
        n_admitted += adm_door_next(client).type == ADMISSION_EVENT_ADMITTED;
    }
    adm_crew_finish(crew);
    if (i == 0) {
        burst->after = adm_door_stats(burst->actor);
    }
    adm_crew_meet(crew);
    admission_client_destroy(&client);
}

void adm_bench_burst(struct adm_board *board, bool is_quick)
{
    (void)is_quick;
    static const char name[] = "burst of 1000, cap 4, 16 clients";
    struct burst run = {.actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE)};
    const int64_t took_ns = adm_crew_run(BURST_CLIENTS, burst, &run);
    admission_actor_destroy(&run.actor);
    adm_board_add(board, name, "until answered", "us", (double)took_ns / 1000);
    adm_board_add(board, name, "live after it", "", (double)run.after.listeners);
    struct adm_raw *raw = adm_raw_new();
    const int64_t raw_ns = adm_raw_async(raw, BURST_CLIENTS, BURST, BURST);
    adm_raw_destroy(&raw);
    adm_board_add_raw(board, name, "until answered", (double)raw_ns / 1000);
}
