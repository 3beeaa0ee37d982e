/* The ordered inlet: one inproc pipe for all that is sent to the actor, behind a mutex.
 *
 * A ROUTER or PULL socket reads its peers in turn, so a leave sent before another client's
 * admit could be handled after it. Through one pipe, messages are handled in the order of their
 * sends, across threads (measured: docs/design.md). A full pipe makes the sender wait, and with
 * it all the others: the actor never waits for anybody, so that is microseconds.
 *
 * `bell` counts what has been sent. The actor looks at it rather than at the socket, for an
 * empty receive is what is expensive in libzmq, not a message. */
#ifndef ADM_ACTOR_INLET_H
#define ADM_ACTOR_INLET_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

enum {
    ADM_CACHE_LINE = 128
}; /* two of 64: processors fetch them in pairs */

struct adm_inlet {
    /* the senders' side */
    pthread_mutex_t lock;
    void *sender;
    atomic_bool is_ended; /* set by the actor, and looked at before the lock too */

    alignas(ADM_CACHE_LINE) atomic_uint bell;

    /* the actor's side */
    alignas(ADM_CACHE_LINE) void *receiver;
    unsigned n_taken;
    unsigned n_rung; /* as the bell said when it was last looked at, which costs */
    zmq_msg_t message;
    bool is_waiting; /* `message` came while arming the descriptor, and has not been taken */
    int fd;
};

/* Makes both ends in `context`; returns 0 or an errno. `capacity` is in messages. */
int adm_inlet_init(struct adm_inlet *inlet, void *context, int capacity);

/* Closes the senders' end; the actor's end has been closed. */
void adm_inlet_deinit(struct adm_inlet *inlet);

/* Sends one message, waiting while the pipe is full. Returns false, and sends nothing, once the
 * inlet has ended. Any thread, with cancellation disabled. */
bool adm_inlet_send(struct adm_inlet *inlet, const void *bytes, size_t size);

/* Has its end begun? Then nothing can be sent any more. Any thread. */
static inline bool adm_inlet_has_ended(const struct adm_inlet *inlet)
{
    return atomic_load_explicit(&inlet->is_ended, memory_order_acquire);
}

/* The actor's side. */

/* The next message, valid until the next call; false when there is none. */
bool adm_inlet_take(struct adm_inlet *inlet, const uint8_t **bytes, size_t *size);

/* Must be called, and return false, before sleeping on `fd`: true says that a message is there.
 */
bool adm_inlet_arm(struct adm_inlet *inlet);

/* Ends the inlet: who comes from now on is turned away. False while a sender is still inside,
 * who may be waiting for room, so take and try again; when it is true, nothing more comes in.
 * So the end takes no longer than what the pipe holds and the senders who are inside. */
bool adm_inlet_try_end(struct adm_inlet *inlet);

/* Closes the actor's end. */
void adm_inlet_close_receiver(struct adm_inlet *inlet);

#endif
