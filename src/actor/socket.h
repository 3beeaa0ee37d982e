/* The few things we ask of raw ZeroMQ sockets, with their traps seen to
 * (docs/decisions/sockets.md).
 *
 * PAIR sockets over inproc in a private context. Callers have disabled cancellation: a thread
 * cancelled inside a send leaves the pipe deaf for ever. */
#ifndef ADM_ACTOR_SOCKET_H
#define ADM_ACTOR_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <zmq.h>

/* Makes two connected sockets; `endpoint` has never been used in `context`. Messages flow from
 * `sender` to `receiver`, which hold at most `capacity` (0: no bound). Returns 0 or an errno,
 * and then leaves nothing behind. */
int adm_socket_pair(void *context, const char *endpoint, int capacity, void **sender,
                    void **receiver);

void adm_socket_close(void *socket);

/* Sends, over interruptions; false when `flags` has ZMQ_DONTWAIT and it would have to wait. */
bool adm_socket_send(void *socket, const void *bytes, size_t size, int flags);

/* Receives into `message`, which is initialised; false when there is nothing. */
bool adm_socket_receive(void *socket, zmq_msg_t *message);

/* Receives all that is there, and drops it. */
void adm_socket_drain(void *socket);

/* The edge-triggered descriptor: arm it with adm_socket_is_readable() before sleeping on it. */
int adm_socket_fd(void *socket);
bool adm_socket_is_readable(void *socket);

#endif
