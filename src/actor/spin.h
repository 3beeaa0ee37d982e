/* Waiting without system calls: watching a counter for a short time before sleeping in poll().
 *
 * A wake-up across two processors costs some 50 us, a look at a counter nanoseconds; so a wait
 * that is likely to be short is worth a bounded spin, and one that is not, is not. Each waiter
 * learns for itself which kind it has. Spinning yields, for the one who is waited for may need
 * this very processor; and when yields turn out to be long - others keep every processor busy,
 * so that each yield loses a time slice - all waiters of the hub sleep for a while instead. */
#ifndef ADM_ACTOR_SPIN_H
#define ADM_ACTOR_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum adm_spin_policy {
    ADM_SPIN_ADAPTIVE,
    ADM_SPIN_ALWAYS,
    ADM_SPIN_NEVER,
};

/* What all waiters of a hub share. Zeroed but for the policy. */
struct adm_spin_rules {
    enum adm_spin_policy policy;
    atomic_int_fast64_t slow_yield_at; /* when a yield was last long */
    atomic_int_fast64_t crowded_until; /* till when nobody spins */
    atomic_int_fast64_t penalty_us;    /* for how long, the last time */
};

/* What one waiter has learnt. Only its own thread touches it. */
struct adm_spinner {
    uint8_t score; /* 255: spins pay; 0: they don't */
    uint8_t n_skipped;
    int64_t ended_at; /* when a caller's last wait did, as it last looked; 0: of none */
};

void adm_spinner_init(struct adm_spinner *spinner);

/* Tells it that a caller's wait has ended in sleep: one that soon waits again is worth another
 * try. For who serves others every wait begins soon, so it does not say. */
void adm_spinner_slept(struct adm_spinner *spinner);

/* Has a bell that counts `n` rung since the caller had `seen`? The receiver of a message can be
 * ahead of the bell, which is rung after the send: hence signed. */
static inline bool adm_bell_is_ahead(unsigned n, unsigned seen)
{
    return (int)(n - seen) > 0;
}

static inline bool adm_bell_has_rung(const atomic_uint *bell, unsigned seen)
{
    return adm_bell_is_ahead(atomic_load_explicit(bell, memory_order_acquire), seen);
}

enum {
    ADM_SPIN_US = 50 /* about one wake-up across processors */
};

/* Rings it; one thread at a time. */
static inline void adm_bell_ring(atomic_uint *bell)
{
    const unsigned n = atomic_load_explicit(bell, memory_order_relaxed);
    atomic_store_explicit(bell, n + 1, memory_order_release);
}

/* Watches the bell, for ADM_SPIN_US at most and never beyond `until` (CLOCK_MONOTONIC, us);
 * true as soon as it has rung. May return false at once. */
bool adm_spin(struct adm_spinner *spinner, struct adm_spin_rules *rules,
              const atomic_uint *bell, unsigned seen, int64_t until);

#endif
