/* What an actor and its clients share: the context, the inlet, the calls, and who is connected.
 *
 * It lives until the last of them lets go, so that a client outlives its actor safely. It has
 * no state of admission. */
#ifndef ADM_ACTOR_HUB_H
#define ADM_ACTOR_HUB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/calls.h"
#include "actor/clock.h"
#include "actor/inlet.h"
#include "actor/spin.h"
#include "wire/inbound.h"

struct adm_hub_options {
    uint32_t max_clients;
    uint32_t inlet_capacity;
    uint32_t client_credit;
    enum adm_spin_policy spin;
    struct adm_clock clock;
};

/* A connection: one handle's number in the machine, and the outlet to it. The actor writes the
 * bell and the account, the client reads them. The sockets are the hub's, and serve one client
 * after the other. */
struct adm_line {
    uint32_t handle;
    uint64_t number; /* the public one, never used twice */
    void *receiver;  /* the client's end; NULL: there is none yet; */
    void *sender;    /* and the actor's */
    bool is_calling; /* opened by a client and not yet taken up by the actor */
    struct adm_line *next_free;

    alignas(ADM_CACHE_LINE) atomic_uint bell; /* the messages that have been sent to it */
    atomic_uint_fast64_t n_asked;
    atomic_uint_fast64_t n_words;
    atomic_uint_fast32_t n_held;
};

struct adm_hub {
    void *context;
    struct adm_inlet inlet;
    struct adm_calls calls;
    atomic_uint n_references;
    uint32_t client_credit;
    struct adm_spin_rules spin;
    struct adm_clock clock;
    const uint8_t *alive; /* a page that a child made by fork() sees zeroed */
    atomic_bool is_closed;
    int closed_fd; /* readable from then on */

    pthread_mutex_t lock; /* of what follows */
    struct adm_line **lines;
    size_t n_lines;
    size_t room;
    struct adm_line *free_lines;
    uint32_t n_in_use;
    uint32_t n_goodbyes; /* of these, the lines whose client is gone: said, and not yet heard */
    uint32_t max_clients;
    uint64_t n_numbers;
};

/* A hub with one reference; returns 0 or an errno. */
int adm_hub_new(struct adm_hub **hub, const struct adm_hub_options *options);

struct adm_hub *adm_hub_keep(struct adm_hub *hub);

/* Lets go; the last one frees it. */
void adm_hub_release(struct adm_hub **hub);

/* Are we in a child made by fork() of the process that made the hub? No socket of it works
 * there, so the child leaves it alone. */
bool adm_hub_is_forked(const struct adm_hub *hub);

/* Has the actor closed (K1)? Who has nothing in the actor's hands is told by `closed_fd` and
 * this, and by nothing else; what is asked for afterwards is refused. */
bool adm_hub_is_closed(const struct adm_hub *hub);

/* Sends one record; false once the actor has ended. */
bool adm_hub_send(struct adm_hub *hub, const struct adm_inbound *inbound);

/* Opens a line and says hello on it; returns 0, an errno, or ESHUTDOWN: the actor has ended.
 * Waits for the actor when that has fallen behind with goodbyes. */
int adm_hub_open_line(struct adm_hub *hub, struct adm_line **line);

/* The client is gone, or its owner is dead: says goodbye. It does not touch the line again. */
void adm_hub_say_goodbye(struct adm_hub *hub, struct adm_line *line, bool is_death);

/* Sends a call, whose type and arguments are set, and waits for its answer. */
enum adm_answer_word adm_hub_call(struct adm_hub *hub, struct adm_inbound *inbound,
                                  struct adm_call *call);

/* The actor's side. */

/* The machine has closed. */
void adm_hub_tell_closed(struct adm_hub *hub);

/* The line on which `handle` is calling, taken up; NULL when it is not. */
struct adm_line *adm_hub_take_up(struct adm_hub *hub, uint32_t handle);

/* The goodbye has been heard: empties the line, and gives it out again. */
void adm_hub_hang_up(struct adm_hub *hub, struct adm_line *line);

#endif
