/* A query and its cycles, as the files of this floor see them.
 *
 * A cycle is driven from outside, step by step, by the thread that runs it or by a pool: each
 * step below says in which phase it leaves the cycle, and so which step comes next. What other
 * threads do to a cycle - stop it - they do under its query's lock. */
#ifndef ADM_API_CYCLE_H
#define ADM_API_CYCLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "actor/hub.h"
#include "admission/query.h"
#include "api/signal.h"

enum adm_phase {
    ADM_PHASE_READY,   /* ask */
    ADM_PHASE_HELD,    /* it began while the query was paused: until that is over, ask */
    ADM_PHASE_QUEUED,  /* a ticket has been asked for: answer, when its final word comes */
    ADM_PHASE_GRANTED, /* call */
    ADM_PHASE_RESTING, /* until it has rested, ask */
    ADM_PHASE_OVER,    /* the result stands: finish */
};

enum adm_query_state {
    ADM_QUERY_OPEN,
    ADM_QUERY_HOLDING,  /* paused, and new cycles wait */
    ADM_QUERY_REFUSING, /* paused */
    ADM_QUERY_DISPOSED,
};

struct admission_query {
    struct adm_hub *hub;
    struct admission_query_options options; /* its names are owned */

    pthread_mutex_t lock; /* of what follows, and of the cycles' phases */
    enum adm_query_state state;
    size_t n_references; /* the user's, and one for each cycle */
    uint64_t n_cycles;   /* numbers given out */
    uint64_t jitter;
    TAILQ_HEAD(, adm_cycle) cycles;
};

struct adm_cycle {
    struct admission_query *query;
    struct admission_client *client;
    uint64_t mark;                          /* of its tickets' ids */
    void (*nudge)(struct adm_cycle *cycle); /* look at me; called under the query's lock */

    /* under the query's lock */
    enum adm_phase phase;
    admission_abort_t stop; /* why it is to end */
    bool is_running;        /* its function is, or is about to be */
    uint64_t ticket;        /* queued or running; 0: none */
    TAILQ_ENTRY(adm_cycle) link;

    /* the driver's */
    struct admission_signal signal;
    struct admission_result result;
    bool is_called; /* at the last grant, */
    int error;      /* with what the function returned */
    int64_t rest_until;
};

/* Enters `cycle`, whose client, mark, nudge and result.user are set, with its query: READY or
 * HELD. Its number goes to `*number`, if that is not NULL. The query's lock is held: once that
 * is free others may nudge the cycle, and in a pool it may end. */
void adm_cycle_init(struct adm_cycle *cycle, struct admission_query *query, uint64_t *number);

/* Takes it out again, whatever its phase, and gives back what it holds. */
void adm_cycle_deinit(struct adm_cycle *cycle);

/* The steps. */

enum adm_phase adm_cycle_phase(struct adm_cycle *cycle);

/* Is its rest over - by the clock, or because it is to end, or the actor has closed and would
 * refuse it later too? */
bool adm_cycle_has_rested(struct adm_cycle *cycle);

/* Asks for admission, unless it is held by a pause; of an actor that has closed also then, to
 * be refused. HELD, QUEUED or OVER. */
enum adm_phase adm_cycle_ask(struct adm_cycle *cycle);

/* The final word has come: GRANTED or OVER. */
enum adm_phase adm_cycle_answer(struct adm_cycle *cycle, const struct admission_event *word);

/* Calls the function on this thread, whose flag is `flag_fd`; not when the cycle has been
 * stopped. The caller holds the clock. It may come back in a child that the function forked,
 * where others may have held any lock: then the cycle is left alone. */
void adm_cycle_call(struct adm_cycle *cycle, int flag_fd);

/* Gives the slot back. */
void adm_cycle_leave(struct adm_cycle *cycle);

/* The slot has been given back: RESTING or OVER. */
enum adm_phase adm_cycle_settle(struct adm_cycle *cycle);

/* The actor has aborted `ticket`. */
void adm_cycle_abort(struct adm_cycle *cycle, uint64_t ticket, admission_abort_t why);

/* Ends it as soon as it can be. The query's lock is held. */
void adm_cycle_stop(struct adm_cycle *cycle, admission_abort_t why);

/* The query's own (api/query.c). The lock is held; `release` gives it up. */

void adm_query_keep(struct admission_query *query);
void adm_query_release(struct admission_query *query);

#endif
