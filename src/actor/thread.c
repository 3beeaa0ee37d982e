/* See actor/thread.h. Not a zactor: that one hangs when no thread can be had, and its start
 * replaces the host's signal handlers. */
#include "actor/thread.h"

#include <stdlib.h>

#include "actor/loop.h"
#include "actor/spawn.h"
#include "actor/zmq_port.h"
#include "base/memory.h"

struct start {
    struct adm_hub *hub;
    struct adm_machine *machine;
};

static void *run(void *arg)
{
    const struct start start = *(struct start *)arg;
    free(arg);
    struct adm_zmq_port port;
    adm_zmq_port_init(&port, start.hub);
    struct adm_loop *loop = adm_loop_new(&port.port, start.machine);
    adm_zmq_port_enter();
    while (adm_loop_turn(loop)) {
    }
    adm_zmq_port_end(&port, &loop);
    adm_zmq_port_deinit(&port);
    adm_clock_release(&start.hub->clock);
    return NULL;
}

int adm_thread_start(pthread_t *thread, struct adm_hub *hub, struct adm_machine *machine)
{
    struct start *start = adm_memory_new(1, sizeof *start);
    *start = (struct start){.hub = hub, .machine = machine};
    adm_clock_hold(&hub->clock); /* the thread's */
    const int error = adm_spawn(thread, "admission", run, start);
    if (error != 0) {
        adm_clock_release(&hub->clock);
        free(start);
    }
    return error;
}
