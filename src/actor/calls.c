/* See actor/calls.h. */
#include "actor/calls.h"

#include <string.h>

#include "base/assert.h"

void adm_calls_init(struct adm_calls *calls)
{
    *calls = (struct adm_calls){.n_numbers = 0};
    LIST_INIT(&calls->waiting);
    ADM_ASSERT(pthread_mutex_init(&calls->lock, NULL) == 0);
    ADM_ASSERT(pthread_cond_init(&calls->answered, NULL) == 0);
}

void adm_calls_deinit(struct adm_calls *calls)
{
    ADM_ASSERT(LIST_EMPTY(&calls->waiting));
    pthread_cond_destroy(&calls->answered);
    pthread_mutex_destroy(&calls->lock);
}

void adm_calls_begin(struct adm_calls *calls, struct adm_call *call)
{
    call->is_answered = false;
    pthread_mutex_lock(&calls->lock);
    call->number = ++calls->n_numbers;
    LIST_INSERT_HEAD(&calls->waiting, call, link);
    pthread_mutex_unlock(&calls->lock);
}

enum adm_answer_word adm_calls_wait(struct adm_calls *calls, struct adm_call *call)
{
    pthread_mutex_lock(&calls->lock);
    while (!call->is_answered) {
        pthread_cond_wait(&calls->answered, &calls->lock);
    }
    LIST_REMOVE(call, link);
    pthread_mutex_unlock(&calls->lock);
    return call->word;
}

void adm_calls_abandon(struct adm_calls *calls, struct adm_call *call)
{
    pthread_mutex_lock(&calls->lock);
    LIST_REMOVE(call, link);
    pthread_mutex_unlock(&calls->lock);
}

/* The names lie in the machine, so they are copied before it steps again. */
static void keep_name(struct adm_name *name, char *bytes)
{
    memcpy(bytes, name->bytes, name->length);
    name->bytes = bytes;
}

static void fill(struct adm_call *call, const struct adm_answer *answer)
{
    call->word = answer->word;
    call->is_answered = true;
    if (answer->stats != NULL && call->stats != NULL) {
        *call->stats = *answer->stats;
        keep_name(&call->stats->machine.longest_provider, call->longest_provider);
        keep_name(&call->stats->machine.longest_key, call->longest_key);
    }
}

void adm_calls_answer(struct adm_calls *calls, uint64_t number, const struct adm_answer *answer)
{
    struct adm_call *call;
    pthread_mutex_lock(&calls->lock);
    LIST_FOREACH (call, &calls->waiting, link) {
        if (call->number == number && !call->is_answered) {
            fill(call, answer);
        }
    }
    pthread_cond_broadcast(&calls->answered);
    pthread_mutex_unlock(&calls->lock);
}

void adm_calls_end(struct adm_calls *calls)
{
    struct adm_call *call;
    pthread_mutex_lock(&calls->lock);
    LIST_FOREACH (call, &calls->waiting, link) {
        if (!call->is_answered) {
            fill(call, &(struct adm_answer){.word = ADM_ANSWER_ENDED});
        }
    }
    pthread_cond_broadcast(&calls->answered);
    pthread_mutex_unlock(&calls->lock);
}
