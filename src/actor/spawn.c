/* See actor/spawn.h. A thread begins with the signals of its maker blocked, so they are blocked
 * here for as long as it is being made. */
#include "actor/spawn.h"

#include <signal.h>

int adm_spawn(pthread_t *thread, const char *name, void *(*run)(void *), void *arg)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) {
        pthread_setname_np(*thread, name);
    }
    return error;
}
