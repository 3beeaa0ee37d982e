/* A program that ends in many ways, with an actor and clients left open: `host WAY`. It exits
 * with 0 unless a call went wrong. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "admission.h"

static admission_actor_t *actor;

static admission_client_t *open_client(void)
{
    admission_client_t *client = NULL;
    if (admission_client_new(&client, actor) != ADMISSION_OK) {
        _exit(3);
    }
    return client;
}

/* Holds a ticket, and waits for a listener to be superseded, which nobody does. */
static void *be_blocked(void *arg)
{
    admission_client_t *client = open_client();
    const struct admission_listen listen = admission_listen_default("ann");
    struct admission_event event;
    (void)arg;
    if (admission_client_admit_ticket(client, NULL, NULL, NULL) != ADMISSION_OK ||
        admission_client_admit_listener(client, &listen, NULL, NULL) != ADMISSION_OK) {
        _exit(4);
    }
    while (admission_client_next(client, ADMISSION_NONE, &event) == ADMISSION_OK) {
    }
    return NULL;
}

static void *be_busy(void *arg)
{
    admission_client_t *client = open_client();
    (void)arg;
    for (;;) {
        uint64_t id;
        if (admission_client_admit_ticket(client, NULL, &id, NULL) == ADMISSION_OK) {
            (void)admission_client_leave(client, id);
        }
    }
    return NULL;
}

static void *exit_here(void *arg)
{
    (void)arg;
    (void)open_client();
    exit(0);
}

static void start_threads(void *(*function)(void *), int n)
{
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, function, NULL) != 0) {
            _exit(5);
        }
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (admission_actor_new(&actor, NULL, NULL) != ADMISSION_OK) {
        return 2;
    }
    admission_client_t *client = open_client();
    if (admission_client_admit_ticket(client, NULL, NULL, NULL) != ADMISSION_OK) {
        return 2;
    }
    if (strcmp(way, "exit") == 0) {
        exit(0);
    } else if (strcmp(way, "exit-in-thread") == 0) {
        start_threads(exit_here, 1);
        pause();
    } else if (strcmp(way, "exit-while-blocked") == 0) {
        start_threads(be_blocked, 5);
    } else if (strcmp(way, "under-load") == 0) {
        start_threads(be_busy, 4);
    } else if (strcmp(way, "quick") == 0) {
        _exit(0);
    } else if (strcmp(way, "pthread-exit") == 0) {
        start_threads(exit_here, 1);
        pthread_exit(NULL);
    } else if (strcmp(way, "in-order") == 0) {
        admission_client_destroy(&client);
        admission_actor_destroy(&actor);
    }
    return 0;
}
