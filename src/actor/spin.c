/* See actor/spin.h. The constants were found by measuring: docs/performance.md. */
#include "actor/spin.h"

#include <sched.h>

#include "actor/clock.h"
#include "base/time.h"

enum {
    LOOKS_PER_YIELD = 8,
    LONG_YIELD_US = 5, /* others ran meanwhile: nothing was lost */
    PAYS_US = 40,      /* to burn more than this is dearer than to sleep */
    SCORE_START = 128,
    SCORE_ENOUGH = 64,    /* below it, spin only */
    SKIPS = 63,           /* once in 64 waits, to see whether things have changed, */
    SKIPS_OF_BUSY = 3,    /* or in 4 of a caller that comes back at once */
    SLOW_YIELD_US = 1000, /* somebody else had the processor meanwhile */
    SLOW_TWICE_WITHIN_US = 100000,
    LEAST_PENALTY_US = 50000,
    MOST_PENALTY_US = 2000000,
    FORGIVEN_AFTER = 4, /* quiet penalties */
};

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

void adm_spinner_slept(struct adm_spinner *spinner)
{
    spinner->ended_at = adm_clock_monotonic();
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
    const bool is_busy = now - spinner->ended_at < ADM_SPIN_US;
    if (spinner->score >= SCORE_ENOUGH ||
        spinner->n_skipped >= (is_busy ? SKIPS_OF_BUSY : SKIPS)) {
        spinner->n_skipped = 0;
        return true;
    }
    spinner->n_skipped++;
    return false;
}

/* Leaves `now` as last read; adds to `burnt_us` what it took from nobody but itself. */
static bool watch(struct adm_spin_rules *rules, const atomic_uint *bell, unsigned seen,
                  int64_t end, int64_t *now, int64_t *burnt_us)
{
    while (*now < end) {
        for (int i = 0; i < LOOKS_PER_YIELD; i++) {
            if (adm_bell_has_rung(bell, seen)) {
                return true;
            }
            relax();
        }
        const int64_t before = *now;
        sched_yield();
        *now = adm_clock_monotonic();
        const int64_t yield_us = *now - before;
        if (yield_us < LONG_YIELD_US) {
            *burnt_us += yield_us;
        } else if (yield_us > SLOW_YIELD_US) {
            note_slow_yield(rules, *now);
        }
    }
    return adm_bell_has_rung(bell, seen);
}

bool adm_spin(struct adm_spinner *spinner, struct adm_spin_rules *rules,
              const atomic_uint *bell, unsigned seen, int64_t until)
{
    int64_t now = rules->policy == ADM_SPIN_NEVER ? 0 : adm_clock_monotonic();
    if (!is_worth_it(spinner, rules, now)) {
        return false;
    }
    const int64_t end = adm_time_earlier(until, adm_time_add(now, ADM_SPIN_US));
    int64_t burnt_us = 0;
    const bool has_rung = watch(rules, bell, seen, end, &now, &burnt_us);
    if (has_rung && burnt_us <= PAYS_US) {
        spinner->score = (uint8_t)(spinner->score + (255 - spinner->score) / 4);
    } else {
        spinner->score = spinner->score / 2;
    }
    if (has_rung && spinner->ended_at != 0) {
        spinner->ended_at = now;
    }
    return has_rung;
}
