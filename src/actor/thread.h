/* The actor's own thread. */
#ifndef ADM_ACTOR_THREAD_H
#define ADM_ACTOR_THREAD_H

#include <pthread.h>

#include "actor/hub.h"
#include "core/machine.h"

/* Starts a thread, with all signals blocked, that runs the loop over `hub` and `machine` until
 * END. Returns 0, and then the machine is the thread's; or an errno. Join it before the last
 * reference to the hub is released. */
int adm_thread_start(pthread_t *thread, struct adm_hub *hub, struct adm_machine *machine);

#endif
