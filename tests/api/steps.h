/* The steps of a test of the public API, in few words. Each asserts that it went as a correct
 * program may expect; a test that wants to see something else makes the call itself. All but
 * those that say so are for the test's own thread: Criterion's assertions work in no other. */
#ifndef ADM_TESTS_API_STEPS_H
#define ADM_TESTS_API_STEPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "admission.h"

/* An actor with the default limits but for one member: start_with(.max_concurrent = 1) is not
 * C, so tests change them on the live actor instead. */
admission_actor_t *start(void);
void limit_running(admission_actor_t *actor, int64_t max_concurrent);
void limit_pace(admission_actor_t *actor, int64_t min_interval_us);
void add_provider(admission_actor_t *actor, const char *name, int64_t max_concurrent);

/* Destroys an actor whose clients are gone: its books are empty and balance. */
void finish(admission_actor_t *actor);

admission_client_t *open_client(admission_actor_t *actor);
void close_client(admission_client_t *client);

struct admission_stats books(admission_actor_t *actor);

/* Tickets. */
struct ask {
    const char *provider;
    const char *key;
    int64_t timeout_us; /* 0: what the limit says; less: at once or not at all */
    int64_t attempt_us;
};
struct admission_ticket ticket_of(struct ask ask);
uint64_t ask_with(admission_client_t *client, struct ask ask);
uint64_t ask_ticket(admission_client_t *client);   /* without waiting */
uint64_t grant_ticket(admission_client_t *client); /* waits, and is granted */
uint64_t grant_with(admission_client_t *client, struct ask ask);

/* Listeners. */
uint64_t ask_listener(admission_client_t *client, const char *principal, int64_t max);
uint64_t admit_listener(admission_client_t *client, const char *principal, int64_t max);
size_t count_live(admission_client_t *client, const char *principal);

/* Reading. */
struct admission_event read_event(admission_client_t *client); /* within seconds */
void expect_event(admission_client_t *client, admission_event_type_t type, uint64_t id);
void expect_refusal(admission_client_t *client, uint64_t id, admission_reason_t reason);
void expect_abort(admission_client_t *client, uint64_t id, admission_reason_t reason);

/* Everything that was sent has been handled, and the client has nothing to read. */
void expect_quiet(admission_client_t *client);

/* Everything that this client was told so far has arrived: asks, and waits for the answer. */
void settle(admission_client_t *client);

/* Waits until so many are queued. */
void await_queued(admission_actor_t *actor, uint64_t n);

/* Whatever it returns: for calls that race, and must only not hang or crash. */
static inline void whatever(admission_status_t status)
{
    (void)status;
}

/* Threads. */
pthread_t run(void *(*function)(void *), void *arg);
void *join(pthread_t thread);
int64_t monotonic_us(void); /* any thread */
int64_t wall_us(void);      /* any thread */
int n_descriptors(void);    /* open in this process */

#endif
