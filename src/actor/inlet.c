/* See actor/inlet.h. */
#include "actor/inlet.h"

#include "actor/socket.h"
#include "actor/spin.h"
#include "base/assert.h"

static const char ENDPOINT[] = "inproc://inlet";

int adm_inlet_init(struct adm_inlet *inlet, void *context, int capacity)
{
    *inlet = (struct adm_inlet){.n_taken = 0};
    atomic_init(&inlet->is_ended, false);
    atomic_init(&inlet->bell, 0);
    const int error =
        adm_socket_pair(context, ENDPOINT, capacity, &inlet->sender, &inlet->receiver);
    if (error != 0) {
        return error;
    }
    inlet->fd = adm_socket_fd(inlet->receiver);
    zmq_msg_init(&inlet->message);
    ADM_ASSERT(pthread_mutex_init(&inlet->lock, NULL) == 0);
    return 0;
}

void adm_inlet_deinit(struct adm_inlet *inlet)
{
    adm_socket_close(inlet->sender);
    pthread_mutex_destroy(&inlet->lock);
}

/* Looks before the lock, so that senders who go on after the end cannot keep it from the actor;
 * and again behind it, so that nothing goes in once the actor has had it. */
bool adm_inlet_send(struct adm_inlet *inlet, const void *bytes, size_t size)
{
    if (adm_inlet_has_ended(inlet)) {
        return false;
    }
    pthread_mutex_lock(&inlet->lock);
    const bool is_open = !adm_inlet_has_ended(inlet);
    if (is_open) {
        adm_socket_send(inlet->sender, bytes, size, 0);
        adm_bell_ring(&inlet->bell);
    }
    pthread_mutex_unlock(&inlet->lock);
    return is_open;
}

static bool receive(struct adm_inlet *inlet)
{
    if (!adm_socket_receive(inlet->receiver, &inlet->message)) {
        return false;
    }
    inlet->n_taken++;
    return true;
}

/* Whether more has been sent than taken; looks at the bell only when it may have to. */
static bool has_more(struct adm_inlet *inlet)
{
    if (adm_bell_is_ahead(inlet->n_rung, inlet->n_taken)) {
        return true;
    }
    inlet->n_rung = atomic_load_explicit(&inlet->bell, memory_order_acquire);
    return adm_bell_is_ahead(inlet->n_rung, inlet->n_taken);
}

bool adm_inlet_take(struct adm_inlet *inlet, const uint8_t **bytes, size_t *size)
{
    if (!inlet->is_waiting && !(has_more(inlet) && receive(inlet))) {
        return false;
    }
    inlet->is_waiting = false;
    *bytes = zmq_msg_data(&inlet->message);
    *size = zmq_msg_size(&inlet->message);
    return true;
}

bool adm_inlet_arm(struct adm_inlet *inlet)
{
    if (!inlet->is_waiting) {
        inlet->is_waiting = receive(inlet);
    }
    return inlet->is_waiting;
}

bool adm_inlet_try_end(struct adm_inlet *inlet)
{
    atomic_store_explicit(&inlet->is_ended, true, memory_order_release);
    if (pthread_mutex_trylock(&inlet->lock) != 0) {
        return false;
    }
    pthread_mutex_unlock(&inlet->lock);
    return true;
}

void adm_inlet_close_receiver(struct adm_inlet *inlet)
{
    zmq_msg_close(&inlet->message);
    adm_socket_close(inlet->receiver);
}
