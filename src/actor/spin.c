/* See actor/spin.h. The constants were found by measuring: docs/performance.md. */
#include "actor/spin.h"

#include <sched.h>
#include <time.h>

#include "base/assert.h"
#include "base/time.h"

enum {
    SPIN_US = 50, /* about one wake-up across processors */
    LOOKS_PER_YIELD = 8,
    SCORE_START = 128,
    SCORE_ENOUGH = 64,    /* below it, spin only */
    SKIPS = 31,           /* once in 32 waits, to see whether things have changed */
    SLOW_YIELD_US = 1000, /* somebody else had the processor meanwhile */
    SLOW_TWICE_WITHIN_US = 100000,
    LEAST_PENALTY_US = 50000,
    MOST_PENALTY_US = 2000000,
    FORGIVEN_AFTER = 4, /* quiet penalties */
};

static int64_t now_us(void)
{
    struct timespec at;
    ADM_ASSERT(clock_gettime(CLOCK_MONOTONIC, &at) == 0);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void adm_spinner_init(struct adm_spinner *spinner)
{
    *spinner = (struct adm_spinner){.score = SCORE_START};
}

/* Others want the processors: two slow yields in a row make everybody sleep for a while, longer
 * each time, until it has been quiet for several times as long. */
static void note_slow_yield(struct adm_spin_rules *rules, int64_t now)
{
    const int64_t last = atomic_exchange(&rules->slow_yield_at, now);
    if (now - last > SLOW_TWICE_WITHIN_US) {
        return;
    }
    int64_t penalty_us = atomic_load(&rules->penalty_us) * 2;
    if (now - atomic_load(&rules->crowded_until) > penalty_us * FORGIVEN_AFTER / 2) {
        penalty_us = LEAST_PENALTY_US;
    }
    penalty_us =
        adm_time_later(LEAST_PENALTY_US, adm_time_earlier(MOST_PENALTY_US, penalty_us));
    atomic_store(&rules->penalty_us, penalty_us);
    atomic_store(&rules->crowded_until, now + penalty_us);
}

static bool is_crowded(const struct adm_spin_rules *rules, int64_t now)
{
    return now < atomic_load_explicit(&rules->crowded_until, memory_order_relaxed);
}

static bool is_worth_it(struct adm_spinner *spinner, const struct adm_spin_rules *rules,
                        int64_t now)
{
    switch (rules->policy) {
    case ADM_SPIN_ALWAYS:
        return true;
    case ADM_SPIN_NEVER:
        return false;
    case ADM_SPIN_ADAPTIVE:
        break;
    }
    if (is_crowded(rules, now)) {
        return false;
    }
    if (spinner->score >= SCORE_ENOUGH || spinner->n_skipped >= SKIPS) {
        spinner->n_skipped = 0;
        return true;
    }
    spinner->n_skipped++;
    return false;
}

static bool watch(struct adm_spin_rules *rules, const atomic_uint *bell, unsigned seen,
                  int64_t now, int64_t end)
{
    while (now < end) {
        for (int i = 0; i < LOOKS_PER_YIELD; i++) {
            if (adm_bell_has_rung(bell, seen)) {
                return true;
            }
            relax();
        }
        const int64_t before = now;
        sched_yield();
        now = now_us();
        if (now - before > SLOW_YIELD_US) {
            note_slow_yield(rules, now);
        }
    }
    return adm_bell_has_rung(bell, seen);
}

bool adm_spin(struct adm_spinner *spinner, struct adm_spin_rules *rules,
              const atomic_uint *bell, unsigned seen, int64_t until)
{
    const int64_t now = rules->policy == ADM_SPIN_NEVER ? 0 : now_us();
    if (!is_worth_it(spinner, rules, now)) {
        return false;
    }
    const bool has_rung =
        watch(rules, bell, seen, now, adm_time_earlier(until, adm_time_add(now, SPIN_US)));
    if (has_rung) {
        spinner->score = (uint8_t)(spinner->score + (255 - spinner->score) / 4);
    } else {
        spinner->score = (uint8_t)(spinner->score - spinner->score / 4);
    }
    return has_rung;
}
