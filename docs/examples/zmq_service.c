/* A ZeroMQ service: a ROUTER on ipc, worker threads behind it, and each request admitted per
 * client identity - one at a time - and per upstream. Who is not admitted is told "busy".
 * main() plays the clients, and an upstream that answers when it is told to. */
#include <admission.h>
#include <czmq.h>
#include <semaphore.h>

enum {
    N_WORKERS = 4
};

static admission_actor_t *actor;
static zsock_t *requests; /* what the workers take from, one at a time */
static pthread_mutex_t requests_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t upstream_called, upstream_may_answer;

/* Does the work of one request, if it is admitted, and returns the answer. */
static const char *serve(admission_client_t *client, const char *identity, const char *upstream)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = identity;
    ticket.provider = upstream;
    ticket.timeout_us = 0; /* now or not at all; a longer one lets the request wait its turn */
    uint64_t id;
    struct admission_event event;
    const admission_status_t status =
        admission_client_admit_ticket(client, &ticket, &id, &event);
    if (status == ADMISSION_OK) {
        sem_post(&upstream_called); /* here a service would call its upstream */
        sem_wait(&upstream_may_answer);
        admission_client_leave(client, id); /* first: who reads the answer may ask again */
        return "done";
    }
    const bool is_busy =
        status == ADMISSION_REFUSED && event.reason == ADMISSION_REASON_TIMEOUT;
    return is_busy ? "busy" : "bad request"; /* no such upstream, say */
}

/* A request - identity, upstream - or the one frame that says stop. */
static zmsg_t *take_request(void)
{
    pthread_mutex_lock(&requests_lock);
    zmsg_t *request = zmsg_recv(requests);
    pthread_mutex_unlock(&requests_lock);
    return request;
}

static void *work(void *unused)
{
    admission_client_t *client; /* its own, for only the thread that opened it reads */
    if (admission_client_new(&client, actor) != ADMISSION_OK) {
        abort();
    }
    zsock_t *answers = zsock_new_push(">inproc://answers");
    zmsg_t *request;
    while (zmsg_size(request = take_request()) == 2) {
        zframe_t *sender = zmsg_pop(request);
        char *identity = zframe_strdup(sender);
        char *upstream = zmsg_popstr(request);
        zframe_send(&sender, answers, ZFRAME_MORE);
        zstr_send(answers, serve(client, identity, upstream));
        zstr_free(&identity);
        zstr_free(&upstream);
        zmsg_destroy(&request);
    }
    zmsg_destroy(&request);
    zsock_destroy(&answers);
    admission_client_destroy(&client);
    return unused;
}

/* The thread of the ROUTER: requests go to the workers, answers come back. */
static void route(zsock_t *pipe, void *router)
{
    zsock_t *dealt = zsock_new_push(">inproc://requests");
    zsock_t *answers = zsock_new_pull("@inproc://answers");
    zpoller_t *poller = zpoller_new(pipe, router, answers, NULL);
    zsock_signal(pipe, 0);
    void *from;
    while ((from = zpoller_wait(poller, -1)) != pipe && from != NULL) {
        zmsg_t *message = zmsg_recv(from);
        if (zmsg_size(message) == 2) { /* anything else is no request */
            zmsg_send(&message, from == router ? (void *)dealt : router);
        }
        zmsg_destroy(&message);
    }
    for (int i = 0; i < N_WORKERS; i++) {
        zstr_send(dealt, "stop");
    }
    zpoller_destroy(&poller);
    zsock_destroy(&answers);
    zsock_destroy(&dealt);
}

/* The demonstration. */

static zsock_t *connect_as(const char *name, const char *endpoint)
{
    zsock_t *client = zsock_new(ZMQ_DEALER);
    zsock_set_identity(client, name);
    zsock_connect(client, "%s", endpoint);
    return client;
}

static void show_answer(zsock_t *client, const char *what)
{
    char *answer = zstr_recv(client);
    printf("%s: %s\n", what, answer);
    zstr_free(&answer);
}

static void demonstrate(const char *endpoint)
{
    zsock_t *ann = connect_as("ann", endpoint);
    zsock_t *bob = connect_as("bob", endpoint);
    zstr_send(ann, "search");
    sem_wait(&upstream_called);
    zstr_send(ann, "mail");
    show_answer(ann, "ann, mail, while her search runs");
    zstr_send(bob, "search");
    show_answer(bob, "bob, search, which takes one at a time");
    zstr_send(bob, "mail");
    sem_wait(&upstream_called);
    sem_post(&upstream_may_answer);
    sem_post(&upstream_may_answer);
    show_answer(ann, "ann, search");
    show_answer(bob, "bob, mail");
    zsock_destroy(&ann);
    zsock_destroy(&bob);
}

int main(void)
{
    struct admission_provider providers[] = {admission_provider_default("search"),
                                             admission_provider_default("mail")};
    providers[0].max_concurrent = 1;
    struct admission_options options;
    admission_options_init(&options);
    options.providers = providers;
    options.n_providers = 2;
    if (admission_actor_new(&actor, &options, NULL) != ADMISSION_OK) {
        return 1;
    }
    sem_init(&upstream_called, 0, 0);
    sem_init(&upstream_may_answer, 0, 0);
    requests = zsock_new_pull("@inproc://requests");
    zsock_t *router = zsock_new_router("@ipc://*");
    zactor_t *routing = zactor_new(route, router);
    pthread_t workers[N_WORKERS];
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_create(&workers[i], NULL, work, NULL);
    }

    char *endpoint = zsock_last_endpoint(router);
    demonstrate(endpoint);
    zstr_free(&endpoint);

    zactor_destroy(&routing);
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    zsock_destroy(&router);
    zsock_destroy(&requests);
    admission_actor_destroy(&actor);
    return 0;
}
