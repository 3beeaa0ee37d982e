/* What a client reads, on its owner's thread: the next event, or the word that it waits for.
 *
 * Every message that comes is taken apart at once into the inbox, so an event lies either there
 * or in the socket. Cancellation is on only inside the clock's wait, where nothing is held or
 * half done.
 */
#include "api/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "actor/flag.h"
#include "actor/socket.h"
#include "api/cancellation.h"
#include "api/watch.h"
#include "base/assert.h"
#include "base/time.h"

static int64_t now_us(const admission_client_t *client)
{
    return adm_clock_elapsed(&client->hub->clock);
}

admission_status_t adm_client_check_reader(const admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    return adm_owner_is_caller(&client->owned) ? ADMISSION_OK : ADMISSION_FOREIGN_THREAD;
}

/* Receiving. */

/* A word to a cycle's ticket, beside the one that it waits for. Nobody claims it when the cycle
 * had given its slot back before the actor's word came. */
static void tell_claim(admission_client_t *client, const struct adm_inbox_item *item)
{
    struct adm_claim *claim;
    LIST_FOREACH (claim, &client->claims, link) {
        if (claim->id == item->event.id && item->event.type == ADM_EVENT_ABORT) {
            claim->hear(claim, item->event.reason);
        }
    }
    atomic_fetch_add_explicit(&client->n_read, 1, memory_order_relaxed);
}

/* Receives one message, if there is one, into the inbox; an item with the id `wanted` (0: none)
 * goes to `*found` instead, and then `*is_found`. Returns whether there was a message. */
static bool receive(admission_client_t *client, uint64_t wanted, struct adm_inbox_item *found,
                    bool *is_found)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    const bool is_there = adm_socket_receive(client->socket, &message);
    if (is_there) {
        client->n_received++;
        struct adm_inbox_reader reader;
        struct adm_inbox_item item;
        adm_inbox_read(&reader, zmq_msg_data(&message), zmq_msg_size(&message));
        while (adm_inbox_read_next(&reader, &item)) {
            if (item.event.type == ADM_EVENT_END) {
                client->has_ended = true;
            } else if (item.event.id == wanted && !*is_found) {
                *found = item;
                *is_found = true;
            } else if ((item.event.id & ADM_CYCLE_TICKET) != 0) {
                tell_claim(client, &item);
            } else {
                adm_inbox_push(&client->inbox, &item);
            }
        }
    }
    zmq_msg_close(&message);
    return is_there;
}

/* Receives one message, if there is one, into the inbox. */
static bool take_in(admission_client_t *client)
{
    struct adm_inbox_item none;
    bool is_found = false;
    return receive(client, 0, &none, &is_found);
}

/* Receiving costs little when something is there and much when nothing is: so look first. */
static bool has_rung(const admission_client_t *client)
{
    return adm_bell_has_rung(&client->line->bell, client->n_received);
}

static bool spin(admission_client_t *client)
{
    return adm_spin(&client->spinner, &client->hub->spin, &client->line->bell,
                    client->n_received, ADM_NEVER);
}

/* Sleeps until the socket may have something or `until` comes; false when it already has. */
static bool sleep_until(admission_client_t *client, int64_t until, int cancel_state)
{
    if (adm_socket_is_readable(client->socket)) {
        return true;
    }
    if (until != ADM_NEVER && until <= now_us(client)) {
        return false;
    }
    struct pollfd fd = {.fd = client->socket_fd, .events = POLLIN};
    adm_cancellation_restore(cancel_state);
    adm_clock_visit(&client->hub->clock, &fd, 1, until);
    (void)adm_cancellation_off();
    adm_spinner_slept(&client->spinner);
    return true;
}

/* Takes in all there is, so that claims hear of it, until the socket's descriptor is certain to
 * tell of what comes next. The bell is rung before the send, so there is an end to it. */
static void drain(admission_client_t *client)
{
    do {
        while (has_rung(client) && take_in(client)) {
        }
    } while (adm_socket_is_readable(client->socket));
}

static void set_bell(admission_client_t *client, bool is_rung)
{
    if (is_rung && !client->is_bell_rung) {
        adm_flag_raise(client->bell_fd);
    } else if (!is_rung && client->is_bell_rung) {
        adm_flag_lower(client->bell_fd);
    }
    client->is_bell_rung = is_rung;
}

/* The socket's own descriptor only tells of changes. The level-triggered one has `bell_fd` too,
 * which is readable as long as an event lies in the inbox or was seen in the socket; that of a
 * signal has not: so while a cycle runs nothing is left in the socket. */
static void sync_fds(admission_client_t *client)
{
    const bool is_claimed = !LIST_EMPTY(&client->claims);
    if (client->fd == -1 && !is_claimed) {
        return;
    }
    const int before = adm_cancellation_off();
    if (is_claimed) {
        drain(client);
    }
    if (client->fd != -1) {
        set_bell(client, client->inbox.n > 0 || client->has_ended ||
                             (!is_claimed && adm_socket_is_readable(client->socket)));
    }
    adm_cancellation_restore(before);
}

/* Showing. */

static admission_event_type_t public_type(enum adm_event_type type)
{
    switch (type) {
    case ADM_EVENT_GRANTED:
        return ADMISSION_EVENT_GRANTED;
    case ADM_EVENT_REFUSED:
        return ADMISSION_EVENT_REFUSED;
    case ADM_EVENT_ABORT:
        return ADMISSION_EVENT_ABORT;
    case ADM_EVENT_ADMITTED:
        return ADMISSION_EVENT_ADMITTED;
    case ADM_EVENT_SUPERSEDED:
        return ADMISSION_EVENT_SUPERSEDED;
    case ADM_EVENT_CLOSED:
        return ADMISSION_EVENT_CLOSED;
    case ADM_EVENT_LIVE:
        return ADMISSION_EVENT_LIVE;
    case ADM_EVENT_END:
        break;
    }
    adm_assert_failed(__FILE__, __LINE__, "the end is not shown as an event");
}

_Static_assert((int)ADMISSION_REASON_DUPLICATE == (int)ADM_REASON_DUPLICATE,
               "the public reasons are the core's");

/* Hands an item to the user: its rows are shown until the next call that reads. */
static void show(admission_client_t *client, const struct adm_inbox_item *item,
                 struct admission_event *event)
{
    free(client->shown);
    client->shown = item->live;
    const uint64_t n_words = 1 + (uint64_t)item->event.n;
    atomic_fetch_add_explicit(&client->n_read, n_words, memory_order_relaxed);
    if (event == NULL) {
        return;
    }
    const bool is_abort = item->event.type == ADM_EVENT_ABORT;
    *event = (struct admission_event){
        .type = public_type(item->event.type),
        .reason = (admission_reason_t)item->event.reason,
        .id = item->event.id,
        .order = item->event.order,
        .waited_us = is_abort ? 0 : item->event.span_us,
        .ran_us = is_abort ? item->event.span_us : 0,
        .stamped_at_us = item->stamp_us,
        .live = item->live,
        .n_live = item->event.n,
    };
}

/* A wait shorter than a spin does not spin: it might end too late. */
static bool rings_before(admission_client_t *client, int64_t timeout_us)
{
    return has_rung(client) || (timeout_us >= ADM_SPIN_US && spin(client));
}

static bool is_filled(const admission_client_t *client)
{
    return client->inbox.n > 0 || client->has_ended;
}

/* Fills the inbox with what is there, which may be words to cycles only. */
static void look(admission_client_t *client)
{
    while (!is_filled(client) && has_rung(client) && take_in(client)) {
    }
}

/* Fills it, waiting until there is something or the time is over. */
static void wait_and_look(admission_client_t *client, int64_t timeout_us, int cancel_state)
{
    const int64_t until = adm_time_add(now_us(client), timeout_us);
    adm_client_begin_wait(client);
    while (!is_filled(client) && ((rings_before(client, timeout_us) && take_in(client)) ||
                                  sleep_until(client, until, cancel_state))) {
    }
    adm_client_end_wait(client);
}

static void fill_inbox(admission_client_t *client, int64_t timeout_us)
{
    const int before = adm_cancellation_off();
    if (timeout_us == 0) {
        look(client);
    } else {
        wait_and_look(client, timeout_us, before);
    }
    adm_cancellation_restore(before);
}

admission_status_t admission_client_next(admission_client_t *client, int64_t timeout_us,
                                         struct admission_event *event)
{
    const admission_status_t status = adm_client_check_reader(client);
    if (status != ADMISSION_OK) {
        return status;
    }
    if (timeout_us < 0) {
        return ADMISSION_INVALID;
    }
    if (client->inbox.n == 0) {
        fill_inbox(client, timeout_us);
    }
    const bool is_there = client->inbox.n > 0;
    if (is_there) {
        const struct adm_inbox_item item = adm_inbox_pop(&client->inbox);
        show(client, &item, event);
    }
    sync_fds(client);
    if (is_there) {
        return ADMISSION_OK;
    }
    return client->has_ended ? ADMISSION_CLOSED : ADMISSION_EMPTY;
}

admission_status_t adm_client_await(admission_client_t *client, uint64_t id,
                                    struct admission_event *event)
{
    const int before = adm_cancellation_off();
    bool is_found = false;
    struct adm_inbox_item item = {0};
    adm_client_begin_wait(client);
    while (!is_found && !client->has_ended) {
        if (!((has_rung(client) || spin(client)) && receive(client, id, &item, &is_found))) {
            (void)sleep_until(client, ADM_NEVER, before);
        }
    }
    adm_client_end_wait(client);
    if (is_found) {
        show(client, &item, event);
    }
    sync_fds(client);
    adm_cancellation_restore(before);
    if (!is_found) {
        return ADMISSION_CLOSED;
    }
    return item.event.type == ADM_EVENT_REFUSED ? ADMISSION_REFUSED : ADMISSION_OK;
}

void adm_client_hear(admission_client_t *client)
{
    const int before = adm_cancellation_off();
    adm_client_flush(client);
    sync_fds(client);
    adm_cancellation_restore(before);
}

/* The blocking forms: a request, and its word. */

admission_status_t admission_client_admit_ticket(admission_client_t *client,
                                                 const struct admission_ticket *ticket,
                                                 uint64_t *id, struct admission_event *event)
{
    admission_status_t status = adm_client_check_reader(client);
    uint64_t own;
    id = id == NULL ? &own : id;
    if (status == ADMISSION_OK) {
        status = admission_client_request_ticket(client, ticket, id);
    }
    return status == ADMISSION_OK ? adm_client_await(client, *id, event) : status;
}

admission_status_t admission_client_admit_listener(admission_client_t *client,
                                                   const struct admission_listen *listen,
                                                   uint64_t *id, struct admission_event *event)
{
    admission_status_t status = adm_client_check_reader(client);
    uint64_t own;
    id = id == NULL ? &own : id;
    if (status == ADMISSION_OK) {
        status = admission_client_request_listener(client, listen, id);
    }
    return status == ADMISSION_OK ? adm_client_await(client, *id, event) : status;
}

admission_status_t admission_client_live(admission_client_t *client, const char *principal,
                                         struct admission_event *event)
{
    admission_status_t status = adm_client_check_reader(client);
    uint64_t id;
    if (status == ADMISSION_OK) {
        status = admission_client_request_live(client, principal, &id);
    }
    return status == ADMISSION_OK ? adm_client_await(client, id, event) : status;
}

/* Descriptors. */

/* Returns whether it can be had; else errno says why. */
static bool make_fd(admission_client_t *client)
{
    const int bell_fd = adm_flag_new();
    if (bell_fd == -1) {
        return false;
    }
    const int fd = adm_watch_new(bell_fd, client->socket_fd);
    if (fd == -1) {
        const int error = errno;
        close(bell_fd);
        errno = error;
        return false;
    }
    client->fd = fd;
    client->bell_fd = bell_fd;
    return true;
}

admission_status_t admission_client_fd(admission_client_t *client, int *fd)
{
    ADM_ASSERT(fd != NULL);
    const admission_status_t status = adm_client_check_reader(client);
    if (status != ADMISSION_OK) {
        return status;
    }
    if (client->fd == -1) {
        if (!make_fd(client)) {
            return ADMISSION_NO_RESOURCES;
        }
        sync_fds(client);
    }
    *fd = client->fd;
    return ADMISSION_OK;
}

void *admission_client_socket(admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    return client->socket;
}

void adm_client_deinit_reader(admission_client_t *client)
{
    if (client->fd != -1) {
        close(client->fd);
        close(client->bell_fd);
    }
    free(client->shown);
    adm_inbox_deinit(&client->inbox);
}
