/* The life of a client: opened, adopted, destroyed, or dead with its thread. */
#include "api/client.h"

#include <errno.h>
#include <stdlib.h>

#include "actor/socket.h"
#include "api/actor.h"
#include "api/cancellation.h"
#include "base/assert.h"
#include "base/memory.h"

/* Ends a client that is nobody's any more. Destroying and dying differ only in what is counted.
 */
static void end(struct admission_client *client, bool is_death)
{
    if (!adm_hub_is_forked(client->hub)) {
        adm_hub_say_goodbye(client->hub, client->line, is_death);
        adm_hub_release(&client->hub);
    }
    adm_client_deinit_reader(client);
    pthread_mutex_destroy(&client->cork_lock);
    free(client->corked);
    free(client);
}

static void die(admission_client_t *client)
{
    const int before = adm_cancellation_off();
    end(client, true);
    adm_cancellation_restore(before);
}

static struct admission_client *make(struct adm_hub *hub, struct adm_line *line)
{
    struct admission_client *client = adm_memory_new(1, sizeof *client);
    client->hub = adm_hub_keep(hub);
    client->line = line;
    client->handle = line->handle;
    client->number = line->number;
    client->owned = (struct adm_owned){.client = client, .die = die};
    client->socket = line->receiver;
    client->socket_fd = adm_socket_fd(line->receiver);
    adm_spinner_init(&client->spinner);
    client->fd = -1;
    client->bell_fd = -1;
    atomic_init(&client->next_id, 1);
    atomic_init(&client->n_asked, 0);
    atomic_init(&client->n_read, 0);
    ADM_ASSERT(pthread_mutex_init(&client->cork_lock, NULL) == 0);
    return client;
}

static admission_status_t open_client(admission_client_t **client_ptr, struct adm_hub *hub)
{
    struct adm_line *line;
    const int error = adm_hub_open_line(hub, &line);
    if (error == ESHUTDOWN) {
        return ADMISSION_CLOSED;
    }
    if (error != 0) {
        errno = error;
        return ADMISSION_NO_RESOURCES;
    }
    struct admission_client *client = make(hub, line);
    if (!adm_owner_adopt(&client->owned)) {
        end(client, false);
        errno = EAGAIN;
        return ADMISSION_NO_RESOURCES;
    }
    *client_ptr = client;
    return ADMISSION_OK;
}

admission_status_t admission_client_new(admission_client_t **client, admission_actor_t *actor)
{
    ADM_ASSERT(client != NULL && actor != NULL);
    if (adm_hub_is_forked(actor->hub)) {
        return ADMISSION_FORKED;
    }
    const int before = adm_cancellation_off();
    const admission_status_t status = open_client(client, actor->hub);
    adm_cancellation_restore(before);
    return status;
}

void admission_client_destroy(admission_client_t **client_ptr)
{
    if (client_ptr == NULL || *client_ptr == NULL) {
        return;
    }
    struct admission_client *client = *client_ptr;
    *client_ptr = NULL;
    const int before = adm_cancellation_off();
    adm_owner_leave(&client->owned);
    end(client, false);
    adm_cancellation_restore(before);
}

admission_status_t admission_client_adopt(admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    return adm_owner_adopt(&client->owned) ? ADMISSION_OK : ADMISSION_NO_RESOURCES;
}

uint64_t admission_client_number(const admission_client_t *client)
{
    ADM_ASSERT(client != NULL);
    return client->number;
}
