/* See actor/socket.h. */
#include "actor/socket.h"

#include <errno.h>

#include "base/assert.h"

void adm_socket_close(void *socket)
{
    ADM_ASSERT(zmq_close(socket) == 0);
}

static void *new_socket(void *context, int option, int capacity)
{
    void *socket = zmq_socket(context, ZMQ_PAIR);
    if (socket == NULL) {
        return NULL;
    }
    const int none = 0;
    const int no_end = 0;
    ADM_ASSERT(zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none) == 0);
    ADM_ASSERT(zmq_setsockopt(socket, ZMQ_SNDHWM, &no_end, sizeof no_end) == 0);
    ADM_ASSERT(zmq_setsockopt(socket, ZMQ_RCVHWM, &no_end, sizeof no_end) == 0);
    ADM_ASSERT(zmq_setsockopt(socket, option, &capacity, sizeof capacity) == 0);
    return socket;
}

/* Both ends add to the capacity of an inproc pipe, so each gets half of it. */
int adm_socket_pair(void *context, const char *endpoint, int capacity, void **sender,
                    void **receiver)
{
    void *to = new_socket(context, ZMQ_RCVHWM, capacity - capacity / 2);
    if (to == NULL) {
        return errno;
    }
    void *from = new_socket(context, ZMQ_SNDHWM, capacity / 2);
    if (from == NULL || zmq_bind(to, endpoint) != 0 || zmq_connect(from, endpoint) != 0) {
        const int error = errno;
        if (from != NULL) {
            adm_socket_close(from);
        }
        adm_socket_close(to);
        return error;
    }
    *sender = from;
    *receiver = to;
    return 0;
}

bool adm_socket_send(void *socket, const void *bytes, size_t size, int flags)
{
    while (zmq_send(socket, bytes, size, flags) < 0) {
        if (errno == EAGAIN) {
            return false;
        }
        ADM_ASSERT(errno == EINTR);
    }
    return true;
}

bool adm_socket_receive(void *socket, zmq_msg_t *message)
{
    while (zmq_msg_recv(message, socket, ZMQ_DONTWAIT) < 0) {
        if (errno == EAGAIN) {
            return false;
        }
        ADM_ASSERT(errno == EINTR);
    }
    return true;
}

void adm_socket_drain(void *socket)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    while (adm_socket_receive(socket, &message)) {
    }
    zmq_msg_close(&message);
}

int adm_socket_fd(void *socket)
{
    int fd;
    size_t size = sizeof fd;
    ADM_ASSERT(zmq_getsockopt(socket, ZMQ_FD, &fd, &size) == 0);
    return fd;
}

bool adm_socket_is_readable(void *socket)
{
    int events;
    size_t size = sizeof events;
    while (zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) != 0) {
        ADM_ASSERT(errno == EINTR);
    }
    return (events & ZMQ_POLLIN) != 0;
}
