/* A listener cap across threads: five streams of one principal, of which two may be live.
 *
 * Each stream is a thread with a client of its own. The stream that a newer one supersedes is
 * told so by an event, and ends itself: nobody else touches it. */
#include <admission.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    N_STREAMS = 5,
    CAP = 2
};

static admission_actor_t *actor;
static sem_t admitted;

/* What an example does where a server would handle the error. */
static void must(admission_status_t status)
{
    if (status != ADMISSION_OK) {
        fprintf(stderr, "listener_cap: %s\n", admission_status_text(status));
        exit(1);
    }
}

/* Sends a chunk every 10 ms until the actor has something to say: the wait for the next event
 * is also the wait for the next chunk. */
static struct admission_event stream_until_told(admission_client_t *client)
{
    struct admission_event event;
    admission_status_t status;
    do {
        /* here a server would write a chunk to its connection */
        status = admission_client_next(client, ADMISSION_MS(10), &event);
    } while (status == ADMISSION_EMPTY);
    must(status);
    return event;
}

static void *stream(void *unused)
{
    (void)unused;
    admission_client_t *client;
    must(admission_client_new(&client, actor));

    struct admission_listen listen = admission_listen_default("ann");
    listen.max = CAP;
    struct admission_event event;
    must(admission_client_admit_listener(client, &listen, NULL, &event));
    const unsigned order = (unsigned)event.order;
    printf("stream %u: admitted\n", order);
    sem_post(&admitted);

    event = stream_until_told(client);
    printf("stream %u: %s, ends\n", order, admission_event_type_text(event.type));

    /* A stream that ends by itself - its peer hung up, say - leaves here or just destroys its
     * client; one that was superseded is out already, and leaving would do nothing. */
    admission_client_destroy(&client);
    return NULL;
}

int main(void)
{
    must(admission_actor_new(&actor, NULL, NULL));
    sem_init(&admitted, 0, 0);

    pthread_t threads[N_STREAMS];
    for (int i = 0; i < N_STREAMS; i++) {
        if (pthread_create(&threads[i], NULL, stream, NULL) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < N_STREAMS; i++) {
        sem_wait(&admitted);
    }

    /* The two that are still live are told that the actor closes. */
    must(admission_actor_close(actor, 0));
    for (int i = 0; i < N_STREAMS; i++) {
        pthread_join(threads[i], NULL);
    }

    struct admission_stats stats;
    must(admission_actor_stats(actor, &stats));
    printf("%d admitted, %d superseded, %d live to the end\n", (int)stats.listeners_admitted,
           (int)stats.listeners_superseded, (int)stats.listeners_closed);

    admission_actor_destroy(&actor);
    sem_destroy(&admitted);
    return 0;
}
