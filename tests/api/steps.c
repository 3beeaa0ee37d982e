/* See steps.h. */
#include "steps.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <sched.h>
#include <time.h>

admission_actor_t *start(void)
{
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, NULL, NULL) == ADMISSION_OK);
    return actor;
}

static void change_limits(admission_actor_t *actor, const struct admission_limits *change)
{
    cr_assert(admission_actor_change_limits(actor, change, NULL) == ADMISSION_OK);
}

void limit_running(admission_actor_t *actor, int64_t max_concurrent)
{
    struct admission_limits change = admission_limits_unchanged();
    change.max_concurrent = max_concurrent;
    change_limits(actor, &change);
}

void limit_pace(admission_actor_t *actor, int64_t min_interval_us)
{
    struct admission_limits change = admission_limits_unchanged();
    change.min_interval_us = min_interval_us;
    change_limits(actor, &change);
}

void add_provider(admission_actor_t *actor, const char *name, int64_t max_concurrent)
{
    struct admission_provider provider = admission_provider_default(name);
    provider.max_concurrent = max_concurrent;
    cr_assert(admission_actor_change_provider(actor, &provider, NULL) == ADMISSION_OK);
}

void finish(admission_actor_t *actor)
{
    const struct admission_stats stats = books(actor);
    cr_assert(stats.running == 0, "%lu still run", stats.running);
    cr_assert(stats.queued == 0 && stats.listeners == 0 && stats.principals == 0);
    cr_assert(stats.clients == 0, "%lu clients are open", stats.clients);
    cr_assert(stats.tickets_granted == stats.tickets_left);
    cr_assert(stats.listeners_admitted ==
              stats.listeners_superseded + stats.listeners_left + stats.listeners_closed);
    cr_assert(stats.clients_opened == stats.clients_destroyed + stats.clients_died);
    cr_assert(stats.malformed_messages == 0);
    admission_actor_destroy(&actor);
    cr_assert(actor == NULL);
}

admission_client_t *open_client(admission_actor_t *actor)
{
    admission_client_t *client = NULL;
    cr_assert(admission_client_new(&client, actor) == ADMISSION_OK);
    return client;
}

void close_client(admission_client_t *client)
{
    admission_client_destroy(&client);
    cr_assert(client == NULL);
}

struct admission_stats books(admission_actor_t *actor)
{
    struct admission_stats stats;
    cr_assert(admission_actor_stats(actor, &stats) == ADMISSION_OK);
    return stats;
}

/* Tickets. */

struct admission_ticket ticket_of(struct ask ask)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = ask.provider;
    ticket.key = ask.key;
    ticket.attempt_timeout_us = ask.attempt_us;
    if (ask.timeout_us != 0) {
        ticket.timeout_us = ask.timeout_us < 0 ? 0 : ask.timeout_us;
    }
    return ticket;
}

uint64_t ask_with(admission_client_t *client, struct ask ask)
{
    const struct admission_ticket ticket = ticket_of(ask);
    uint64_t id = 0;
    cr_assert(admission_client_request_ticket(client, &ticket, &id) == ADMISSION_OK);
    cr_assert(id != 0);
    return id;
}

uint64_t ask_ticket(admission_client_t *client)
{
    return ask_with(client, (struct ask){.key = NULL});
}

uint64_t grant_with(admission_client_t *client, struct ask ask)
{
    const struct admission_ticket ticket = ticket_of(ask);
    struct admission_event event;
    uint64_t id = 0;
    cr_assert(admission_client_admit_ticket(client, &ticket, &id, &event) == ADMISSION_OK);
    cr_assert(event.type == ADMISSION_EVENT_GRANTED && event.id == id);
    return id;
}

uint64_t grant_ticket(admission_client_t *client)
{
    return grant_with(client, (struct ask){.key = NULL});
}

/* Listeners. */

uint64_t ask_listener(admission_client_t *client, const char *principal, int64_t max)
{
    struct admission_listen listen = admission_listen_default(principal);
    listen.max = max;
    uint64_t id = 0;
    cr_assert(admission_client_request_listener(client, &listen, &id) == ADMISSION_OK);
    cr_assert(id != 0);
    return id;
}

uint64_t admit_listener(admission_client_t *client, const char *principal, int64_t max)
{
    struct admission_listen listen = admission_listen_default(principal);
    listen.max = max;
    struct admission_event event;
    uint64_t id = 0;
    cr_assert(admission_client_admit_listener(client, &listen, &id, &event) == ADMISSION_OK);
    cr_assert(event.type == ADMISSION_EVENT_ADMITTED && event.id == id);
    return id;
}

size_t count_live(admission_client_t *client, const char *principal)
{
    struct admission_event event;
    cr_assert(admission_client_live(client, principal, &event) == ADMISSION_OK);
    cr_assert(event.type == ADMISSION_EVENT_LIVE);
    return event.n_live;
}

/* Reading. */

struct admission_event read_event(admission_client_t *client)
{
    struct admission_event event;
    const admission_status_t status = admission_client_next(client, ADMISSION_S(10), &event);
    cr_assert(status == ADMISSION_OK, "%s", admission_status_text(status));
    return event;
}

static void expect_word(admission_client_t *client, admission_event_type_t type, uint64_t id,
                        admission_reason_t reason)
{
    const struct admission_event event = read_event(client);
    cr_assert(event.type == type && event.id == id && event.reason == reason,
              "it read %s %lu %s, not %s %lu %s", admission_event_type_text(event.type),
              event.id, admission_reason_text(event.reason), admission_event_type_text(type),
              id, admission_reason_text(reason));
}

void expect_event(admission_client_t *client, admission_event_type_t type, uint64_t id)
{
    expect_word(client, type, id, ADMISSION_REASON_NONE);
}

void expect_refusal(admission_client_t *client, uint64_t id, admission_reason_t reason)
{
    expect_word(client, ADMISSION_EVENT_REFUSED, id, reason);
}

void expect_abort(admission_client_t *client, uint64_t id, admission_reason_t reason)
{
    expect_word(client, ADMISSION_EVENT_ABORT, id, reason);
}

void settle(admission_client_t *client)
{
    (void)count_live(client, "nobody-of-this-name");
}

void expect_quiet(admission_client_t *client)
{
    struct admission_event event;
    settle(client);
    cr_assert(admission_client_next(client, 0, &event) == ADMISSION_EMPTY, "there is %s %lu",
              admission_event_type_text(event.type), event.id);
}

void await_queued(admission_actor_t *actor, uint64_t n)
{
    const int64_t until = monotonic_us() + ADMISSION_S(10);
    while (books(actor).queued != n) {
        cr_assert(monotonic_us() < until, "%lu are queued", books(actor).queued);
        sched_yield();
    }
}

/* Threads. */

pthread_t run(void *(*function)(void *), void *arg)
{
    pthread_t thread;
    cr_assert(pthread_create(&thread, NULL, function, arg) == 0);
    return thread;
}

void *join(pthread_t thread)
{
    void *result;
    cr_assert(pthread_join(thread, &result) == 0);
    return result;
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

int64_t monotonic_us(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t wall_us(void)
{
    return read_clock(CLOCK_REALTIME);
}

int n_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    cr_assert(directory != NULL);
    int n = -4; /* ".", "..", and the directory itself, which is one of them; and from 0 */
    while (readdir(directory) != NULL) {
        n++;
    }
    closedir(directory);
    return n + 1;
}
