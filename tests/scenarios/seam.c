/* See seam.h. */
#include "seam.h"

#include <string.h>

#include "base/time.h"
#include "fixture.h"
#include "wire/inbound.h"

enum {
    HANDLE = 0
};

static struct seam *self(struct adm_port *port)
{
    return (struct seam *)port;
}

static int64_t elapsed(struct adm_port *port)
{
    return self(port)->elapsed_us;
}

static int64_t wall(struct adm_port *port)
{
    return self(port)->wall_us;
}

static bool take(struct adm_port *port, const uint8_t **bytes, size_t *size)
{
    struct seam *seam = self(port);
    *bytes = seam->message;
    *size = seam->size;
    seam->size = 0;
    return *size > 0;
}

static bool wait_for(struct adm_port *port, int64_t until)
{
    self(port)->due_at = until;
    return false;
}

static bool open_line(struct adm_port *port, uint32_t handle, uint64_t *number)
{
    (void)port;
    *number = 1;
    return handle == HANDLE;
}

static void deliver(struct adm_port *port, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account)
{
    struct seam *seam = self(port);
    int64_t stamp_us = 0;
    (void)account;
    check(handle == HANDLE);
    check(size == 0 || adm_event_stamp_decode(bytes, size, &stamp_us));
    for (size_t at = ADM_EVENT_STAMP; at < size; at += ADM_EVENT_RECORD) {
        check(seam->n_events < sizeof seam->events / sizeof *seam->events);
        check(adm_event_decode(bytes + at, size - at, &seam->events[seam->n_events]));
        seam->stamps_us[seam->n_events++] = stamp_us;
    }
}

static void hang_up(struct adm_port *port, uint32_t handle)
{
    (void)port;
    check(handle == HANDLE);
}

static void tell_closed(struct adm_port *port)
{
    (void)port; /* nobody waits for it */
}

static void answer(struct adm_port *port, uint64_t call, const struct adm_answer *answer)
{
    (void)port;
    (void)call;
    check(answer->word == ADM_ANSWER_OK);
}

static void send_at(struct seam *seam, int64_t elapsed_us, const struct adm_inbound *inbound)
{
    seam->size = adm_inbound_encode(inbound, seam->message);
    seam_run_to(seam, elapsed_us);
}

void seam_begin(struct seam *seam, const struct adm_limits *limits)
{
    const struct adm_hash_key key = {.bytes = "sixteen bytes..."};
    *seam = (struct seam){.port = {.elapsed = elapsed,
                                   .wall = wall,
                                   .take = take,
                                   .wait = wait_for,
                                   .open = open_line,
                                   .deliver = deliver,
                                   .hang_up = hang_up,
                                   .tell_closed = tell_closed,
                                   .answer = answer}};
    seam->loop = adm_loop_new(&seam->port, adm_machine_new(limits, &key));
    send_at(seam, 0,
            &(struct adm_inbound){.type = ADM_INBOUND_OPEN, .request = {.handle = HANDLE}});
}

void seam_end(struct seam *seam)
{
    seam_expect_nothing(seam);
    adm_loop_destroy(&seam->loop);
    seam_expect(seam, ADM_EVENT_END, 0, seam->wall_us);
}

void seam_run_to(struct seam *seam, int64_t elapsed_us)
{
    seam->elapsed_us = elapsed_us;
    seam->due_at = 0;
    for (int i = 0; i < 3 && seam->due_at == 0; i++) {
        check(adm_loop_turn(seam->loop));
    }
    check(seam->due_at > elapsed_us);
}

static struct adm_name name_of(const char *text)
{
    return text == NULL ? adm_name_none()
                        : (struct adm_name){.bytes = text, .length = (uint8_t)strlen(text)};
}

void seam_admit(struct seam *seam, int64_t elapsed_us, uint64_t id, const char *provider,
                int64_t timeout_us)
{
    struct adm_inbound inbound = {
        .type = ADM_INBOUND_STEP,
        .request = {.type = ADM_REQUEST_TICKET, .handle = HANDLE, .id = id},
    };
    inbound.request.of.ticket.provider = name_of(provider);
    inbound.request.of.ticket.key = adm_name_none();
    inbound.request.of.ticket.timeout_us = timeout_us;
    send_at(seam, elapsed_us, &inbound);
}

static void send_plain(struct seam *seam, int64_t elapsed_us, enum adm_request_type type,
                       uint64_t id)
{
    send_at(seam, elapsed_us,
            &(struct adm_inbound){.type = ADM_INBOUND_STEP,
                                  .request = {.type = type, .handle = HANDLE, .id = id}});
}

void seam_leave(struct seam *seam, int64_t elapsed_us, uint64_t id)
{
    send_plain(seam, elapsed_us, ADM_REQUEST_LEAVE, id);
}

void seam_cancel(struct seam *seam, int64_t elapsed_us, uint64_t id)
{
    send_plain(seam, elapsed_us, ADM_REQUEST_CANCEL, id);
}

void seam_add_provider(struct seam *seam, const char *provider)
{
    struct adm_inbound inbound = {
        .type = ADM_INBOUND_STEP,
        .request = {.type = ADM_REQUEST_PROVIDER, .handle = ADM_NOBODY},
    };
    inbound.request.of.provider.name = name_of(provider);
    inbound.request.of.provider.to = adm_provider_limits_default();
    send_at(seam, seam->elapsed_us, &inbound);
}

void seam_cooldown(struct seam *seam, const char *provider, int64_t delay_us)
{
    struct adm_inbound inbound = {
        .type = ADM_INBOUND_STEP,
        .request = {.type = ADM_REQUEST_COOLDOWN, .handle = ADM_NOBODY},
    };
    inbound.request.of.cooldown.provider = name_of(provider);
    inbound.request.of.cooldown.delay_us = delay_us;
    send_at(seam, seam->elapsed_us, &inbound);
}

void seam_expect(struct seam *seam, enum adm_event_type type, uint64_t id, int64_t wall_us)
{
    check(seam->n_events == 1);
    check(seam->events[0].type == type && seam->events[0].id == id);
    check(seam->stamps_us[0] == wall_us);
    seam->n_events = 0;
}

void seam_expect_nothing(const struct seam *seam)
{
    check(seam->n_events == 0);
}
