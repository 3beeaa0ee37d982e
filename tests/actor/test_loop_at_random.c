/* The loop under random scripts with faults, beside its shadow, which aborts at the first word
 * that is not the right one to the right handle at the right time. ADMISSION_RUNS and
 * ADMISSION_SEED in the environment make it longer, or another one. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "../base/random.h"
#include "records.h"
#include "shadow.h"
#include "sim.h"

TestSuite(loop_at_random, .timeout = 300);

/* One short run, and what it has come to. */
struct run {
    struct random random;
    struct sim sim;
    struct shadow shadow;
    uint64_t n_ids;
    uint64_t n_calls;
    size_t n_malformed;
};

static uint32_t below(struct run *run, uint32_t n)
{
    return random_below(&run->random, n);
}

static const char *some_name(struct run *run)
{
    static const char *const names[] = {"a", "b", "a-name-that-does-not-lie-in-its-record"};
    return names[below(run, 3)];
}

static const char *some_name_or_none(struct run *run)
{
    return random_chance(&run->random, 60) ? NULL : some_name(run);
}

/* Mostly one that is open, now and then anything. */
static uint32_t some_handle(struct run *run)
{
    if (random_chance(&run->random, 1)) {
        return (uint32_t)random_next(&run->random);
    }
    uint32_t handle = below(run, SIM_HANDLES);
    for (unsigned i = 0; i < SIM_HANDLES && !run->sim.is_connected[handle]; i++) {
        handle = (handle + 1) % SIM_HANDLES;
    }
    return handle;
}

static uint64_t some_id(struct run *run)
{
    return 1 + below(run, 30);
}

static int64_t some_duration(struct run *run)
{
    return random_chance(&run->random, 5) ? ADM_NEVER : 1 + below(run, 3000);
}

static struct adm_inbound some_ticket(struct run *run)
{
    return ticket_with(some_handle(run), some_id(run), .provider = some_name_or_none(run),
                       .key = some_name_or_none(run),
                       .timeout_us = (int64_t)below(run, 4) * 700 - 1,
                       .attempt_us = random_chance(&run->random, 70) ? 0 : some_duration(run));
}

static struct adm_inbound some_call(struct run *run)
{
    const uint64_t call = ++run->n_calls;
    switch (below(run, 9)) {
    case 0:
        return max_concurrent(call, below(run, 5));
    case 1:
        return max_concurrent(call, ADM_NO_LIMIT);
    case 2:
        return min_interval(call, below(run, 300));
    case 3:
        return provider(call, some_name(run), below(run, 4));
    case 4:
        return cooldown(call, some_name(run), some_duration(run));
    case 5:
        return has_provider(call, some_name(run));
    case 6:
        return random_chance(&run->random, 50) ? closing(call, some_duration(run))
                                               : stats(call);
    default:
        return stats(call);
    }
}

static struct adm_inbound some_record(struct run *run)
{
    switch (below(run, 16)) {
    case 0:
        return hello(some_handle(run));
    case 1:
        return random_chance(&run->random, 50) ? down(some_handle(run))
                                               : death(some_handle(run));
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
        return some_ticket(run);
    case 7:
    case 8:
        return listener(some_handle(run), some_id(run), some_name(run), below(run, 4));
    case 9:
    case 10:
    case 11:
        return leave(some_handle(run), some_id(run));
    case 12:
        return leave_principal(some_handle(run), some_name(run));
    case 13:
        return cancel(some_handle(run), some_id(run));
    case 14:
        return live(some_handle(run), some_id(run), some_name(run));
    default:
        return some_call(run);
    }
}

/* Cut short, or with one bit wrong, or nothing but noise. */
static void post_damaged(struct run *run)
{
    uint8_t *bytes = run->sim.building;
    size_t size = run->sim.built;
    if (random_chance(&run->random, 40)) {
        size = below(run, (uint32_t)size + 1);
    } else if (random_chance(&run->random, 60) && size > 0) {
        bytes[below(run, (uint32_t)size)] ^= (uint8_t)(1u << below(run, 8));
    } else {
        size = below(run, 64);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)random_next(&run->random);
        }
    }
    sim_post_bytes(&run->sim, bytes, size);
    run->sim.built = 0;
}

static void post_some(struct run *run)
{
    const uint32_t n = random_chance(&run->random, 70) ? 1 : 1 + below(run, 6);
    for (uint32_t i = 0; i < n; i++) {
        sim_put(&run->sim, some_record(run));
    }
    if (random_chance(&run->random, 5)) {
        post_damaged(run);
    } else {
        sim_post(&run->sim);
    }
}

static void move_clocks(struct run *run)
{
    struct sim *sim = &run->sim;
    sim->wall_us += (int64_t)below(run, 2000) - 1000;
    if (random_chance(&run->random, 3)) {
        sim->elapsed_us += 1000000; /* the machine slept */
    } else if (random_chance(&run->random, 70)) {
        sim->elapsed_us += below(run, 400);
    }
}

static void play(struct run *run)
{
    const uint32_t n_turns = 10 + below(run, 40);
    for (uint32_t turn = 0; turn < n_turns; turn++) {
        if (random_chance(&run->random, 40)) {
            sim_open(&run->sim, below(run, SIM_HANDLES));
        }
        run->sim.is_gone[below(run, SIM_HANDLES)] |= random_chance(&run->random, 10);
        for (uint32_t n = below(run, 8); n > 0; n--) {
            post_some(run);
        }
        move_clocks(run);
        (void)sim_turn(&run->sim);
    }
}

/* Takes the last messages: a turn has a budget. */
static void catch_up(struct run *run)
{
    while (run->sim.n_taken < run->sim.n_posted) {
        (void)sim_turn(&run->sim);
    }
    (void)sim_turn(&run->sim);
}

/* Everybody goes, and nothing is left in the books. */
static void end_empty(struct run *run)
{
    for (uint32_t handle = 0; handle < SIM_HANDLES; handle++) {
        if (run->sim.is_connected[handle]) {
            sim_say(&run->sim, down(handle));
        }
    }
    sim_say(&run->sim, closing(++run->n_calls, 0));
    sim_say(&run->sim, stats(++run->n_calls));
    catch_up(run);
    struct adm_stats books;
    adm_machine_stats(run->shadow.machine, &books);
    cr_assert(books.running == 0 && books.queued == 0 && books.listeners == 0);
    cr_assert(books.tickets_granted == books.tickets_left);
    cr_assert(books.listeners_admitted ==
              books.listeners_superseded + books.listeners_left + books.listeners_closed);
    const struct adm_loop_stats *loop = &run->shadow.stats;
    cr_assert(loop->handles == 0 && loop->opened == loop->destroyed + loop->died);
    cr_assert(run->shadow.n_calls == 0, "all calls have been answered");
}

/* The end comes with all that is open, and more behind it. */
static void end_full(struct run *run)
{
    post_some(run);
    sim_put(&run->sim, the_end());
    sim_put(&run->sim, some_record(run));
    sim_post(&run->sim);
    post_some(run);
    (void)sim_turn(&run->sim);
    post_some(run);
    (void)sim_drain(&run->sim);
}

static void run_once(uint64_t seed, struct shadow *sum)
{
    struct run run = {.random = {.state = seed}};
    sim_init(&run.sim);
    shadow_init(&run.shadow);
    run.sim.shadow = &run.shadow;
    play(&run);
    catch_up(&run);
    if (random_chance(&run.random, 50)) {
        end_empty(&run);
    } else {
        end_full(&run);
    }
    (void)sim_end(&run.sim);
    shadow_turned(&run.shadow);
    for (uint32_t handle = 0; handle < SIM_HANDLES; handle++) {
        cr_assert(!run.sim.is_connected[handle], "everybody has been hung up on");
    }
    cr_assert(run.shadow.n_calls == 0, "every call has its answer");
    sim_deinit(&run.sim);
    sum->n_deliveries += run.shadow.n_deliveries;
    sum->n_words += run.shadow.n_words;
    sum->n_answers += run.shadow.n_answers;
    sum->n_not_drained += run.shadow.n_not_drained;
    sum->stats.malformed += run.shadow.stats.malformed;
    sum->stats.opened += run.shadow.stats.opened;
    sum->stats.died += run.shadow.stats.died;
    shadow_deinit(&run.shadow);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

Test(loop_at_random, tells_what_its_shadow_expects_and_its_books_balance)
{
    const uint64_t n_runs = setting("ADMISSION_RUNS", 3000);
    const uint64_t seed = setting("ADMISSION_SEED", 1);
    struct shadow sum = {0};
    for (uint64_t i = 0; i < n_runs; i++) {
        run_once((seed + i) * UINT64_C(0x9e3779b97f4a7c15), &sum);
    }
    cr_log_info("%lu deliveries, %lu words, %lu answers, %lu not drained, %lu malformed,"
                " %lu opened, %lu died",
                sum.n_deliveries, sum.n_words, sum.n_answers, sum.n_not_drained,
                sum.stats.malformed, sum.stats.opened, sum.stats.died);
    cr_assert(sum.n_words > 5 * n_runs && sum.n_answers > 2 * n_runs);
    cr_assert(sum.n_not_drained > n_runs / 100 && sum.stats.malformed > n_runs);
    cr_assert(sum.stats.opened > 4 * n_runs && sum.stats.died > n_runs / 2);
}
