/* See actor/zmq_port.h. */
#include "actor/zmq_port.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "actor/loop.h"
#include "actor/socket.h"
#include "base/memory.h"

static struct adm_zmq_port *self(struct adm_port *port)
{
    return (struct adm_zmq_port *)port; /* its first member */
}

static int64_t elapsed(struct adm_port *port)
{
    return adm_clock_elapsed(&self(port)->hub->clock);
}

static int64_t wall(struct adm_port *port)
{
    return adm_clock_now(&self(port)->hub->clock);
}

static bool take(struct adm_port *port, const uint8_t **bytes, size_t *size)
{
    return adm_inlet_take(&self(port)->hub->inlet, bytes, size);
}

static bool wait_for(struct adm_port *port, int64_t until)
{
    struct adm_zmq_port *zmq = self(port);
    struct adm_inlet *inlet = &zmq->hub->inlet;
    const struct adm_clock *clock = &zmq->hub->clock;
    if (adm_spin(&zmq->spinner, &zmq->hub->spin, &inlet->bell, inlet->n_taken, until) ||
        adm_inlet_arm(inlet)) {
        return false;
    }
    if (zmq->pipe == NULL) {
        struct pollfd fd = {.fd = inlet->fd, .events = POLLIN};
        adm_clock_wait(clock, &fd, 1, until);
    } else if (!adm_socket_is_readable(zmq->pipe)) {
        struct pollfd fds[] = {
            {.fd = inlet->fd, .events = POLLIN},
            {.fd = adm_socket_fd(zmq->pipe), .events = POLLIN},
        };
        adm_clock_wait(clock, fds, 2, until);
    } else {
        return false;
    }
    return true;
}

static bool open_line(struct adm_port *port, uint32_t handle, uint64_t *number)
{
    struct adm_zmq_port *zmq = self(port);
    struct adm_line *line = adm_hub_take_up(zmq->hub, handle);
    if (line == NULL) {
        return false;
    }
    zmq->lines =
        adm_memory_reserve(zmq->lines, &zmq->room, (size_t)handle + 1, sizeof *zmq->lines);
    while (zmq->n_lines <= handle) {
        zmq->lines[zmq->n_lines++] = NULL;
    }
    zmq->lines[handle] = line;
    *number = line->number;
    return true;
}

/* The account goes first, words before holdings before requests: so a client that reads it the
 * other way round never thinks that it has less outstanding than it has. */
static void deliver(struct adm_port *port, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account)
{
    struct adm_line *line = self(port)->lines[handle];
    atomic_store_explicit(&line->n_words, account->n_words, memory_order_release);
    atomic_store_explicit(&line->n_held, account->n_held, memory_order_release);
    atomic_store_explicit(&line->n_asked, account->n_asked, memory_order_release);
    if (size > 0) {
        /* the bell first: whom the descriptor wakes must find it rung, or would sleep again */
        adm_bell_ring(&line->bell);
        (void)adm_socket_send(line->sender, bytes, size, ZMQ_DONTWAIT);
    }
}

static void hang_up(struct adm_port *port, uint32_t handle)
{
    struct adm_zmq_port *zmq = self(port);
    struct adm_line *line = zmq->lines[handle];
    zmq->lines[handle] = NULL;
    if (!zmq->is_ended) { /* else its client still looks at the line */
        adm_hub_hang_up(zmq->hub, line);
    }
}

static void tell_closed(struct adm_port *port)
{
    adm_hub_tell_closed(self(port)->hub);
}

static void answer(struct adm_port *port, uint64_t call, const struct adm_answer *answer)
{
    struct adm_zmq_port *zmq = self(port);
    if (call == ADM_PIPE_CALL) {
        zmq->answer_pipe(zmq, answer);
    } else {
        adm_calls_answer(&zmq->hub->calls, call, answer);
    }
}

void adm_zmq_port_init(struct adm_zmq_port *port, struct adm_hub *hub)
{
    *port = (struct adm_zmq_port){
        .port = {.elapsed = elapsed,
                 .wall = wall,
                 .take = take,
                 .wait = wait_for,
                 .open = open_line,
                 .deliver = deliver,
                 .hang_up = hang_up,
                 .tell_closed = tell_closed,
                 .answer = answer},
        .hub = hub,
    };
    adm_spinner_init(&port->spinner);
}

void adm_zmq_port_deinit(struct adm_zmq_port *port)
{
    free(port->lines);
}

void adm_zmq_port_enter(void)
{
    const unsigned long least_slack_ns = 1;
    (void)prctl(PR_SET_TIMERSLACK, least_slack_ns, 0, 0, 0); /* 50 us by default */
}

void adm_zmq_port_end(struct adm_zmq_port *port, struct adm_loop **loop)
{
    while (!adm_inlet_try_end(&port->hub->inlet)) {
        adm_loop_drain(*loop);
    }
    adm_loop_drain(*loop);
    port->is_ended = true;
    adm_loop_destroy(loop);
    adm_calls_end(&port->hub->calls);
    adm_inlet_close_receiver(&port->hub->inlet);
}
