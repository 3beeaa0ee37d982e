/* A real actor, its clients and what they read, in few words: a test reads as its scenario.
 *
 *     admission_actor_t *actor = start_actor(1, 4);
 *     admission_client_t *h1 = open_client(actor);
 *     const uint64_t a = hold(h1);
 *     const uint64_t b = post(h1);
 *     leave(h1, a);
 *     expect(h1, granted(b));
 *     expect_gauges(actor, .running = 1);
 *
 * Everything here may be called on any thread: what fails says where, and ends the program at
 * once, which Criterion reports as a crash. Its own asserts would jump off a second thread.
 *
 * Bounds on time are there to catch a hang: ten times what an idle machine needs. */
#ifndef ADM_TESTS_SCENARIOS_FIXTURE_H
#define ADM_TESTS_SCENARIOS_FIXTURE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission.h"

void check_that(bool holds, const char *file, int line, const char *what);
#define check(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define check_ok(call) check((call) == ADMISSION_OK)

/* The actor. */

/* An actor with these two limits, in tickets, or with any options. */
admission_actor_t *start_actor(int64_t max_concurrent, int64_t queue_capacity);
admission_actor_t *start_actor_with(const struct admission_options *options);

/* Ends it as every scenario must: with no client left, all gauges at zero, the counters
 * balanced, and within a second. */
void end_actor(admission_actor_t **actor);

/* Destroys it, within a second, whatever there still is. */
void destroy_actor(admission_actor_t **actor);

struct admission_stats books(admission_actor_t *actor);

/* The gauges of the books, but for the clients; those that are not named are zero. */
struct gauges {
    uint64_t running;
    uint64_t queued;
    uint64_t listeners;
    uint64_t principals;
};

void expect_gauges_of(const char *file, int line, admission_actor_t *actor,
                      struct gauges expected);
#define expect_gauges(actor, ...)                                                              \
    expect_gauges_of(__FILE__, __LINE__, actor, (struct gauges){__VA_ARGS__})

/* Asks until so many are queued. */
void wait_for_queued(admission_actor_t *actor, uint64_t n);

/* The CPU time that the actor's thread has used. */
int64_t actor_cpu_us(admission_actor_t *actor);

/* Clients: to post is to send and return, to hold is to be granted at once. */

admission_client_t *open_client(admission_actor_t *actor);

struct admission_ticket ticket_for(int64_t timeout_us);

uint64_t post(admission_client_t *client);
uint64_t post_for(admission_client_t *client, int64_t timeout_us);
uint64_t post_with(admission_client_t *client, const struct admission_ticket *ticket);
uint64_t post_listener(admission_client_t *client, const char *principal, int64_t max);
uint64_t post_live(admission_client_t *client, const char *principal);

uint64_t hold(admission_client_t *client);
uint64_t hold_with(admission_client_t *client, const struct admission_ticket *ticket);

/* Waits for the `admitted` of a listener, whose order number goes to `*order`, if not NULL. */
uint64_t admit_listener(admission_client_t *client, const char *principal, int64_t max,
                        uint64_t *order);

/* Asks who is live; the rows are valid until the client reads again. */
struct admission_event ask_live(admission_client_t *client, const char *principal);

void leave(admission_client_t *client, uint64_t id);
void cancel(admission_client_t *client, uint64_t id);

/* Words: what a client reads. */

struct word {
    admission_event_type_t type;
    admission_reason_t reason;
    uint64_t id;
};

static inline struct word granted(uint64_t id)
{
    return (struct word){.type = ADMISSION_EVENT_GRANTED, .id = id};
}

static inline struct word refused(uint64_t id, admission_reason_t reason)
{
    return (struct word){.type = ADMISSION_EVENT_REFUSED, .reason = reason, .id = id};
}

static inline struct word aborted(uint64_t id, admission_reason_t reason)
{
    return (struct word){.type = ADMISSION_EVENT_ABORT, .reason = reason, .id = id};
}

static inline struct word admitted(uint64_t id)
{
    return (struct word){.type = ADMISSION_EVENT_ADMITTED, .id = id};
}

static inline struct word superseded(uint64_t id)
{
    return (struct word){.type = ADMISSION_EVENT_SUPERSEDED, .id = id};
}

static inline struct word live(uint64_t id)
{
    return (struct word){.type = ADMISSION_EVENT_LIVE, .id = id};
}

/* Reads exactly these words, in this order. Whether more comes is for expect_quiet(). */
void expect_words(const char *file, int line, admission_client_t *client,
                  const struct word *expected, size_t n);
#define expect(client, ...)                                                                    \
    expect_words(__FILE__, __LINE__, client, (const struct word[]){__VA_ARGS__},               \
                 sizeof((const struct word[]){__VA_ARGS__}) / sizeof(struct word))

/* Nothing is readable for 50 ms. */
void expect_quiet_of(const char *file, int line, admission_client_t *client);
#define expect_quiet(client) expect_quiet_of(__FILE__, __LINE__, client)

/* The next event, whatever it is; waiting for ever would be a hang. */
struct admission_event read_event(admission_client_t *client);

/* Threads. */

pthread_t start_thread(void *(*run)(void *), void *arg);
void join_thread(pthread_t thread);

void raise_semaphore(sem_t *semaphore);
void wait_for_semaphore(sem_t *semaphore);

/* Time, by the monotonic clock. */

int64_t now_us(void);
void sleep_until(int64_t at_us);
void spin_for(int64_t span_us);

/* No more time has passed since `since` than ten times what an idle machine needs. */
void expect_within_of(const char *file, int line, int64_t since_us, int64_t idle_us);
#define expect_within(since_us, idle_us) expect_within_of(__FILE__, __LINE__, since_us, idle_us)

/* The process: counts that do for a comparison. */

size_t n_descriptors(void);
size_t n_threads(void);
size_t resident_bytes(void);

/* Does memory that has been freed show as such? Not where a sanitizer keeps it. */
bool is_memory_telling(void);

enum {
    MIB = 1024 * 1024
};

#endif
