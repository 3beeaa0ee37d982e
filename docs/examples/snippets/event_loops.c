/* The loops of docs/embedding.md: a client in zmq_poll(), zloop and epoll, until the actor
 * ends.
 */
#include <admission.h>
#include <czmq.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>

static sem_t granted;

static void handle_event(const struct admission_event *event)
{
    printf("%s\n", admission_event_type_text(event->type));
    if (event->type == ADMISSION_EVENT_GRANTED) {
        sem_post(&granted);
    }
}

/* Handles all events that are there; false once the actor has ended. */
static bool handle_events(admission_client_t *client)
{
    struct admission_event event;
    admission_status_t status;
    while ((status = admission_client_next(client, 0, &event)) == ADMISSION_OK) {
        handle_event(&event);
    }
    return status == ADMISSION_EMPTY;
}

static void run_zmq_poll(admission_client_t *client)
{
    zmq_pollitem_t items[] = {
        {.socket = admission_client_socket(client), .events = ZMQ_POLLIN},
        /* and the program's own sockets */
    };
    while (handle_events(client)) { /* first, and after every wake-up */
        zmq_poll(items, 1, -1);
    }
}

static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *client)
{
    (void)loop;
    (void)item;
    return handle_events(client) ? 0 : -1; /* -1 ends the loop */
}

static void run_zloop(admission_client_t *client)
{
    zloop_t *loop = zloop_new();
    zmq_pollitem_t item = {.socket = admission_client_socket(client), .events = ZMQ_POLLIN};
    zloop_poller(loop, &item, on_readable, client);
    if (handle_events(client)) {
        zloop_start(loop);
    }
    zloop_destroy(&loop);
}

static void run_epoll(admission_client_t *client)
{
    int fd;
    if (admission_client_fd(client, &fd) != ADMISSION_OK) {
        return;
    }
    const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event ready = {.events = EPOLLIN, .data.ptr = client};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ready);
    admission_status_t status = ADMISSION_OK;
    while (status != ADMISSION_CLOSED) {
        epoll_wait(epoll_fd, &ready, 1, -1);
        struct admission_event event;
        status = admission_client_next(client, 0, &event); /* one is enough: level-triggered */
        if (status == ADMISSION_OK) {
            handle_event(&event);
        }
    }
    close(epoll_fd);
}

static void *end_when_granted(void *actor)
{
    sem_wait(&granted);
    admission_actor_destroy((admission_actor_t **)actor);
    return NULL;
}

static int try_loop(const char *name, void (*run)(admission_client_t *client))
{
    admission_actor_t *actor;
    admission_client_t *client;
    pthread_t thread;
    if (admission_actor_new(&actor, NULL, NULL) != ADMISSION_OK ||
        admission_client_new(&client, actor) != ADMISSION_OK ||
        admission_client_request_ticket(client, NULL, NULL) != ADMISSION_OK ||
        pthread_create(&thread, NULL, end_when_granted, &actor) != 0) {
        return 1;
    }
    run(client);
    printf("%s: the actor has ended\n", name);
    admission_client_destroy(&client);
    pthread_join(thread, NULL);
    return 0;
}

int main(void)
{
    sem_init(&granted, 0, 0);
    return try_loop("zmq_poll", run_zmq_poll) || try_loop("zloop", run_zloop) ||
           try_loop("epoll", run_epoll);
}
