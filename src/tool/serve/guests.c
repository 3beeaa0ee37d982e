/* See tool/serve/guests.h. One patience for all makes the list of those that owe a queue: who
 * is due next is its head. The timeout of libmicrohttpd would not do, for it begins anew with
 * every byte. It is not told that a connection is to end: it sees the shutdown, as if the
 * client had gone. */
#include "tool/serve/guests.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

struct adm_guest {
    int fd;
    bool owes; /* it stands in the list */
    int64_t since;
    TAILQ_ENTRY(adm_guest) waiting;
};

void adm_guests_init(struct adm_guests *guests)
{
    *guests = (struct adm_guests){0};
    TAILQ_INIT(&guests->waiting);
}

void adm_guests_deinit(struct adm_guests *guests)
{
    ADM_ASSERT(TAILQ_EMPTY(&guests->waiting));
}

static void owe(struct adm_guests *guests, struct adm_guest *guest)
{
    if (!guest->owes) {
        guest->owes = true;
        guest->since = guests->now;
        TAILQ_INSERT_TAIL(&guests->waiting, guest, waiting);
    }
}

static void settle(struct adm_guests *guests, struct adm_guest *guest)
{
    if (guest->owes) {
        guest->owes = false;
        TAILQ_REMOVE(&guests->waiting, guest, waiting);
    }
}

static struct adm_guest *find(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        ->socket_context;
}

void adm_guests_come(struct adm_guests *guests, struct MHD_Connection *connection, void **at)
{
    struct adm_guest *guest = adm_memory_new(1, sizeof *guest);
    guest->fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *at = guest;
    owe(guests, guest);
}

void adm_guests_go(struct adm_guests *guests, void **at)
{
    struct adm_guest *guest = *at;
    settle(guests, guest);
    free(guest);
    *at = NULL;
}

void adm_guests_settle(struct adm_guests *guests, struct MHD_Connection *connection)
{
    settle(guests, find(connection));
}

void adm_guests_owe(struct adm_guests *guests, struct MHD_Connection *connection)
{
    owe(guests, find(connection));
}

int64_t adm_guests_due_at(const struct adm_guests *guests)
{
    const struct adm_guest *first = TAILQ_FIRST(&guests->waiting);
    return first == NULL ? ADM_NEVER : adm_time_add(first->since, ADM_GUESTS_PATIENCE_US);
}

void adm_guests_look(struct adm_guests *guests, int64_t now)
{
    guests->now = now;
    while (adm_guests_due_at(guests) <= now) {
        struct adm_guest *guest = TAILQ_FIRST(&guests->waiting);
        shutdown(guest->fd, SHUT_RDWR);
        settle(guests, guest);
    }
}
