/* A client handle: asks the actor for tickets and listeners, and reads its words.
 *
 * Threads. A client belongs to the thread that made or adopted it, its owner. Only the owner
 * reads: the functions that wait, admission_client_next() and the descriptors. Any thread may
 * send: request, leave, cancel, cork. What is sent first is handled first, also across threads
 * and clients. Destroy when no other thread is inside a call with it.
 *
 * Life. A client ends with admission_client_destroy(), or with its owner thread, whichever
 * comes first; either gives back all that it held, in one step (H1). Not covered: the main
 * thread when main() returns, exit() and _exit(), which end the actor too. After a thread has
 * ended its clients' pointers are dead: let another thread admission_client_adopt() what is to
 * live on.
 *
 * Waiting. A function that waits goes on over signals (EINTR) and is a cancellation point; the
 * others are not. It does not give up by a clock of its own: the actor decides, and says so
 * (T6). To end a wait early, cancel the id from another thread: it is written out before
 * anything is sent, by an atomic store that others may watch with __atomic_load_n() and
 * __ATOMIC_ACQUIRE.
 *
 * Names have 1 to 255 bytes and end at the first NUL. Ids are made by the client, are never 0
 * and are never used twice. */
#ifndef ADMISSION_CLIENT_H
#define ADMISSION_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/actor.h"
#include "admission/event.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct admission_client admission_client_t;

/* What a ticket asks for. Begin with admission_ticket_default(); NULL means the same. */
struct admission_ticket {
    const char *provider;       /* NULL: none */
    const char *key;            /* NULL: none; one ticket of a key runs at a time (T1) */
    int64_t timeout_us;         /* in the queue: 0 to ADMISSION_NONE, or ADMISSION_DEFAULT: the
                                   limit (T6); 0 starts now or not at all (T5) */
    int64_t attempt_timeout_us; /* from its start until it is told to abort (T11); 0: never */
};

/* What a listener asks for. Begin with admission_listen_default(). */
struct admission_listen {
    const char *principal;
    int64_t max;           /* live ones of this principal, this included: 1 to 4294967294, or
                              ADMISSION_DEFAULT: the limit (L2) */
    bool refuse_when_full; /* be refused rather than supersede the oldest (L6) */
};

ADMISSION_EXPORT struct admission_ticket admission_ticket_default(void);
ADMISSION_EXPORT struct admission_listen admission_listen_default(const char *principal);

/* Opens a client of `actor`, owned by the calling thread. It may outlive the actor handle.
 * Returns ADMISSION_OK, ADMISSION_CLOSED, ADMISSION_FORKED, or ADMISSION_NO_RESOURCES: no
 * socket or descriptor could be had, errno says why (EMFILE also for `max_clients`). */
ADMISSION_EXPORT admission_status_t admission_client_new(
    admission_client_t **client, admission_actor_t *actor) ADMISSION_MUST_CHECK;

/* Ends the client, gives back all that it held (H1) and nulls the pointer; what it has not read
 * is gone. NULL, or a pointer to it, is fine. Any thread, while no other uses it. In a child
 * made by fork() it frees the handle and no more (admission_actor_destroy()). */
ADMISSION_EXPORT void admission_client_destroy(admission_client_t **client);

/* Makes the calling thread the owner. The former owner has stopped using it, and something -
 * a join, a lock - orders its last use before this call. Returns ADMISSION_OK,
 * ADMISSION_FORKED, or ADMISSION_NO_RESOURCES: no thread-specific data could be had. */
ADMISSION_EXPORT admission_status_t admission_client_adopt(admission_client_t *client)
    ADMISSION_MUST_CHECK;

/* The number by which admission_listener.owner and the statistics name this client: never used
 * twice by one actor. Any thread. */
ADMISSION_EXPORT uint64_t admission_client_number(const admission_client_t *client);

/* Tickets (rules T). */

/* Asks for a ticket and returns at once. Its one final word comes as an event, GRANTED or
 * REFUSED with `*id`; a granted one may later be told ABORT, once, and is held until
 * admission_client_leave(). Any thread. Returns
 *   ADMISSION_OK       sent, and `*id` (when `id` is not NULL) written before;
 *   ADMISSION_INVALID  a name or a duration is out of range;
 *   ADMISSION_BUSY     the credit is used up (admission_options.client_credit);
 *   ADMISSION_CLOSED   the actor has ended, and `*id`, which may be written, names nothing;
 *   ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_request_ticket(
    admission_client_t *client, const struct admission_ticket *ticket,
    uint64_t *id) ADMISSION_MUST_CHECK;

/* Asks for a ticket and waits for its final word. Other events that come meanwhile stay to be
 * read. Owner thread. `event`, when not NULL, is that word. Returns
 *   ADMISSION_OK       granted: `*id` is held until admission_client_leave();
 *   ADMISSION_REFUSED  `event->reason` says why;
 *   ADMISSION_FOREIGN_THREAD, or what admission_client_request_ticket() returns. */
ADMISSION_EXPORT admission_status_t
admission_client_admit_ticket(admission_client_t *client, const struct admission_ticket *ticket,
                              uint64_t *id, struct admission_event *event) ADMISSION_MUST_CHECK;

/* Listeners (rules L). */

/* Asks to be admitted as a live listener of a principal and returns at once. Its word comes as
 * an event, ADMITTED or REFUSED with `*id`; when it has to make room, or at close, one more
 * comes: SUPERSEDED or CLOSED. Otherwise it is live until admission_client_leave(). Any thread.
 * Returns as admission_client_request_ticket(). */
ADMISSION_EXPORT admission_status_t admission_client_request_listener(
    admission_client_t *client, const struct admission_listen *listen,
    uint64_t *id) ADMISSION_MUST_CHECK;

/* The same, and waits for the word, which never takes longer than the actor's turn (L1). Owner
 * thread. Returns ADMISSION_OK (admitted), or as admission_client_admit_ticket(). */
ADMISSION_EXPORT admission_status_t admission_client_admit_listener(
    admission_client_t *client, const struct admission_listen *listen, uint64_t *id,
    struct admission_event *event) ADMISSION_MUST_CHECK;

/* Ending what was admitted. None waits, none has an answer, none is ever refused for want of
 * credit, and after the actor's end each does nothing and returns ADMISSION_OK. Any thread. */

/* Gives back a running ticket's slot (T10), takes a queued ticket out, or ends a listener (L4).
 * Of anything else nothing happens. Returns ADMISSION_OK or ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_leave(admission_client_t *client,
                                                           uint64_t id);

/* Ends all listeners of `principal` that this client owns (L4). Returns ADMISSION_OK,
 * ADMISSION_INVALID or ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_leave_principal(admission_client_t *client,
                                                                     const char *principal);

/* Cancels a ticket (T9): a queued one is REFUSED, a running one is told ABORT and keeps its
 * slot until it leaves. Of anything else nothing happens. Returns ADMISSION_OK or
 * ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_cancel(admission_client_t *client,
                                                            uint64_t id);

/* Questions. */

/* Asks who is live for `principal`, of all clients (L5), and returns at once; the answer is an
 * event LIVE with `*id`. Any thread. Returns as admission_client_request_ticket(). */
ADMISSION_EXPORT admission_status_t admission_client_request_live(
    admission_client_t *client, const char *principal, uint64_t *id) ADMISSION_MUST_CHECK;

/* The same, and waits for the answer: `event->live` and `event->n_live`. Owner thread. Returns
 * ADMISSION_OK, ADMISSION_FOREIGN_THREAD, or as admission_client_request_live(). */
ADMISSION_EXPORT admission_status_t
admission_client_live(admission_client_t *client, const char *principal,
                      struct admission_event *event) ADMISSION_MUST_CHECK;

/* Reading. */

/* Reads the next event, waiting for it at most `timeout_us` by the actor's clock: 0 looks
 * only, ADMISSION_NONE waits for ever. Owner thread. Returns
 *   ADMISSION_OK              `*event` is filled;
 *   ADMISSION_EMPTY           none came in time;
 *   ADMISSION_CLOSED          the actor has ended and everything has been read;
 *   ADMISSION_INVALID         `timeout_us` is negative;
 *   ADMISSION_FOREIGN_THREAD, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t
admission_client_next(admission_client_t *client, int64_t timeout_us,
                      struct admission_event *event) ADMISSION_MUST_CHECK;

/* A descriptor for poll(), epoll, libuv and the like, level-triggered: readable as long as
 * admission_client_next() would not return ADMISSION_EMPTY. Never read, write or close it; it
 * is the client's, made at the first call, and takes two more descriptors. Owner thread.
 * Returns ADMISSION_OK, ADMISSION_NO_RESOURCES, ADMISSION_FOREIGN_THREAD, ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_fd(admission_client_t *client,
                                                        int *fd) ADMISSION_MUST_CHECK;

/* The client's raw ZeroMQ socket, to poll for reading with zmq_poll(), zpoller or zloop: one
 * message can hold many events, so call admission_client_next() with 0 until it returns
 * ADMISSION_EMPTY before polling again, and after any call that waits. Never receive from it,
 * or send, or close it. Owner thread. */
ADMISSION_EXPORT void *admission_client_socket(admission_client_t *client);

/* Batches. */

/* Holds back what is sent from now on, to send many requests as one message; 64 requests or 4
 * KiB go at once all the same. Nothing that is held back has been sent: others may come before
 * it. While the owner waits inside a call nothing is held back, whichever thread sends it: a
 * call that waits first sends what was, and holding back goes on when it returns. Any thread.
 */
ADMISSION_EXPORT void admission_client_cork(admission_client_t *client);

/* Sends what was held back, and holds back no longer. Any thread. Returns ADMISSION_OK, or
 * ADMISSION_CLOSED: the actor has ended, and what was held back will have no answer;
 * ADMISSION_FORKED. */
ADMISSION_EXPORT admission_status_t admission_client_uncork(admission_client_t *client);

#ifdef __cplusplus
}
#endif

#endif
