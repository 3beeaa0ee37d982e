/* Callers that wait for the actor's answer: the functions of the actor handle.
 *
 * A call is a number in a request; its answer is matched here, under one lock, with the caller
 * that sleeps. Nothing but the number travels, so that neither side ever holds a pointer into
 * the other's stack. */
#ifndef ADM_ACTOR_CALLS_H
#define ADM_ACTOR_CALLS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "actor/answer.h"

/* One waiting caller, in its own frame. */
struct adm_call {
    uint64_t number;
    bool is_answered;
    enum adm_answer_word word;
    struct adm_actor_stats *stats; /* where an answer's statistics go; NULL: nowhere */
    char *longest_provider;        /* and its names: 255 bytes each, not terminated */
    char *longest_key;
    LIST_ENTRY(adm_call) link;
};

struct adm_calls {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    LIST_HEAD(, adm_call) waiting;
    uint64_t n_numbers;
};

void adm_calls_init(struct adm_calls *calls);
void adm_calls_deinit(struct adm_calls *calls);

/* Enters `call`, whose outputs are set, and gives it its number. */
void adm_calls_begin(struct adm_calls *calls, struct adm_call *call);

/* Waits for the answer and takes the call out. */
enum adm_answer_word adm_calls_wait(struct adm_calls *calls, struct adm_call *call);

/* Takes the call out without waiting: its request could not be sent. */
void adm_calls_abandon(struct adm_calls *calls, struct adm_call *call);

/* Answers the call of this number. Actor's thread. */
void adm_calls_answer(struct adm_calls *calls, uint64_t number,
                      const struct adm_answer *answer);

/* Answers all that still wait with ADM_ANSWER_ENDED. Actor's thread, at the end. */
void adm_calls_end(struct adm_calls *calls);

#endif
