/* The machine alone: what a message costs it, and what it keeps for each thing.
 *
 * Requests are stepped sixteen at a time after a look ahead over them, as the actor handles the
 * records of a corked message. Names are made outside the time that is taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "core/machine.h"
#include "tool/bench/cases.h"
#include "tool/bench/measure.h"

enum {
    BATCH = ADM_FORESEE_MAX,
    LISTENERS_EACH = 4,
    PROVIDERS = 100,
    KEYS = 10000,
    PROVIDER_SLOTS = 4,
    SLOTS = 64,
    NAME_SIZE = 24
};

/* A machine and the requests that are made for it. */
struct rig {
    struct adm_machine *machine;
    struct adm_effects effects;
    struct adm_request batch[BATCH];
    char names[BATCH][2][NAME_SIZE];
    uint64_t next_id;
    uint64_t random;
    int64_t now;
    int64_t spent_ns;
    uint64_t running[SLOTS];
    size_t n_running;
    size_t n_principals; /* of the listeners that are made */
};

static uint64_t draw(struct rig *rig, uint64_t below)
{
    rig->random ^= rig->random << 13;
    rig->random ^= rig->random >> 7;
    rig->random ^= rig->random << 17;
    return rig->random % below;
}

static void begin(struct rig *rig)
{
    *rig = (struct rig){.next_id = 1, .random = 88172645463325252u, .now = 1};
    struct adm_limits limits = adm_limits_default();
    limits.max_listens_per_principal = LISTENERS_EACH;
    limits.queue_capacity = ADM_NO_LIMIT;
    const struct adm_hash_key key = adm_hash_key_random();
    rig->machine = adm_machine_new(&limits, &key);
}

static void end(struct rig *rig)
{
    adm_machine_destroy(&rig->machine);
    adm_effects_deinit(&rig->effects);
}

/* Who runs: a grant is the only effect that adds to it. */
static void note_grants(struct rig *rig)
{
    for (size_t i = 0; i < rig->effects.n; i++) {
        if (rig->effects.items[i].type == ADM_EFFECT_GRANTED && rig->n_running < SLOTS) {
            rig->running[rig->n_running++] = rig->effects.items[i].id;
        }
    }
    adm_effects_clear(&rig->effects);
}

static void step(struct rig *rig, const struct adm_request *request)
{
    adm_machine_step(rig->machine, rig->now, request, &rig->effects);
    note_grants(rig);
}

/* Steps the first `n` requests of the batch, and takes the time. */
static void step_batch(struct rig *rig, size_t n)
{
    struct adm_request *requests[BATCH];
    for (size_t i = 0; i < n; i++) {
        requests[i] = &rig->batch[i];
    }
    const int64_t before = adm_measure_now_ns();
    adm_machine_foresee(rig->machine, requests, n);
    for (size_t i = 0; i < n; i++) {
        step(rig, requests[i]);
    }
    rig->spent_ns += adm_measure_now_ns() - before;
}

/* Runs `make(rig, slot, i)` and its step for i in 0..n-1; returns nanoseconds each. */
typedef void make_request(struct rig *rig, size_t slot, size_t i);

static double time_each(struct rig *rig, size_t n, make_request *make)
{
    rig->spent_ns = 0;
    for (size_t i = 0; i < n; i += BATCH) {
        const size_t m = n - i < BATCH ? n - i : BATCH;
        for (size_t slot = 0; slot < m; slot++) {
            make(rig, slot, i + slot);
        }
        step_batch(rig, m);
    }
    return (double)rig->spent_ns / (double)n;
}

static struct adm_name name_of(struct rig *rig, size_t slot, int which, const char *kind,
                               size_t i)
{
    char *bytes = rig->names[slot][which];
    const int length = snprintf(bytes, NAME_SIZE, "%s-%07zu", kind, i);
    return (struct adm_name){.bytes = bytes, .length = (uint8_t)length};
}

/* Listeners. */

static void listen_as(struct rig *rig, size_t slot, size_t principal)
{
    struct adm_request *request = &rig->batch[slot];
    *request = (struct adm_request){.type = ADM_REQUEST_LISTENER, .id = rig->next_id++};
    request->of.listener.principal = name_of(rig, slot, 0, "principal", principal);
}

static void make_listener(struct rig *rig, size_t slot, size_t i)
{
    listen_as(rig, slot, i % rig->n_principals);
}

static void make_superseding(struct rig *rig, size_t slot, size_t i)
{
    (void)i;
    listen_as(rig, slot, draw(rig, rig->n_principals));
}

/* A principal that comes and goes: every other request is the leave of the one before. */
static void make_visitor(struct rig *rig, size_t slot, size_t i)
{
    if (i % 2 == 0) {
        listen_as(rig, slot, rig->n_principals + i);
    } else {
        rig->batch[slot] =
            (struct adm_request){.type = ADM_REQUEST_LEAVE, .id = rig->next_id - 1};
    }
}

static void measure_listeners(struct adm_board *board, size_t principals, size_t n)
{
    char name[48];
    struct rig rig;
    begin(&rig);
    rig.n_principals = principals;
    snprintf(name, sizeof name, "core listeners, %zu principals", principals);
    const size_t n_live = principals * LISTENERS_EACH;
    const double build_ns = time_each(&rig, n_live, make_listener);
    const double bytes = (double)adm_machine_bytes(rig.machine) / (double)n_live;
    const double supersede_ns = time_each(&rig, n, make_superseding);
    const double visit_ns = 2 * time_each(&rig, n, make_visitor);
    adm_board_add(board, name, "build", "ns", build_ns);
    adm_board_add(board, name, "admit+leave", "ns", visit_ns);
    adm_board_add(board, name, "supersede", "ns", supersede_ns);
    adm_board_add(board, name, "a listener", "B", bytes);
    end(&rig);
}

/* Tickets: a key belongs to one provider, as a physical invocation does. */

static void change_limits(struct rig *rig, uint32_t max_concurrent)
{
    struct adm_request request = {.type = ADM_REQUEST_LIMITS};
    request.of.limits.named = ADM_LIMIT_MAX_CONCURRENT;
    request.of.limits.to.max_concurrent = max_concurrent;
    step(rig, &request);
}

static void add_providers(struct rig *rig)
{
    for (size_t i = 0; i < PROVIDERS; i++) {
        struct adm_request request = {.type = ADM_REQUEST_PROVIDER};
        request.of.provider.name = name_of(rig, 0, 0, "provider", i);
        request.of.provider.named = ADM_LIMIT_MAX_CONCURRENT;
        request.of.provider.to.max_concurrent = PROVIDER_SLOTS;
        step(rig, &request);
    }
}

static void cool_down(struct rig *rig, size_t provider)
{
    struct adm_request request = {.type = ADM_REQUEST_COOLDOWN};
    request.of.cooldown.provider = name_of(rig, 0, 0, "provider", provider);
    request.of.cooldown.delay_us = INT64_C(1000000000000);
    step(rig, &request);
}

static void ask_for(struct rig *rig, size_t slot, size_t key, int64_t timeout_us)
{
    struct adm_request *request = &rig->batch[slot];
    *request = (struct adm_request){.type = ADM_REQUEST_TICKET, .id = rig->next_id++};
    request->of.ticket.provider = name_of(rig, slot, 0, "provider", key % PROVIDERS);
    request->of.ticket.key = name_of(rig, slot, 1, "key", key);
    request->of.ticket.timeout_us = timeout_us;
}

static void make_ticket(struct rig *rig, size_t slot, size_t i)
{
    ask_for(rig, slot, draw(rig, KEYS), INT64_C(1000000000) + (int64_t)i);
}

/* The other half goes to one provider, which cools down. */
static void make_half_blocked(struct rig *rig, size_t slot, size_t i)
{
    const size_t key = draw(rig, KEYS);
    ask_for(rig, slot, i % 2 == 0 ? key / PROVIDERS * PROVIDERS : key, ADM_NEVER);
}

static void make_cancel(struct rig *rig, size_t slot, size_t i)
{
    rig->batch[slot] = (struct adm_request){.type = ADM_REQUEST_CANCEL,
                                            .id = (uint64_t)(i * 2654435761u % rig->next_id)};
}

/* Leaves of what runs, each of which starts another. One by one: the next depends on it. */
static double time_starts(struct rig *rig, size_t n)
{
    size_t n_done = 0;
    const int64_t before = adm_measure_now_ns();
    while (n_done < n && rig->n_running > 0) {
        const size_t at = draw(rig, rig->n_running);
        const struct adm_request leave = {.type = ADM_REQUEST_LEAVE, .id = rig->running[at]};
        rig->running[at] = rig->running[--rig->n_running];
        step(rig, &leave);
        n_done++;
    }
    return n_done == 0 ? 0 : (double)(adm_measure_now_ns() - before) / (double)n_done;
}

/* Lets half of the deadlines pass at once. */
static double time_timeouts(struct rig *rig)
{
    struct adm_stats stats;
    adm_machine_stats(rig->machine, &stats);
    const uint32_t before = stats.queued;
    const int64_t since = adm_measure_now_ns();
    rig->now = INT64_C(3000000000);
    step(rig, NULL);
    const int64_t took_ns = adm_measure_now_ns() - since;
    adm_machine_stats(rig->machine, &stats);
    return before == stats.queued ? 0 : (double)took_ns / (double)(before - stats.queued);
}

static void measure_tickets(struct adm_board *board, size_t n_queued)
{
    char name[48];
    struct rig rig;
    begin(&rig);
    add_providers(&rig);
    change_limits(&rig, SLOTS);
    snprintf(name, sizeof name, "core tickets, %zu queued", n_queued);
    const double queue_ns = time_each(&rig, n_queued + SLOTS, make_ticket);
    const double bytes = (double)adm_machine_bytes(rig.machine) / (double)n_queued;
    const double start_ns = time_starts(&rig, n_queued / 4);
    const double cancel_ns = time_each(&rig, n_queued / 4, make_cancel);
    adm_board_add(board, name, "queue", "ns", queue_ns);
    adm_board_add(board, name, "leave, start", "ns", start_ns);
    adm_board_add(board, name, "cancel", "ns", cancel_ns);
    adm_board_add(board, name, "timeout", "ns", time_timeouts(&rig));
    adm_board_add(board, name, "a ticket", "B", bytes);
    end(&rig);
}

/* A start beside a queue of which half cannot move: ours when it can't, raw when it can. */
static double time_half_blocked(size_t n_queued, bool is_blocked)
{
    struct rig rig;
    begin(&rig);
    add_providers(&rig);
    change_limits(&rig, SLOTS);
    if (is_blocked) {
        cool_down(&rig, 0);
    }
    (void)time_each(&rig, n_queued + SLOTS, make_half_blocked);
    const double start_ns = time_starts(&rig, n_queued / 4);
    end(&rig);
    return start_ns;
}

/* What one principal costs that has one listener, and one handle that holds one thing. */
static void measure_bytes(struct adm_board *board, size_t n)
{
    struct rig rig;
    begin(&rig);
    rig.n_principals = n;
    (void)time_each(&rig, n, make_listener);
    adm_board_add(board, "core, one listener a principal", "both", "B",
                  (double)adm_machine_bytes(rig.machine) / (double)n);
    end(&rig);
    begin(&rig);
    for (size_t i = 0; i < n; i++) {
        listen_as(&rig, 0, i % (n / LISTENERS_EACH));
        rig.batch[0].handle = (uint32_t)i;
        step(&rig, &rig.batch[0]);
    }
    adm_board_add(board, "core, one listener a handle", "both", "B",
                  (double)adm_machine_bytes(rig.machine) / (double)n);
    end(&rig);
}

void adm_bench_core(struct adm_board *board, bool is_quick)
{
    const size_t most = is_quick ? 100000 : 1000000;
    for (size_t n = 100; n <= most; n *= 10) {
        measure_listeners(board, n, is_quick ? 50000 : 1000000);
    }
    for (size_t n = 100; n <= most; n *= 10) {
        measure_tickets(board, n);
    }
    static const char half[] = "core tickets, half of them blocked";
    adm_board_add(board, half, "leave, start", "ns", time_half_blocked(most, true));
    adm_board_add_raw(board, half, "leave, start", time_half_blocked(most, false));
    measure_bytes(board, most / 10);
}
