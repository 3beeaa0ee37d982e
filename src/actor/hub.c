/* See actor/hub.h.
 *
 * Invariant: a line is on the free list, or its client holds it, or the client has said goodbye
 * and the actor has not yet hung up. Both ends of an outlet are made by the client's thread, so
 * that whatever can fail fails there; the lock hands the actor its end. They are kept for the
 * next client: libzmq closes a socket in a thread of its own, which clients that come and go
 * can outrun until the process has no descriptor left. Nor can they outrun the actor: there are
 * never many more lines than there were clients at once. */
#include "actor/hub.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "actor/flag.h"
#include "actor/probe.h"
#include "actor/socket.h"
#include "base/assert.h"
#include "base/memory.h"

enum {
    SOCKETS_PER_CLIENT = 2,
    OTHER_SOCKETS = 4,
    MAX_GOODBYES = 8 /* that may be unheard when one more line is made */
};

/* Forks are told by a page that the kernel wipes in the child: a look at it costs nothing,
 * where getpid() is a system call. */
static int make_alive_page(const uint8_t **alive)
{
    uint8_t *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return errno;
    }
    if (madvise(page, 1, MADV_WIPEONFORK) != 0) {
        const int error = errno;
        munmap(page, 1);
        return error;
    }
    *page = 1;
    *alive = page;
    return 0;
}

static void free_alive_page(const uint8_t *alive)
{
    ADM_ASSERT(munmap((void *)(uintptr_t)alive, 1) == 0);
}

static int make_context(void **context_ptr, uint32_t max_clients)
{
    const int missing = adm_probe();
    if (missing != 0) {
        return missing;
    }
    void *context = zmq_ctx_new();
    if (context == NULL) {
        return errno;
    }
    const int max_sockets = (int)max_clients * SOCKETS_PER_CLIENT + OTHER_SOCKETS;
    if (zmq_ctx_set(context, ZMQ_IO_THREADS, 0) != 0 ||
        zmq_ctx_set(context, ZMQ_MAX_SOCKETS, max_sockets) != 0) {
        const int error = errno;
        zmq_ctx_term(context);
        return error;
    }
    *context_ptr = context;
    return 0;
}

static int make_flag(int *fd)
{
    *fd = adm_flag_new();
    return *fd == -1 ? errno : 0;
}

/* Frees a hub without sockets, of which more may be missing. */
static void discard(struct adm_hub *hub)
{
    if (hub->closed_fd != -1) {
        close(hub->closed_fd);
    }
    while (hub->context != NULL && zmq_ctx_term(hub->context) != 0) {
        ADM_ASSERT(errno == EINTR);
    }
    if (hub->alive != NULL) {
        free_alive_page(hub->alive);
    }
    free(hub);
}

static int make_parts(struct adm_hub *hub, const struct adm_hub_options *options)
{
    int error = make_alive_page(&hub->alive);
    if (error == 0) {
        error = make_context(&hub->context, options->max_clients);
    }
    if (error == 0) {
        error = make_flag(&hub->closed_fd);
    }
    if (error == 0) {
        error = adm_inlet_init(&hub->inlet, hub->context, (int)options->inlet_capacity);
    }
    return error;
}

int adm_hub_new(struct adm_hub **hub_ptr, const struct adm_hub_options *options)
{
    struct adm_hub *hub = adm_memory_new_aligned(ADM_CACHE_LINE, sizeof *hub);
    hub->closed_fd = -1;
    const int error = make_parts(hub, options);
    if (error != 0) {
        discard(hub);
        return error;
    }
    hub->max_clients = options->max_clients;
    hub->client_credit = options->client_credit;
    hub->spin.policy = options->spin;
    hub->clock = options->clock;
    adm_calls_init(&hub->calls);
    atomic_init(&hub->n_references, 1);
    atomic_init(&hub->is_closed, false);
    ADM_ASSERT(pthread_mutex_init(&hub->lock, NULL) == 0);
    *hub_ptr = hub;
    return 0;
}

struct adm_hub *adm_hub_keep(struct adm_hub *hub)
{
    atomic_fetch_add_explicit(&hub->n_references, 1, memory_order_relaxed);
    return hub;
}

static void free_line(struct adm_line *line)
{
    if (line->receiver != NULL) {
        adm_socket_close(line->receiver);
        adm_socket_close(line->sender);
    }
    free(line);
}

void adm_hub_release(struct adm_hub **hub_ptr)
{
    struct adm_hub *hub = *hub_ptr;
    *hub_ptr = NULL;
    if (atomic_fetch_sub_explicit(&hub->n_references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    adm_inlet_deinit(&hub->inlet);
    for (size_t i = 0; i < hub->n_lines; i++) {
        free_line(hub->lines[i]);
    }
    free(hub->lines);
    pthread_mutex_destroy(&hub->lock);
    adm_calls_deinit(&hub->calls);
    discard(hub);
}

bool adm_hub_is_forked(const struct adm_hub *hub)
{
    return *hub->alive == 0;
}

bool adm_hub_is_closed(const struct adm_hub *hub)
{
    return atomic_load_explicit(&hub->is_closed, memory_order_acquire);
}

void adm_hub_tell_closed(struct adm_hub *hub)
{
    if (!adm_hub_is_closed(hub)) {
        atomic_store_explicit(&hub->is_closed, true, memory_order_release);
        adm_flag_raise(hub->closed_fd);
    }
}

bool adm_hub_send(struct adm_hub *hub, const struct adm_inbound *inbound)
{
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    const size_t size = adm_inbound_encode(inbound, bytes);
    return adm_inlet_send(&hub->inlet, bytes, size);
}

enum adm_answer_word adm_hub_call(struct adm_hub *hub, struct adm_inbound *inbound,
                                  struct adm_call *call)
{
    adm_calls_begin(&hub->calls, call);
    inbound->request.handle = ADM_NOBODY;
    inbound->request.id = call->number;
    if (!adm_hub_send(hub, inbound)) {
        adm_calls_abandon(&hub->calls, call);
        return ADM_ANSWER_ENDED;
    }
    return adm_calls_wait(&hub->calls, call);
}

/* Lines. */

static struct adm_line *add_line(struct adm_hub *hub)
{
    struct adm_line *line = adm_memory_new_aligned(ADM_CACHE_LINE, sizeof *line);
    hub->lines =
        adm_memory_reserve(hub->lines, &hub->room, hub->n_lines + 1, sizeof *hub->lines);
    line->handle = (uint32_t)hub->n_lines;
    hub->lines[hub->n_lines++] = line;
    return line;
}

/* Takes a line that is free, or a new one; returns 0, EMFILE, or EAGAIN: one becomes free when
 * the actor has heard what has been said. */
static int obtain_line(struct adm_hub *hub, struct adm_line **line)
{
    if (hub->free_lines != NULL) {
        *line = hub->free_lines;
        hub->free_lines = (*line)->next_free;
    } else if (hub->n_in_use < hub->max_clients && hub->n_goodbyes < MAX_GOODBYES) {
        *line = add_line(hub);
    } else {
        return hub->n_goodbyes > 0 ? EAGAIN : EMFILE;
    }
    hub->n_in_use++;
    return 0;
}

/* A new public number, and an account and a bell that begin anew. */
static void reset_line(struct adm_hub *hub, struct adm_line *line)
{
    line->number = ++hub->n_numbers;
    atomic_init(&line->bell, 0);
    atomic_init(&line->n_asked, 0);
    atomic_init(&line->n_words, 0);
    atomic_init(&line->n_held, 0);
}

static void return_line(struct adm_hub *hub, struct adm_line *line)
{
    line->is_calling = false;
    line->next_free = hub->free_lines;
    hub->free_lines = line;
    hub->n_in_use--;
}

/* Makes the ends of a line that is used for the first time. */
static int connect_line(struct adm_hub *hub, struct adm_line *line)
{
    if (line->receiver != NULL) {
        return 0;
    }
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "inproc://outlet-%" PRIu64, line->number);
    return adm_socket_pair(hub->context, endpoint, 0, &line->sender, &line->receiver);
}

static int try_open(struct adm_hub *hub, struct adm_line **line)
{
    pthread_mutex_lock(&hub->lock);
    int error = obtain_line(hub, line);
    if (error == 0) {
        reset_line(hub, *line);
    }
    pthread_mutex_unlock(&hub->lock);
    if (error != 0) {
        return error;
    }
    error = connect_line(hub, *line);
    pthread_mutex_lock(&hub->lock);
    if (error == 0) {
        (*line)->is_calling = true;
    } else {
        return_line(hub, *line);
    }
    pthread_mutex_unlock(&hub->lock);
    return error;
}

/* Waits until the actor has heard every goodbye that has been said; false when it has ended. */
static bool wait_for_actor(struct adm_hub *hub)
{
    struct adm_call call = {.stats = NULL};
    struct adm_inbound question = {.type = ADM_INBOUND_STATS};
    return adm_hub_call(hub, &question, &call) != ADM_ANSWER_ENDED;
}

int adm_hub_open_line(struct adm_hub *hub, struct adm_line **line_ptr)
{
    struct adm_line *line = NULL;
    int error;
    while ((error = try_open(hub, &line)) == EAGAIN) {
        if (!wait_for_actor(hub)) {
            return ESHUTDOWN;
        }
    }
    if (error != 0) {
        return adm_inlet_has_ended(&hub->inlet) ? ESHUTDOWN : error;
    }
    const struct adm_inbound hello = {.type = ADM_INBOUND_OPEN,
                                      .request = {.handle = line->handle}};
    if (!adm_hub_send(hub, &hello)) {
        pthread_mutex_lock(&hub->lock);
        return_line(hub, line);
        pthread_mutex_unlock(&hub->lock);
        return ESHUTDOWN;
    }
    *line_ptr = line;
    return 0;
}

void adm_hub_say_goodbye(struct adm_hub *hub, struct adm_line *line, bool is_death)
{
    const struct adm_inbound goodbye = {
        .type = ADM_INBOUND_STEP,
        .is_death = is_death,
        .request = {.type = ADM_REQUEST_DOWN, .handle = line->handle},
    };
    adm_socket_drain(line->receiver);
    pthread_mutex_lock(&hub->lock);
    hub->n_goodbyes++;
    pthread_mutex_unlock(&hub->lock);
    (void)adm_hub_send(hub, &goodbye);
}

struct adm_line *adm_hub_take_up(struct adm_hub *hub, uint32_t handle)
{
    pthread_mutex_lock(&hub->lock);
    struct adm_line *line = handle < hub->n_lines ? hub->lines[handle] : NULL;
    const bool is_calling = line != NULL && line->is_calling;
    if (is_calling) {
        line->is_calling = false;
    }
    pthread_mutex_unlock(&hub->lock);
    return is_calling ? line : NULL;
}

/* The client has drained its line, so what is there came with what the inlet held then. */
void adm_hub_hang_up(struct adm_hub *hub, struct adm_line *line)
{
    adm_socket_drain(line->receiver);
    pthread_mutex_lock(&hub->lock);
    hub->n_goodbyes--;
    return_line(hub, line);
    pthread_mutex_unlock(&hub->lock);
}
