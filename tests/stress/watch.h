/* What is watched while everybody runs: the caps, from the outside.
 *
 * A ticket is counted from when its GRANTED has been read until just before its leave is sent,
 * which lies within the time that it really holds its slots. So if a cap holds, no count here
 * is ever above it, whatever the threads are doing; and what is above it is a fault of the
 * actor's and of nobody else. Any thread; nothing here is a cancellation point. */
#ifndef ADM_TESTS_STRESS_WATCH_H
#define ADM_TESTS_STRESS_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "admission.h"

enum {
    N_PROVIDERS = 4,
    N_KEYS = 12,
    N_PRINCIPALS = 6,
    MAX_RUNNING = 24,
    MAX_LISTENERS = 40,
    NO_PROVIDER = N_PROVIDERS, /* a place in the arrays below, without a cap */
    NO_KEY = N_KEYS,
};

extern const char *const provider_names[N_PROVIDERS + 1]; /* the last is NULL */
extern const int64_t provider_caps[N_PROVIDERS];
extern const char *const key_names[N_KEYS + 1];
extern const char *const principal_names[N_PRINCIPALS];
extern const int64_t principal_caps[N_PRINCIPALS]; /* `max` of each of its admits */

/* What the threads have met, so that a run can tell that it tested something. */
enum met {
    MET_GRANT,
    MET_REFUSAL,
    MET_ABORT,
    MET_ADMISSION,
    MET_SUPERSESSION,
    MET_LIVE,
    MET_RETURN, /* deaths: without destroying the client */
    MET_EXIT,
    MET_CANCELLATION,
    MET_DESTRUCTION,
    MET_ORDERLY_END,
    MET_SUDDEN_END,
    N_MET
};

struct watch {
    atomic_int running;
    atomic_int of_provider[N_PROVIDERS + 1];
    atomic_int of_key[N_KEYS + 1];
    atomic_uint_fast64_t met[N_MET];
    atomic_uint n_faults;
};

extern struct watch watch;

void watch_granted(int provider, int key);
void watch_leaving(int provider, int key);
void watch_meet(enum met met);

/* Says what is wrong, once for each line that can say it, and counts it. */
#define WATCH_HOLDS(promise) ((promise) ? (void)0 : watch_fault(__FILE__, __LINE__, #promise))
void watch_fault(const char *file, int line, const char *promise);

/* The actor that the caps are set on. */
admission_actor_t *watch_start_actor(void);

/* Everybody is gone: the books are empty and balance. */
void watch_empty(admission_actor_t *actor, uint64_t n_died, uint64_t n_destroyed);

/* The run met everything, with no fault; says what it met. */
bool watch_is_content(void);

#endif
