/* How an actor starts, and the limits that it enforces. */
#ifndef ADMISSION_OPTIONS_H
#define ADMISSION_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "admission/clock.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of an actor, all of which can be changed while it runs (R1). A count is from 0 to
 * 4294967294 unless said otherwise, a duration from 0 to ADMISSION_NONE - 1. ADMISSION_DEFAULT
 * is at the start of an actor the limit of admission_limits_default(), in a change the one that
 * is in force. */
struct admission_limits {
    int64_t max_concurrent;            /* tickets that run; 0 pauses; ADMISSION_NONE (T1) */
    int64_t min_interval_us;           /* between two starts (T7); default 0 */
    int64_t queue_capacity;            /* queued tickets (T5); ADMISSION_NONE; default 1024 */
    int64_t admission_timeout_us;      /* of a ticket that names none (T6); ADMISSION_NONE */
    int64_t max_listens_per_principal; /* of an admit that names none; from 1; default 1 (L2) */
    int64_t max_listeners;             /* live listeners together (L7); ADMISSION_NONE */
};

/* A provider: a named upstream with limits of its own. `name` has 1 to 255 bytes.
 * ADMISSION_DEFAULT is, of a provider that there is, the limit in force, and of a new one - at
 * the start, or added - that of admission_provider_default(). */
struct admission_provider {
    const char *name;
    int64_t max_concurrent;  /* tickets of it that run; 0 pauses it; ADMISSION_NONE */
    int64_t min_interval_us; /* between two starts of it; default 0 */
    int64_t queue_capacity;  /* queued tickets of it; ADMISSION_NONE */
};

/* How the actor, and a thread that waits for it, wait: watching a counter for some 50 us before
 * they sleep, which saves two wake-ups where answers are quick. */
typedef enum admission_spin {
    ADMISSION_SPIN_ADAPTIVE =
        0, /* where it has paid lately, and not where others need the CPU */
    ADMISSION_SPIN_ALWAYS,
    ADMISSION_SPIN_NEVER,
} admission_spin_t;

struct admission_options {
    size_t size; /* set by admission_options_init(): of the struct that the caller knows */
    struct admission_limits limits;
    const struct admission_provider *providers; /* copied at the start */
    size_t n_providers;

    /* What one client may have outstanding - live listeners, tickets, and words not yet read -
     * before its next admit is refused with ADMISSION_BUSY. What it leaves counts until the
     * actor has handled that, and no event says when: so one that leaves and asks again needs
     * one more than it is to hold, and one that runs cycles on its thread three for each that
     * runs at a time. 1 to 4294967294; default 1048576. */
    int64_t client_credit;

    /* How many clients can be open at once: each takes two descriptors of the process, which
     * has its own limit (RLIMIT_NOFILE). They are kept for the next client until the actor and
     * the last client have ended. 1 to 1000000; default 10000. */
    int64_t max_clients;

    /* How many messages the inlet holds before every sender waits. 2 to 1000000; default
     * 2000. */
    int64_t inlet_capacity;

    /* Default: what the environment variable ADMISSION_SPIN says - adaptive, always or never -
     * and else adaptive. */
    admission_spin_t spin;

    /* The clock of the actor, its clients, cycles and pools. NULL: the system's. With another,
     * nobody spins. */
    const struct admission_clock *clock;
};

/* The limits that an actor starts with when it is told nothing: ADMISSION_NONE where there may
 * be none. */
ADMISSION_EXPORT struct admission_limits admission_limits_default(void);

/* A change of nothing: every member ADMISSION_DEFAULT, to set the one that changes. */
ADMISSION_EXPORT struct admission_limits admission_limits_unchanged(void);

/* A provider without limits, and one whose change changes nothing. `name` is kept as a
 * pointer. */
ADMISSION_EXPORT struct admission_provider admission_provider_default(const char *name);
ADMISSION_EXPORT struct admission_provider admission_provider_unchanged(const char *name);

/* Fills `options` with the defaults. Always begin with it: it is how the library knows which
 * members the caller knows. The function behind it is for those who bind it from another
 * language; `size` is that of the struct that they know, of this version of the library or an
 * earlier one: at least offsetof(struct admission_options, clock). The other structs of options
 * have had one version yet. With any other size the process ends. */
#define admission_options_init(options)                                                        \
    admission_options_init_sized((options), sizeof *(options))
ADMISSION_EXPORT void admission_options_init_sized(struct admission_options *options,
                                                   size_t size);

/* Checks all options at once. Returns ADMISSION_OK or ADMISSION_INVALID; in the latter case
 * `*culprit` (when not NULL) is the name of the first option that is out of range, static. A
 * provider that is named twice is invalid too. Any thread. */
ADMISSION_EXPORT admission_status_t admission_options_check(
    const struct admission_options *options, const char **culprit) ADMISSION_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
