/* The client handle, as the files of this floor see it.
 *
 * What several threads touch is atomic or behind `cork_lock`; the rest is the owner's. */
#ifndef ADM_API_CLIENT_H
#define ADM_API_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <zmq.h>

#include "actor/hub.h"
#include "admission/client.h"
#include "api/inbox.h"
#include "api/owner.h"

enum {
    ADM_CORK_RECORDS = 64,
    ADM_CORK_BYTES = 4096
};

/* The bit in the id of a ticket that a cycle has asked for on its caller's thread: its words
 * are for the cycle, and nobody's when it has ended - never the user's. */
#define ADM_CYCLE_TICKET (UINT64_C(1) << 63)

/* A cycle that runs on the owner's thread, waiting for what may be said to its ticket. */
struct adm_claim {
    uint64_t id;
    void (*hear)(struct adm_claim *claim, enum adm_reason why); /* ABORT */
    LIST_ENTRY(adm_claim) link;
};

struct admission_client {
    struct adm_hub *hub;
    struct adm_line *line;
    struct adm_owned owned;
    uint32_t handle;
    uint64_t number;

    atomic_uint_fast64_t next_id;
    atomic_uint_fast64_t n_asked; /* requests for an answer that have been sent */
    atomic_uint_fast64_t n_read;  /* words that have been read */

    pthread_mutex_t cork_lock;
    atomic_bool is_corked;  /* written under the lock; read without it by who does not cork */
    atomic_bool is_waiting; /* the owner is: nothing is held back. Written by the owner */
    size_t n_corked;        /* records held back, */
    size_t corked_size;     /* and their bytes */
    uint8_t *corked;

    void *socket;
    int socket_fd;
    unsigned n_received; /* messages: what the line's bell counts */
    struct adm_spinner spinner;
    struct adm_inbox inbox;
    LIST_HEAD(, adm_claim) claims;
    bool has_ended;                   /* the actor's last word has been received */
    struct admission_listener *shown; /* the rows that the last event lent to the user */

    int fd; /* the level-triggered one: of socket_fd and bell_fd; -1: not made yet */
    int bell_fd;
    bool is_bell_rung;
};

/* Sending (api/client_send.c). */

/* Sends a record, or holds it back. ADMISSION_OK, ADMISSION_CLOSED or ADMISSION_FORKED. */
admission_status_t adm_client_send(admission_client_t *client,
                                   const struct adm_inbound *inbound);

/* Asks for a ticket whose id is marked with `mark` (0, or ADM_CYCLE_TICKET). Returns as
 * admission_client_request_ticket(). */
admission_status_t adm_client_request_marked(admission_client_t *client,
                                             const struct admission_ticket *ticket,
                                             uint64_t mark, uint64_t *id);

/* Sends what is held back, and goes on holding back. */
void adm_client_flush(admission_client_t *client);

/* The owner waits: sends what is held back, and until the end of it nothing is, whoever sends.
 * A thread that is cancelled in between leaves it so, and its client dies with it. */
void adm_client_begin_wait(admission_client_t *client);
void adm_client_end_wait(admission_client_t *client);

/* Reading (api/client_read.c). */

/* Waits for the word with this id, which somebody has just asked for; the rest stays in the
 * inbox. ADMISSION_OK, ADMISSION_REFUSED or ADMISSION_CLOSED. */
admission_status_t adm_client_await(admission_client_t *client, uint64_t id,
                                    struct admission_event *event);

/* Takes in what is there, without waiting, so that claims hear of it, of which there is one.
 * The socket's descriptor is armed then. */
void adm_client_hear(admission_client_t *client);

/* May the calling thread read? ADMISSION_OK, ADMISSION_FORKED or ADMISSION_FOREIGN_THREAD. */
admission_status_t adm_client_check_reader(const admission_client_t *client);

void adm_client_deinit_reader(admission_client_t *client);

#endif
