/* See actor/probe.h. The threads are there at the same time, or two could be one after the
 * other where only one can be had. */
#include "actor/probe.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "actor/spawn.h"
#include "base/assert.h"

enum {
    N_THREADS = 2,     /* the reaper's and the actor's */
    N_DESCRIPTORS = 6, /* a flag, two mailboxes and an epoll of the context, the inlet's two */
};

static int probe_descriptors(void)
{
    int fds[N_DESCRIPTORS];
    int n = 0;
    int error = 0;
    while (n < N_DESCRIPTORS && error == 0) {
        fds[n] = eventfd(0, EFD_CLOEXEC);
        error = fds[n] == -1 ? errno : 0;
        n += error == 0;
    }
    while (n > 0) {
        close(fds[--n]);
    }
    return error;
}

/* Stays until the gate is open. */
static void *stay(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

static int probe_threads(void)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[N_THREADS];
    int n = 0;
    int error = 0;
    pthread_mutex_lock(&gate);
    while (n < N_THREADS && error == 0) {
        error = adm_spawn(&threads[n], "admission-probe", stay, &gate);
        n += error == 0;
    }
    pthread_mutex_unlock(&gate);
    while (n > 0) {
        ADM_ASSERT(pthread_join(threads[--n], NULL) == 0);
    }
    pthread_mutex_destroy(&gate);
    return error;
}

int adm_probe(void)
{
    const int error = probe_descriptors();
    return error != 0 ? error : probe_threads();
}
