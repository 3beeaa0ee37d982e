/* See fixture.h. */
#include "fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "trace.h"

static struct adm_name name_of(const char *text)
{
    return text == NULL ? adm_name_none()
                        : (struct adm_name){.bytes = text, .length = (uint8_t)strlen(text)};
}

struct adm_hash_key fixture_key(void)
{
    return (struct adm_hash_key){.bytes = "fifteen letters"};
}

struct fixture begin(void)
{
    const struct adm_limits defaults = adm_limits_default();
    const struct adm_hash_key key = fixture_key();
    return (struct fixture){.machine = adm_machine_new(&defaults, &key)};
}

void end(struct fixture *f)
{
    expect_nothing(f);
    adm_machine_destroy(&f->machine);
    adm_effects_deinit(&f->effects);
}

void send_request(struct fixture *f, int64_t now, const struct adm_request *request)
{
    while (adm_machine_due_at(f->machine) < now) {
        adm_machine_step(f->machine, adm_machine_due_at(f->machine), NULL, &f->effects);
    }
    adm_machine_step(f->machine, now, request, &f->effects);
}

void run_to(struct fixture *f, int64_t now)
{
    send_request(f, now, NULL);
}

void be_late(struct fixture *f, int64_t now)
{
    adm_machine_step(f->machine, now, NULL, &f->effects);
}

void admit_ticket(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                  struct ticket_options options)
{
    struct adm_request request = {.type = ADM_REQUEST_TICKET, .handle = handle, .id = id};
    request.of.ticket.provider = name_of(options.provider);
    request.of.ticket.key = name_of(options.key);
    request.of.ticket.timeout_us =
        options.timeout.is_named ? options.timeout.us : ADM_TIMEOUT_DEFAULT;
    request.of.ticket.attempt_timeout_us = options.attempt_timeout_us;
    send_request(f, now, &request);
}

void admit(struct fixture *f, int64_t now, uint32_t handle, uint64_t id)
{
    admit_ticket(f, now, handle, id, (struct ticket_options){0});
}

void admit_listener_options(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                            const char *principal, struct listener_options options)
{
    struct adm_request request = {.type = ADM_REQUEST_LISTENER, .handle = handle, .id = id};
    request.of.listener.principal = name_of(principal);
    request.of.listener.max = options.max;
    request.of.listener.refuse_when_full = options.refuse_when_full;
    send_request(f, now, &request);
}

void admit_listener(struct fixture *f, int64_t now, uint32_t handle, uint64_t id,
                    const char *principal)
{
    admit_listener_options(f, now, handle, id, principal, (struct listener_options){0});
}

static void send_plain(struct fixture *f, int64_t now, enum adm_request_type type,
                       uint32_t handle, uint64_t id)
{
    send_request(f, now, &(struct adm_request){.type = type, .handle = handle, .id = id});
}

void leave(struct fixture *f, int64_t now, uint32_t handle, uint64_t id)
{
    send_plain(f, now, ADM_REQUEST_LEAVE, handle, id);
}

void cancel(struct fixture *f, int64_t now, uint32_t handle, uint64_t id)
{
    send_plain(f, now, ADM_REQUEST_CANCEL, handle, id);
}

void down(struct fixture *f, int64_t now, uint32_t handle)
{
    send_plain(f, now, ADM_REQUEST_DOWN, handle, 0);
}

void close_machine(struct fixture *f, int64_t now)
{
    send_plain(f, now, ADM_REQUEST_CLOSE, A, 0);
}

static void send_principal(struct fixture *f, int64_t now, enum adm_request_type type,
                           uint32_t handle, const char *principal)
{
    struct adm_request request = {.type = type, .handle = handle};
    request.of.principal = name_of(principal);
    send_request(f, now, &request);
}

void leave_principal(struct fixture *f, int64_t now, uint32_t handle, const char *principal)
{
    send_principal(f, now, ADM_REQUEST_LEAVE_PRINCIPAL, handle, principal);
}

void ask_live(struct fixture *f, int64_t now, uint32_t handle, const char *principal)
{
    send_principal(f, now, ADM_REQUEST_LIVE, handle, principal);
}

void cooldown(struct fixture *f, int64_t now, const char *provider, int64_t delay_us)
{
    struct adm_request request = {.type = ADM_REQUEST_COOLDOWN};
    request.of.cooldown.provider = name_of(provider);
    request.of.cooldown.delay_us = delay_us;
    send_request(f, now, &request);
}

void change_limits(struct fixture *f, int64_t now, unsigned named, struct adm_limits to)
{
    struct adm_request request = {.type = ADM_REQUEST_LIMITS};
    request.of.limits.named = named;
    request.of.limits.to = to;
    send_request(f, now, &request);
}

void change_provider(struct fixture *f, int64_t now, const char *name, unsigned named,
                     struct adm_provider_limits to)
{
    struct adm_request request = {.type = ADM_REQUEST_PROVIDER};
    request.of.provider.name = name_of(name);
    request.of.provider.named = named;
    request.of.provider.to = to;
    send_request(f, now, &request);
}

void add_provider(struct fixture *f, int64_t now, const char *name)
{
    change_provider(f, now, name, 0, adm_provider_limits_default());
}

static bool is_same(const struct adm_effect *a, const struct adm_effect *b)
{
    return a->type == b->type && a->reason == b->reason && a->handle == b->handle &&
           a->n == b->n && a->id == b->id && a->order == b->order && a->span_us == b->span_us;
}

static bool are_same(const struct adm_effects *told, const struct adm_effect *expected,
                     size_t n)
{
    for (size_t i = 0; i < told->n && i < n; i++) {
        if (!is_same(&told->items[i], &expected[i])) {
            return false;
        }
    }
    return told->n == n;
}

static void show(const char *title, const struct adm_effect *effects, size_t n)
{
    fprintf(stderr, "%s\n", title);
    for (size_t i = 0; i < n; i++) {
        fprintf(stderr, "   ");
        trace_print_effect(stderr, &effects[i]);
    }
}

void expect_effects(const char *file, int line, struct fixture *f,
                    const struct adm_effect *expected, size_t n)
{
    if (!are_same(&f->effects, expected, n)) {
        show("expected:", expected, n);
        show("told:", f->effects.items, f->effects.n);
        cr_assert_fail("%s:%d: other effects than expected", file, line);
    }
    adm_effects_clear(&f->effects);
}

int64_t due_at(const struct fixture *f)
{
    return adm_machine_due_at(f->machine);
}

struct adm_stats books(const struct fixture *f)
{
    struct adm_stats stats;
    adm_machine_stats(f->machine, &stats);
    return stats;
}
