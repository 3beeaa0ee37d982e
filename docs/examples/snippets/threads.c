/* The clients across threads of docs/embedding.md: a wait that is called off, a client that
 * changes hands, requests that travel together. */
#include <admission.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void must(admission_status_t status)
{
    if (status != ADMISSION_OK) {
        fprintf(stderr, "threads: %s\n", admission_status_text(status));
        exit(1);
    }
}

struct job {
    admission_client_t *client;
    _Atomic uint64_t ticket; /* 0: not asked for yet */
};

/* Waits for the job's ticket; the client's owner. Returns the final word on it. */
static struct admission_event await_ticket(struct job *job)
{
    uint64_t id;
    must(admission_client_request_ticket(job->client, NULL, &id));
    atomic_store(&job->ticket, id);
    struct admission_event event;
    do {
        must(admission_client_next(job->client, ADMISSION_NONE, &event));
    } while (event.id != id); /* a program with more tickets handles the others here */
    return event;
}

/* Any other thread. A grant may have come first: then the word is an abort. */
static void call_off(struct job *job)
{
    admission_client_cancel(job->client, atomic_load(&job->ticket));
}

static void *call_off_when_asked(void *argument)
{
    struct job *job = argument;
    while (atomic_load(&job->ticket) == 0) {
        sched_yield();
    }
    call_off(job);
    return NULL;
}

static void show_a_wait_called_off(admission_client_t *client)
{
    struct job job = {.client = client};
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_off_when_asked, &job) != 0) {
        exit(1);
    }
    const struct admission_event event = await_ticket(&job);
    pthread_join(thread, NULL);
    printf("%s %s\n", admission_event_type_text(event.type),
           admission_reason_text(event.reason));
}

/* A worker that is handed a client: it owns it from here on, and takes it along at its end. */
static void *take_over(void *client)
{
    struct admission_event event;
    if (admission_client_next(client, 0, &event) != ADMISSION_FOREIGN_THREAD) {
        exit(1);
    }
    must(admission_client_adopt(client));
    must(admission_client_live(client, "ann", &event));
    printf("%d live, read by the new owner\n", (int)event.n_live);
    return NULL;
}

static void show_a_client_that_changes_hands(admission_client_t *client)
{
    const struct admission_listen listen = admission_listen_default("ann");
    must(admission_client_admit_listener(client, &listen, NULL, NULL));
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_over, client) != 0) {
        exit(1);
    }
    pthread_join(thread, NULL);
}

static void leave_all(admission_client_t *client, const uint64_t *ids, int n)
{
    admission_client_cork(client);
    for (int i = 0; i < n; i++) {
        admission_client_leave(client, ids[i]);
    }
    admission_client_uncork(client);
}

int main(void)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 3;
    admission_actor_t *actor;
    admission_client_t *client;
    must(admission_actor_new(&actor, &options, NULL));
    must(admission_client_new(&client, actor));

    uint64_t ids[3];
    for (int i = 0; i < 3; i++) {
        must(admission_client_admit_ticket(client, NULL, &ids[i], NULL));
    }
    show_a_wait_called_off(client);
    leave_all(client, ids, 3);
    show_a_client_that_changes_hands(client); /* and is gone with its thread */

    struct admission_stats stats;
    must(admission_actor_stats(actor, &stats));
    printf("%d running, %d live, %d client died with its thread\n", (int)stats.running,
           (int)stats.listeners, (int)stats.clients_died);
    admission_actor_destroy(&actor);
    return 0;
}
