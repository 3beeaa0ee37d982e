/* See tool/bench/raw.h. */
#include "tool/bench/raw.h"

#include <pthread.h>
#include <stdlib.h>
#include <zmq.h>

#include "base/assert.h"
#include "base/memory.h"

enum {
    ASKED = 33,
    ANSWERED = 32,
    THE_END = 1 /* the size of the message that ends the echo */
};

static const char ENDPOINT[] = "inproc://echo";

struct adm_raw {
    void *context;
    void *router;
    pthread_t thread;
};

static void *echo(void *arg)
{
    struct adm_raw *raw = arg;
    const char answer[ANSWERED] = {0};
    char id[256];
    char body[ASKED];
    for (;;) {
        const int id_size = zmq_recv(raw->router, id, sizeof id, 0);
        ADM_ASSERT(id_size > 0);
        if (zmq_recv(raw->router, body, sizeof body, 0) == THE_END) {
            break;
        }
        ADM_ASSERT(zmq_send(raw->router, id, (size_t)id_size, ZMQ_SNDMORE) == id_size);
        ADM_ASSERT(zmq_send(raw->router, answer, sizeof answer, 0) == sizeof answer);
    }
    ADM_ASSERT(zmq_close(raw->router) == 0);
    return NULL;
}

static void *new_socket(void *context, int type)
{
    void *socket = zmq_socket(context, type);
    ADM_ASSERT(socket != NULL);
    const int none = 0;
    ADM_ASSERT(zmq_setsockopt(socket, ZMQ_SNDHWM, &none, sizeof none) == 0);
    ADM_ASSERT(zmq_setsockopt(socket, ZMQ_RCVHWM, &none, sizeof none) == 0);
    return socket;
}

struct adm_raw *adm_raw_new(void)
{
    struct adm_raw *raw = adm_memory_new(1, sizeof *raw);
    raw->context = zmq_ctx_new();
    ADM_ASSERT(raw->context != NULL);
    raw->router = new_socket(raw->context, ZMQ_ROUTER);
    ADM_ASSERT(zmq_bind(raw->router, ENDPOINT) == 0);
    ADM_ASSERT(pthread_create(&raw->thread, NULL, echo, raw) == 0);
    return raw;
}

static void *connect_dealer(const struct adm_raw *raw)
{
    void *dealer = new_socket(raw->context, ZMQ_DEALER);
    ADM_ASSERT(zmq_connect(dealer, ENDPOINT) == 0);
    return dealer;
}

void adm_raw_destroy(struct adm_raw **raw_ptr)
{
    struct adm_raw *raw = *raw_ptr;
    void *dealer = connect_dealer(raw);
    ADM_ASSERT(zmq_send(dealer, "", THE_END, 0) == THE_END);
    pthread_join(raw->thread, NULL);
    ADM_ASSERT(zmq_close(dealer) == 0);
    zmq_ctx_term(raw->context);
    free(raw);
    *raw_ptr = NULL;
}

static void ask(void *dealer)
{
    const char body[ASKED] = {0};
    ADM_ASSERT(zmq_send(dealer, body, sizeof body, 0) == sizeof body);
}

static void await(void *dealer)
{
    char body[ANSWERED];
    ADM_ASSERT(zmq_recv(dealer, body, sizeof body, 0) == sizeof body);
}

/* What each caller does. */
struct errand {
    const struct adm_raw *raw;
    size_t n_callers;
    size_t total; /* round trips of all of them */
    size_t window;
    struct adm_latencies *latencies; /* one for each caller; NULL: not wanted */
};

static void call(struct adm_crew *crew, void *arg, size_t i)
{
    const struct errand *errand = arg;
    void *dealer = connect_dealer(errand->raw);
    const size_t n = adm_crew_share(errand->total, errand->n_callers, i);
    size_t n_asked = 0;
    adm_crew_begin(crew);
    for (size_t n_answered = 0; n_answered < n; n_answered++) {
        const int64_t before = errand->latencies == NULL ? 0 : adm_measure_now_ns();
        while (n_asked < n && n_asked < n_answered + errand->window) {
            ask(dealer);
            n_asked++;
        }
        await(dealer);
        if (errand->latencies != NULL) {
            adm_latencies_add(&errand->latencies[i], adm_measure_now_ns() - before);
        }
    }
    adm_crew_finish(crew);
    ADM_ASSERT(zmq_close(dealer) == 0);
}

int64_t adm_raw_sync(struct adm_raw *raw, size_t n_callers, size_t n,
                     struct adm_latencies *latencies)
{
    struct adm_latencies *each = adm_latencies_fan_out(n_callers, n);
    struct errand errand = {
        .raw = raw,
        .n_callers = n_callers,
        .total = n_callers * n,
        .window = 1,
        .latencies = each,
    };
    const int64_t took_ns = adm_crew_run(n_callers, call, &errand);
    adm_latencies_fan_in(latencies, each, n_callers);
    return took_ns;
}

int64_t adm_raw_async(struct adm_raw *raw, size_t n_callers, size_t total, size_t window)
{
    struct errand errand = {
        .raw = raw,
        .n_callers = n_callers,
        .total = total,
        .window = window,
    };
    return adm_crew_run(n_callers, call, &errand);
}
