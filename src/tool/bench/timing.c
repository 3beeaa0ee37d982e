/* Time: how late a paced start is, and what an idle actor costs. */
#include <stdio.h>

#include "base/assert.h"
#include "tool/bench/cases.h"
#include "tool/bench/door.h"

enum {
    INTERVAL_US = 200,
    A_MESSAGE = 64 /* corked together, so they arrive at one instant */
};

/* All tickets of a message arrive at once, so the gaps between their starts are those between
 * their times queued, by the actor's own clock. */
static void pace_one_message(admission_client_t *client, struct adm_latencies *late,
                             size_t *n_early)
{
    admission_client_cork(client);
    for (int i = 0; i < A_MESSAGE; i++) {
        ADM_ASSERT(admission_client_request_ticket(client, NULL, NULL) == ADMISSION_OK);
    }
    admission_client_uncork(client);
    int64_t last_us = -1;
    for (int i = 0; i < A_MESSAGE; i++) {
        const struct admission_event event = adm_door_next(client);
        ADM_ASSERT(event.type == ADMISSION_EVENT_GRANTED);
        admission_client_leave(client, event.id);
        if (last_us >= 0) {
            const int64_t late_us = event.waited_us - last_us - INTERVAL_US;
            *n_early += late_us < 0;
            adm_latencies_add(late, late_us < 0 ? 0 : late_us * 1000);
        }
        last_us = event.waited_us;
    }
}

void adm_bench_pacing(struct adm_board *board, bool is_quick)
{
    admission_actor_t *actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE);
    struct admission_limits limits = admission_limits_unchanged();
    limits.min_interval_us = INTERVAL_US;
    ADM_ASSERT(admission_actor_change_limits(actor, &limits, NULL) == ADMISSION_OK);
    admission_client_t *client = adm_door_client(actor);
    const size_t n_messages = is_quick ? 10 : 60;
    struct adm_latencies late;
    adm_latencies_init(&late, n_messages * A_MESSAGE);
    size_t n_early = 0;
    for (size_t i = 0; i < n_messages; i++) {
        pace_one_message(client, &late, &n_early);
    }
    adm_board_add(board, "pacing at 200 us", "late p50", "us", adm_latencies_us(&late, 50));
    adm_board_add(board, "pacing at 200 us", "late p99", "us", adm_latencies_us(&late, 99));
    adm_board_add(board, "pacing at 200 us", "early", "", (double)n_early);
    adm_latencies_deinit(&late);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
}

enum {
    IDLE_CLIENTS = 64,
    IDLE_LISTENERS = 100000
};

static void fill(admission_client_t **clients, admission_actor_t *actor)
{
    for (size_t i = 0; i < IDLE_CLIENTS; i++) {
        clients[i] = adm_door_client(actor);
        admission_client_cork(clients[i]);
    }
    char principal[32];
    for (size_t i = 0; i < IDLE_LISTENERS; i++) {
        snprintf(principal, sizeof principal, "principal-%zu", i);
        const struct admission_listen listen = admission_listen_default(principal);
        ADM_ASSERT(admission_client_request_listener(clients[i % IDLE_CLIENTS], &listen,
                                                     NULL) == ADMISSION_OK);
    }
    for (size_t i = 0; i < IDLE_CLIENTS; i++) {
        admission_client_uncork(clients[i]);
    }
}

void adm_bench_idle(struct adm_board *board, bool is_quick)
{
    admission_actor_t *actor = adm_door_open(ADMISSION_SPIN_ADAPTIVE);
    admission_client_t *clients[IDLE_CLIENTS];
    fill(clients, actor);
    while (adm_door_stats(actor).listeners < IDLE_LISTENERS) {
        adm_measure_sleep_us(1000);
    }
    const int64_t length_us = is_quick ? 500000 : 3000000;
    const uint64_t wakeups = adm_door_stats(actor).wakeups;
    adm_measure_sleep_us(100000); /* until it sleeps */
    const int64_t cpu_ns = adm_measure_cpu_ns();
    adm_measure_sleep_us(length_us);
    const double cores = (double)(adm_measure_cpu_ns() - cpu_ns) / 1000 / (double)length_us;
    /* the question itself wakes it, once */
    const uint64_t woken = adm_door_stats(actor).wakeups - wakeups - 1;
    adm_board_add(board, "idle, 64 clients, 100000 live", "processors", "", cores);
    adm_board_add(board, "idle, 64 clients, 100000 live", "wake-ups", "", (double)woken);
    for (size_t i = 0; i < IDLE_CLIENTS; i++) {
        admission_client_destroy(&clients[i]);
    }
    admission_actor_destroy(&actor);
}
