/* See fixture.h. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api/actor.h"

#if defined(__has_feature)
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

enum {
    SLACK = IS_SANITIZED ? 100 : 10
};

static const int64_t PATIENCE_US = ADMISSION_S(30);

static _Noreturn void give_up(const char *file, int line)
{
    fprintf(stderr, "%s:%d: the scenario failed\n", file, line);
    abort();
}

void check_that(bool holds, const char *file, int line, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        give_up(file, line);
    }
}

/* The actor. */

admission_actor_t *start_actor_with(const struct admission_options *options)
{
    admission_actor_t *actor = NULL;
    check_ok(admission_actor_new(&actor, options, NULL));
    return actor;
}

admission_actor_t *start_actor(int64_t max_concurrent, int64_t queue_capacity)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = max_concurrent;
    options.limits.queue_capacity = queue_capacity;
    return start_actor_with(&options);
}

void destroy_actor(admission_actor_t **actor)
{
    const int64_t since = now_us();
    admission_actor_destroy(actor);
    check(*actor == NULL);
    expect_within(since, ADMISSION_S(1));
}

void end_actor(admission_actor_t **actor)
{
    const struct admission_stats stats = books(*actor);
    expect_gauges(*actor, 0);
    check(stats.clients == 0);
    check(stats.longest_held.held_us == 0 && stats.longest_held.id == 0);
    check(stats.tickets_granted == stats.tickets_left);
    check(stats.listeners_admitted ==
          stats.listeners_superseded + stats.listeners_left + stats.listeners_closed);
    check(stats.clients_opened == stats.clients_destroyed + stats.clients_died);
    check(stats.malformed_messages == 0);
    destroy_actor(actor);
}

struct admission_stats books(admission_actor_t *actor)
{
    struct admission_stats stats;
    check_ok(admission_actor_stats(actor, &stats));
    return stats;
}

void expect_gauges_of(const char *file, int line, admission_actor_t *actor,
                      struct gauges expected)
{
    const struct admission_stats stats = books(actor);
    if (stats.running != expected.running || stats.queued != expected.queued ||
        stats.listeners != expected.listeners || stats.principals != expected.principals) {
        fprintf(stderr,
                "expected running=%" PRIu64 " queued=%" PRIu64 " listeners=%" PRIu64
                " principals=%" PRIu64 "\nbut are  running=%" PRIu64 " queued=%" PRIu64
                " listeners=%" PRIu64 " principals=%" PRIu64 "\n",
                expected.running, expected.queued, expected.listeners, expected.principals,
                stats.running, stats.queued, stats.listeners, stats.principals);
        give_up(file, line);
    }
}

void wait_for_queued(admission_actor_t *actor, uint64_t n)
{
    const int64_t since = now_us();
    while (books(actor).queued != n) {
        check(now_us() - since < PATIENCE_US);
    }
}

int64_t actor_cpu_us(admission_actor_t *actor)
{
    clockid_t clock;
    struct timespec used;
    check(pthread_getcpuclockid(actor->thread, &clock) == 0);
    check(clock_gettime(clock, &used) == 0);
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* Clients. */

admission_client_t *open_client(admission_actor_t *actor)
{
    admission_client_t *client = NULL;
    check_ok(admission_client_new(&client, actor));
    return client;
}

struct admission_ticket ticket_for(int64_t timeout_us)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.timeout_us = timeout_us;
    return ticket;
}

uint64_t post_with(admission_client_t *client, const struct admission_ticket *ticket)
{
    uint64_t id = 0;
    check_ok(admission_client_request_ticket(client, ticket, &id));
    return id;
}

uint64_t post(admission_client_t *client)
{
    return post_with(client, NULL);
}

uint64_t post_for(admission_client_t *client, int64_t timeout_us)
{
    const struct admission_ticket ticket = ticket_for(timeout_us);
    return post_with(client, &ticket);
}

static struct admission_listen listen_to(const char *principal, int64_t max)
{
    struct admission_listen listen = admission_listen_default(principal);
    listen.max = max;
    return listen;
}

uint64_t post_listener(admission_client_t *client, const char *principal, int64_t max)
{
    const struct admission_listen listen = listen_to(principal, max);
    uint64_t id = 0;
    check_ok(admission_client_request_listener(client, &listen, &id));
    return id;
}

uint64_t post_live(admission_client_t *client, const char *principal)
{
    uint64_t id = 0;
    check_ok(admission_client_request_live(client, principal, &id));
    return id;
}

uint64_t hold_with(admission_client_t *client, const struct admission_ticket *ticket)
{
    uint64_t id = 0;
    struct admission_event event;
    check_ok(admission_client_admit_ticket(client, ticket, &id, &event));
    check(event.type == ADMISSION_EVENT_GRANTED && event.id == id);
    return id;
}

uint64_t hold(admission_client_t *client)
{
    return hold_with(client, NULL);
}

uint64_t admit_listener(admission_client_t *client, const char *principal, int64_t max,
                        uint64_t *order)
{
    const struct admission_listen listen = listen_to(principal, max);
    uint64_t id = 0;
    struct admission_event event;
    check_ok(admission_client_admit_listener(client, &listen, &id, &event));
    check(event.type == ADMISSION_EVENT_ADMITTED && event.id == id);
    if (order != NULL) {
        *order = event.order;
    }
    return id;
}

struct admission_event ask_live(admission_client_t *client, const char *principal)
{
    struct admission_event event;
    check_ok(admission_client_live(client, principal, &event));
    check(event.type == ADMISSION_EVENT_LIVE);
    return event;
}

void leave(admission_client_t *client, uint64_t id)
{
    check_ok(admission_client_leave(client, id));
}

void cancel(admission_client_t *client, uint64_t id)
{
    check_ok(admission_client_cancel(client, id));
}

/* Words. */

static void show(const char *title, admission_event_type_t type, admission_reason_t reason,
                 uint64_t id)
{
    fprintf(stderr, "%s %s %" PRIu64 " %s\n", title, admission_event_type_text(type), id,
            admission_reason_text(reason));
}

void expect_words(const char *file, int line, admission_client_t *client,
                  const struct word *expected, size_t n)
{
    for (const struct word *word = expected; word < expected + n; word++) {
        struct admission_event event = {.type = 0};
        const admission_status_t status = admission_client_next(client, PATIENCE_US, &event);
        if (status != ADMISSION_OK || event.type != word->type ||
            event.reason != word->reason || event.id != word->id) {
            show("expected", word->type, word->reason, word->id);
            if (status == ADMISSION_OK) {
                show("but read", event.type, event.reason, event.id);
            } else {
                fprintf(stderr, "but: %s\n", admission_status_text(status));
            }
            give_up(file, line);
        }
    }
}

void expect_quiet_of(const char *file, int line, admission_client_t *client)
{
    struct admission_event event = {.type = 0};
    if (admission_client_next(client, ADMISSION_MS(50), &event) != ADMISSION_EMPTY) {
        show("expected nothing, but read", event.type, event.reason, event.id);
        give_up(file, line);
    }
}

struct admission_event read_event(admission_client_t *client)
{
    struct admission_event event;
    check_ok(admission_client_next(client, PATIENCE_US, &event));
    return event;
}

/* Threads. */

pthread_t start_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, run, arg) == 0);
    return thread;
}

void join_thread(pthread_t thread)
{
    check(pthread_join(thread, NULL) == 0);
}

void raise_semaphore(sem_t *semaphore)
{
    check(sem_post(semaphore) == 0);
}

void wait_for_semaphore(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
        check(errno == EINTR);
    }
}

/* Time. */

int64_t now_us(void)
{
    struct timespec at;
    check(clock_gettime(CLOCK_MONOTONIC, &at) == 0);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

void sleep_until(int64_t at_us)
{
    const struct timespec at = {.tv_sec = (time_t)(at_us / 1000000),
                                .tv_nsec = (long)(at_us % 1000000) * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    }
}

void spin_for(int64_t span_us)
{
    const int64_t until = now_us() + span_us;
    while (now_us() < until) {
    }
}

void expect_within_of(const char *file, int line, int64_t since_us, int64_t idle_us)
{
    const int64_t took_us = now_us() - since_us;
    if (took_us > SLACK * idle_us) {
        fprintf(stderr, "took %" PRId64 " us, an idle machine needs %" PRId64 " us\n", took_us,
                idle_us);
        give_up(file, line);
    }
}

/* The process. */

static size_t count_entries(const char *path)
{
    DIR *folder = opendir(path);
    check(folder != NULL);
    size_t n = 0;
    while (readdir(folder) != NULL) {
        n++;
    }
    closedir(folder);
    return n;
}

size_t n_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

size_t n_threads(void)
{
    return count_entries("/proc/self/task");
}

size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    check(file != NULL);
    size_t size;
    size_t resident;
    check(fscanf(file, "%zu %zu", &size, &resident) == 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

bool is_memory_telling(void)
{
    return !IS_SANITIZED && getenv("ADMISSION_VALGRIND") == NULL;
}
