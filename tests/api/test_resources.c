/* What cannot be had - threads, descriptors, clients - is a result with an errno, and nothing
 * is left behind: no hang, no abort, no leak. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "steps.h"

TestSuite(resources, .timeout = 60);

/* Threads: this pthread_create() stands before the system's, also for libzmq, and lets only so
 * many live at a time. */

static atomic_int threads_left = 1000000;

struct counted {
    void *(*function)(void *);
    void *arg;
};

static void *run_counted(void *arg)
{
    const struct counted counted = *(struct counted *)arg;
    free(arg);
    void *result = counted.function(counted.arg);
    atomic_fetch_add(&threads_left, 1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*function)(void *), void *arg)
{
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (create == NULL) {
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    }
    if (atomic_fetch_sub(&threads_left, 1) <= 0) {
        atomic_fetch_add(&threads_left, 1);
        return EAGAIN;
    }
    struct counted *counted = malloc(sizeof *counted);
    *counted = (struct counted){.function = function, .arg = arg};
    const int error = create(thread, attributes, run_counted, counted);
    if (error != 0) {
        free(counted);
        atomic_fetch_add(&threads_left, 1);
    }
    return error;
}

Test(resources, an_actor_that_finds_no_thread_is_not_started)
{
    finish(start()); /* whatever is made once, is made */
    const int before = n_descriptors();
    int n_failed = 0;
    for (int n = 0; n < 10; n++) {
        admission_actor_t *actor = NULL;
        atomic_store(&threads_left, n);
        errno = 0;
        const admission_status_t status = admission_actor_new(&actor, NULL, NULL);
        const int error = errno;
        if (status == ADMISSION_OK) {
            finish(actor);
        } else {
            cr_assert(status == ADMISSION_NO_RESOURCES && error == EAGAIN && actor == NULL);
            n_failed++;
        }
        cr_assert(n_descriptors() == before, "with %d threads", n);
    }
    cr_assert(n_failed == 2, "it needs two");
}

/* Descriptors. */

enum {
    LIMIT = 200
};

/* Leaves exactly `n` descriptors to be had. */
static void leave_descriptors(int n, int fillers[LIMIT], int *n_fillers)
{
    while ((fillers[*n_fillers] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        ++*n_fillers;
    }
    for (int i = 0; i < n; i++) {
        close(fillers[--*n_fillers]);
    }
}

static void give_back(const int fillers[LIMIT], int *n_fillers)
{
    while (*n_fillers > 0) {
        close(fillers[--*n_fillers]);
    }
}

static void limit_descriptors(void)
{
    struct rlimit limit;
    cr_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = LIMIT;
    cr_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

Test(resources, an_actor_that_finds_no_descriptors_is_not_started)
{
    int fillers[LIMIT];
    int n_fillers = 0;
    finish(start());
    limit_descriptors();
    const int before = n_descriptors();
    int n_failed = 0;
    for (int n = 0; n < 20; n++) {
        admission_actor_t *actor = NULL;
        leave_descriptors(n, fillers, &n_fillers);
        errno = 0;
        const admission_status_t status = admission_actor_new(&actor, NULL, NULL);
        const int error = errno;
        give_back(fillers, &n_fillers);
        if (status == ADMISSION_OK) {
            finish(actor);
        } else {
            cr_assert(status == ADMISSION_NO_RESOURCES && error == EMFILE && actor == NULL);
            n_failed++;
        }
        cr_assert(n_descriptors() == before, "with %d descriptors", n);
    }
    cr_assert(n_failed >= 1 && n_failed < 20);
}

Test(resources, a_client_that_finds_no_descriptors_is_not_opened_and_harms_nobody)
{
    int fillers[LIMIT];
    int n_fillers = 0;
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    limit_descriptors();
    int n_failed = 0;
    for (int n = 0; n < 4; n++) {
        admission_client_t *another = NULL;
        leave_descriptors(n, fillers, &n_fillers);
        errno = 0;
        const admission_status_t status = admission_client_new(&another, actor);
        const int error = errno;
        (void)grant_ticket(client); /* others go on meanwhile */
        give_back(fillers, &n_fillers);
        if (status == ADMISSION_OK) {
            (void)grant_ticket(another);
            close_client(another);
        } else {
            cr_assert(status == ADMISSION_NO_RESOURCES && error == EMFILE && another == NULL);
            n_failed++;
        }
    }
    cr_assert(n_failed >= 1 && n_failed < 4);
    close_client(client);
    finish(actor);
}

Test(resources, a_descriptor_that_cannot_be_had_is_told_and_may_be_asked_for_again)
{
    int fillers[LIMIT];
    int n_fillers = 0;
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    limit_descriptors();
    for (int n = 0; n < 2; n++) {
        int fd = -77;
        leave_descriptors(n, fillers, &n_fillers);
        errno = 0;
        cr_assert(admission_client_fd(client, &fd) == ADMISSION_NO_RESOURCES);
        cr_assert(errno == EMFILE && fd == -77);
        give_back(fillers, &n_fillers);
    }
    int fd = -1;
    cr_assert(admission_client_fd(client, &fd) == ADMISSION_OK && fd >= 0);
    close_client(client);
    finish(actor);
}

Test(resources, no_more_clients_are_opened_than_the_options_say)
{
    struct admission_options options;
    admission_options_init(&options);
    options.max_clients = 3;
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    admission_client_t *clients[3];
    for (int i = 0; i < 3; i++) {
        clients[i] = open_client(actor);
    }
    for (int round = 0; round < 10; round++) {
        admission_client_t *another = NULL;
        errno = 0;
        cr_assert(admission_client_new(&another, actor) == ADMISSION_NO_RESOURCES);
        cr_assert(errno == EMFILE && another == NULL);
        (void)grant_ticket(clients[0]);
        close_client(clients[0]);
        clients[0] = open_client(actor); /* at once: whoever has gone makes room */
    }
    for (int i = 0; i < 3; i++) {
        close_client(clients[i]);
    }
    finish(actor);
}
