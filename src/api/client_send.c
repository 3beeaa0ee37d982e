/* What a client sends: requests that ask for an answer, within its credit, and the rest,
 * always.
 *
 * Any thread may be here. The id is written out before the request goes, so that another thread
 * can cancel it while the caller waits. */
#include "api/client.h"

#include <string.h>

#include "api/cancellation.h"
#include "api/convert.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

struct admission_ticket admission_ticket_default(void)
{
    return (struct admission_ticket){.timeout_us = ADMISSION_DEFAULT};
}

struct admission_listen admission_listen_default(const char *principal)
{
    return (struct admission_listen){.principal = principal, .max = ADMISSION_DEFAULT};
}

/* Only sending itself can sleep or make a system call, and only then is cancellation off. */
static bool send_bytes(admission_client_t *client, const uint8_t *bytes, size_t size)
{
    const int before = adm_cancellation_off();
    const bool is_sent = adm_inlet_send(&client->hub->inlet, bytes, size);
    adm_cancellation_restore(before);
    return is_sent;
}

/* Corking. */

/* Who begins to wait says so and then looks for a cork; who corks and sends does the reverse.
 * In one order for all, one of them sees the other: hence no weaker loads and stores here. */

static bool is_corked(const admission_client_t *client)
{
    return atomic_load(&client->is_corked);
}

static bool is_waiting(const admission_client_t *client)
{
    return atomic_load(&client->is_waiting);
}

/* Sends what is held back; the lock is held. False once the actor has ended. */
static bool send_corked(admission_client_t *client)
{
    const bool is_sent =
        client->corked_size == 0 || send_bytes(client, client->corked, client->corked_size);
    client->n_corked = 0;
    client->corked_size = 0;
    return is_sent;
}

/* While the owner waits, not even for a moment: but still behind what is held back already. */
static bool hold_back(admission_client_t *client, const uint8_t *bytes, size_t size)
{
    bool is_sent = true;
    if (client->corked_size + size > ADM_CORK_BYTES) {
        is_sent = send_corked(client);
    }
    memcpy(client->corked + client->corked_size, bytes, size);
    client->corked_size += size;
    client->n_corked++;
    if (client->n_corked == ADM_CORK_RECORDS || is_waiting(client)) {
        is_sent = send_corked(client);
    }
    return is_sent;
}

void adm_client_flush(admission_client_t *client)
{
    if (!is_corked(client) || adm_hub_is_forked(client->hub)) {
        return; /* in the parent somebody may have held the lock */
    }
    pthread_mutex_lock(&client->cork_lock);
    (void)send_corked(client);
    pthread_mutex_unlock(&client->cork_lock);
}

void adm_client_begin_wait(admission_client_t *client)
{
    atomic_store(&client->is_waiting, true);
    adm_client_flush(client);
}

void adm_client_end_wait(admission_client_t *client)
{
    atomic_store_explicit(&client->is_waiting, false, memory_order_release);
}

void admission_client_cork(admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return; /* as above */
    }
    pthread_mutex_lock(&client->cork_lock);
    if (client->corked == NULL) {
        client->corked = adm_memory_new(ADM_CORK_BYTES, 1);
    }
    atomic_store(&client->is_corked, true);
    pthread_mutex_unlock(&client->cork_lock);
}

admission_status_t admission_client_uncork(admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    pthread_mutex_lock(&client->cork_lock);
    const bool is_sent = send_corked(client);
    atomic_store_explicit(&client->is_corked, false, memory_order_release);
    pthread_mutex_unlock(&client->cork_lock);
    return is_sent ? ADMISSION_OK : ADMISSION_CLOSED;
}

/* Looks again under the lock: another thread may have uncorked since. */
static bool send_or_hold_back(admission_client_t *client, const uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&client->cork_lock);
    const bool is_sent =
        is_corked(client) ? hold_back(client, bytes, size) : send_bytes(client, bytes, size);
    pthread_mutex_unlock(&client->cork_lock);
    return is_sent;
}

admission_status_t adm_client_send(admission_client_t *client,
                                   const struct adm_inbound *inbound)
{
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    const size_t size = adm_inbound_encode(inbound, bytes);
    const bool is_sent = is_corked(client) ? send_or_hold_back(client, bytes, size)
                                           : send_bytes(client, bytes, size);
    return is_sent ? ADMISSION_OK : ADMISSION_CLOSED;
}

/* Requests that ask for an answer. */

/* Reads the account in the reverse of the order in which the actor writes it. Others may have
 * asked, been answered and read while this thread was held up on the way, so that it seems to
 * have less than nothing outstanding: hence signed. */
static bool has_credit(const admission_client_t *client, uint64_t n_asked)
{
    const struct adm_line *line = client->line;
    const uint64_t handled = atomic_load_explicit(&line->n_asked, memory_order_acquire);
    const uint64_t held = atomic_load_explicit(&line->n_held, memory_order_acquire);
    const uint64_t words = atomic_load_explicit(&line->n_words, memory_order_acquire);
    const uint64_t read = atomic_load_explicit(&client->n_read, memory_order_relaxed);
    return (int64_t)((n_asked - handled) + held + (words - read)) <
           (int64_t)client->hub->client_credit;
}

/* Nothing was asked after all. */
static void take_back(admission_client_t *client)
{
    atomic_fetch_sub_explicit(&client->n_asked, 1, memory_order_relaxed);
}

static admission_status_t request(admission_client_t *client, struct adm_inbound *inbound,
                                  uint64_t *id)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    if (!has_credit(client,
                    atomic_fetch_add_explicit(&client->n_asked, 1, memory_order_relaxed))) {
        take_back(client);
        return adm_inlet_has_ended(&client->hub->inlet) ? ADMISSION_CLOSED : ADMISSION_BUSY;
    }
    inbound->request.handle = client->handle;
    inbound->request.id |= atomic_fetch_add_explicit(&client->next_id, 1, memory_order_relaxed);
    if (id != NULL) {
        __atomic_store_n(id, inbound->request.id, __ATOMIC_RELEASE); /* others may watch it */
    }
    const admission_status_t status = adm_client_send(client, inbound);
    if (status != ADMISSION_OK) {
        take_back(client);
    }
    return status;
}

static bool fill_name(const char *text, struct adm_name *name)
{
    *name = adm_name_none();
    return text == NULL || adm_convert_name(text, name);
}

static bool fill_ticket(const struct admission_ticket *ticket, struct adm_request *to)
{
    const struct admission_ticket defaults = admission_ticket_default();
    ticket = ticket == NULL ? &defaults : ticket;
    const bool is_default = ticket->timeout_us == ADMISSION_DEFAULT;
    to->type = ADM_REQUEST_TICKET;
    to->of.ticket.timeout_us = is_default ? ADM_TIMEOUT_DEFAULT : ticket->timeout_us;
    to->of.ticket.attempt_timeout_us = ticket->attempt_timeout_us;
    return (is_default || ticket->timeout_us >= 0) &&
           adm_convert_is_duration(ticket->attempt_timeout_us) &&
           fill_name(ticket->provider, &to->of.ticket.provider) &&
           fill_name(ticket->key, &to->of.ticket.key);
}

static bool fill_listen(const struct admission_listen *listen, struct adm_request *to)
{
    const bool is_default = listen->max == ADMISSION_DEFAULT;
    to->type = ADM_REQUEST_LISTENER;
    to->of.listener.max = is_default ? ADM_MAX_DEFAULT : (uint32_t)listen->max;
    to->of.listener.refuse_when_full = listen->refuse_when_full;
    return (is_default || (listen->max >= 1 && listen->max <= ADM_COUNT_MAX)) &&
           adm_convert_name(listen->principal, &to->of.listener.principal);
}

admission_status_t adm_client_request_marked(admission_client_t *client,
                                             const struct admission_ticket *ticket,
                                             uint64_t mark, uint64_t *id)
{
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP, .request = {.id = mark}};
    return fill_ticket(ticket, &inbound.request) ? request(client, &inbound, id)
                                                 : ADMISSION_INVALID;
}

admission_status_t admission_client_request_ticket(admission_client_t *client,
                                                   const struct admission_ticket *ticket,
                                                   uint64_t *id)
{
    return adm_client_request_marked(client, ticket, 0, id);
}

admission_status_t admission_client_request_listener(admission_client_t *client,
                                                     const struct admission_listen *listen,
                                                     uint64_t *id)
{
    ADM_ASSERT(listen != NULL);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP};
    return fill_listen(listen, &inbound.request) ? request(client, &inbound, id)
                                                 : ADMISSION_INVALID;
}

admission_status_t admission_client_request_live(admission_client_t *client,
                                                 const char *principal, uint64_t *id)
{
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP,
                                  .request = {.type = ADM_REQUEST_LIVE}};
    return adm_convert_name(principal, &inbound.request.of.principal)
               ? request(client, &inbound, id)
               : ADMISSION_INVALID;
}

/* Requests that ask for none. */

static admission_status_t tell(admission_client_t *client, struct adm_inbound *inbound)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    inbound->request.handle = client->handle;
    (void)adm_client_send(client, inbound); /* after the end there is nothing to leave */
    return ADMISSION_OK;
}

admission_status_t admission_client_leave(admission_client_t *client, uint64_t id)
{
    return tell(client,
                &(struct adm_inbound){.type = ADM_INBOUND_STEP,
                                      .request = {.type = ADM_REQUEST_LEAVE, .id = id}});
}

admission_status_t admission_client_cancel(admission_client_t *client, uint64_t id)
{
    return tell(client,
                &(struct adm_inbound){.type = ADM_INBOUND_STEP,
                                      .request = {.type = ADM_REQUEST_CANCEL, .id = id}});
}

admission_status_t admission_client_leave_principal(admission_client_t *client,
                                                    const char *principal)
{
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP,
                                  .request = {.type = ADM_REQUEST_LEAVE_PRINCIPAL}};
    return adm_convert_name(principal, &inbound.request.of.principal) ? tell(client, &inbound)
                                                                      : ADMISSION_INVALID;
}
