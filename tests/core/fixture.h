/* A machine and the effects it has told, in few words: a test reads as what is sent, at what
 * time, and what is expected of it.
 *
 *     struct fixture f = begin();
 *     limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
 *     admit(&f, 0, A, 1);
 *     admit_with(&f, 0, B, 1, .timeout = at_most(5));
 *     leave(&f, 3, A, 1);
 *     expect(&f, granted(A, 1, 0), granted(B, 1, 3));
 *     end(&f);
 *
 * On its way to the time of what is sent the clock stops at every due time (I2); be_late() lets
 * it jump. Times are microseconds. */
#ifndef ADM_TESTS_CORE_FIXTURE_H
#define ADM_TESTS_CORE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "core/machine.h"

/* Three handles. */
enum {
    A,
    B,
    C
};

struct fixture {
    struct adm_machine *machine;
    struct adm_effects effects; /* since the last expect() */
};

/* How long a ticket waits; zeroed: what the limit says. */
struct wait {
    bool is_named;
    int64_t us;
};

static inline struct wait at_most(int64_t us)
{
    return (struct wait){.is_named = true, .us = us};
}

static inline struct wait without_end(void)
{
    return at_most(ADM_NEVER);
}

struct ticket_options {
    const char *provider;
    const char *key;
    struct wait timeout;
    int64_t attempt_timeout_us;
};

struct listener_options {
    uint32_t max;
    bool refuse_when_full;
};

/* The hash key of every fixture: what collides in one collides in all. */
struct adm_hash_key fixture_key(void);

/* A machine with default limits; it ends as every machine must, with its books at zero. */
struct fixture begin(void);
void end(struct fixture *f);

/* Sends any request; the functions below make one. */
void send_request(struct fixture *f, int64_t now, const struct adm_request *request);

void admit_ticket(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                  struct ticket_options options);
void admit(struct fixture *f, int64_t now, uint32_t handle, uint64_t id);
#define admit_with(f, now, handle, id, ...)                                                    \
    admit_ticket(f, now, handle, id, (struct ticket_options){__VA_ARGS__})

void admit_listener_options(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                            const char *principal, struct listener_options options);
void admit_listener(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                    const char *principal);
#define admit_listener_with(f, now, handle, id, principal, ...)                                \
    admit_listener_options(f, now, handle, id, principal,                                      \
                           (struct listener_options){__VA_ARGS__})

void leave(struct fixture *f, int64_t now, uint32_t handle, uint64_t id);
void leave_principal(struct fixture *f, int64_t now, uint32_t handle, const char *principal);
void cancel(struct fixture *f, int64_t now, uint32_t handle, uint64_t id);
void ask_live(struct fixture *f, int64_t now, uint32_t handle, const char *principal);
void down(struct fixture *f, int64_t now, uint32_t handle);
void cooldown(struct fixture *f, int64_t now, const char *provider, int64_t delay_us);
void close_machine(struct fixture *f, int64_t now);

void change_limits(struct fixture *f, int64_t now, unsigned named, struct adm_limits to);
#define limits(f, now, named, ...)                                                             \
    change_limits(f, now, named, (struct adm_limits){__VA_ARGS__})

void change_provider(struct fixture *f, int64_t now, const char *name, unsigned named,
                     struct adm_provider_limits to);
void add_provider(struct fixture *f, int64_t now, const char *name);
#define provider(f, now, name, named, ...)                                                     \
    change_provider(f, now, name, named, (struct adm_provider_limits){__VA_ARGS__})

/* Moves the clock and sends nothing; be_late() steps once, wherever the due times are. */
void run_to(struct fixture *f, int64_t now);
void be_late(struct fixture *f, int64_t now);

static inline struct adm_effect granted(uint32_t handle, uint64_t id, int64_t waited_us)
{
    return (struct adm_effect){
        .type = ADM_EFFECT_GRANTED, .handle = handle, .id = id, .span_us = waited_us};
}

static inline struct adm_effect refused(uint32_t handle, uint64_t id, enum adm_reason reason,
                                        int64_t waited_us)
{
    return (struct adm_effect){.type = ADM_EFFECT_REFUSED,
                               .reason = reason,
                               .handle = handle,
                               .id = id,
                               .span_us = waited_us};
}

static inline struct adm_effect aborted(uint32_t handle, uint64_t id, enum adm_reason reason,
                                        int64_t ran_us)
{
    return (struct adm_effect){.type = ADM_EFFECT_ABORT,
                               .reason = reason,
                               .handle = handle,
                               .id = id,
                               .span_us = ran_us};
}

static inline struct adm_effect admitted(uint32_t handle, uint64_t id, uint64_t order)
{
    return (struct adm_effect){
        .type = ADM_EFFECT_ADMITTED, .handle = handle, .id = id, .order = order};
}

static inline struct adm_effect superseded(uint32_t handle, uint64_t id)
{
    return (struct adm_effect){.type = ADM_EFFECT_SUPERSEDED, .handle = handle, .id = id};
}

static inline struct adm_effect closed(uint32_t handle, uint64_t id)
{
    return (struct adm_effect){.type = ADM_EFFECT_CLOSED, .handle = handle, .id = id};
}

static inline struct adm_effect live(uint32_t asker, uint32_t n)
{
    return (struct adm_effect){.type = ADM_EFFECT_LIVE, .handle = asker, .n = n};
}

static inline struct adm_effect listener(uint32_t owner, uint64_t id, uint64_t order)
{
    return (struct adm_effect){
        .type = ADM_EFFECT_LISTENER, .handle = owner, .id = id, .order = order};
}

static inline struct adm_effect no_provider(void)
{
    return (struct adm_effect){.type = ADM_EFFECT_NO_PROVIDER};
}

static inline struct adm_effect drained(void)
{
    return (struct adm_effect){.type = ADM_EFFECT_DRAINED, .handle = ADM_NOBODY};
}

/* Fails the test unless exactly these effects have been told, in this order, since the last
 * time; forgets them. */
void expect_effects(const char *file, int line, struct fixture *f,
                    const struct adm_effect *expected, size_t n);
#define expect(f, ...)                                                                         \
    expect_effects(__FILE__, __LINE__, f, (const struct adm_effect[]){__VA_ARGS__},            \
                   sizeof((const struct adm_effect[]){__VA_ARGS__}) /                          \
                       sizeof(struct adm_effect))
#define expect_nothing(f) expect_effects(__FILE__, __LINE__, f, NULL, 0)

/* The next due time, and the books. */
int64_t due_at(const struct fixture *f);
struct adm_stats books(const struct fixture *f);

#endif
