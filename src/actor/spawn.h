/* How the library starts its threads. */
#ifndef ADM_ACTOR_SPAWN_H
#define ADM_ACTOR_SPAWN_H

#include <pthread.h>

/* Starts a thread called `name` (at most 15 bytes) with all signals blocked: no handler of the
 * host's runs in a thread of ours. Returns 0 or an errno. Join it. */
int adm_spawn(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

#endif
