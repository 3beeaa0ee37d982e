/* The loop's port in production: the hub's inlet, lines and clock. */
#ifndef ADM_ACTOR_ZMQ_PORT_H
#define ADM_ACTOR_ZMQ_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/hub.h"
#include "actor/port.h"

struct adm_loop;

/* Answers to calls of this number go to `answer_pipe`, not to adm_calls: they were read from
 * the pipe of a zactor. */
#define ADM_PIPE_CALL UINT64_MAX

struct adm_zmq_port {
    struct adm_port port;
    struct adm_hub *hub;
    struct adm_line **lines; /* of the open handles, by number */
    size_t n_lines;
    size_t room;
    bool is_ended;
    struct adm_spinner spinner;

    /* A zactor's pipe that also ends the wait; NULL: none. */
    void *pipe;
    void (*answer_pipe)(struct adm_zmq_port *port, const struct adm_answer *answer);
};

/* `hub` outlives the port. Only the thread that runs the loop uses it from then on. */
void adm_zmq_port_init(struct adm_zmq_port *port, struct adm_hub *hub);
void adm_zmq_port_deinit(struct adm_zmq_port *port);

/* Prepares the calling thread to wait as precisely as the system can. */
void adm_zmq_port_enter(void);

/* The end: lets nothing more in, handles what is there, ends the loop and every call. Others
 * may go on sending: what that adds is bounded (adm_inlet_try_end()). */
void adm_zmq_port_end(struct adm_zmq_port *port, struct adm_loop **loop);

#endif
