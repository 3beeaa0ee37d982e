/* Callers and their answers. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>

#include "actor/calls.h"

TestSuite(calls, .timeout = 20);

static void answer_with(struct adm_calls *calls, uint64_t number, enum adm_answer_word word)
{
    adm_calls_answer(calls, number, &(struct adm_answer){.word = word});
}

Test(calls, each_caller_gets_its_own_answer_whichever_comes_first)
{
    struct adm_calls calls;
    struct adm_call first = {.stats = NULL};
    struct adm_call second = {.stats = NULL};
    adm_calls_init(&calls);
    adm_calls_begin(&calls, &first);
    adm_calls_begin(&calls, &second);
    cr_assert(first.number != second.number);
    answer_with(&calls, second.number, ADM_ANSWER_NOT_DRAINED);
    answer_with(&calls, first.number, ADM_ANSWER_NO_PROVIDER);
    cr_assert(adm_calls_wait(&calls, &first) == ADM_ANSWER_NO_PROVIDER);
    cr_assert(adm_calls_wait(&calls, &second) == ADM_ANSWER_NOT_DRAINED);
    adm_calls_deinit(&calls);
}

Test(calls, the_first_answer_counts_and_one_that_nobody_waits_for_is_nothing)
{
    struct adm_calls calls;
    struct adm_call call = {.stats = NULL};
    adm_calls_init(&calls);
    adm_calls_begin(&calls, &call);
    answer_with(&calls, call.number + 1, ADM_ANSWER_NOT_DRAINED);
    answer_with(&calls, call.number, ADM_ANSWER_OK);
    answer_with(&calls, call.number, ADM_ANSWER_NOT_DRAINED);
    cr_assert(adm_calls_wait(&calls, &call) == ADM_ANSWER_OK);
    answer_with(&calls, call.number, ADM_ANSWER_OK);
    adm_calls_deinit(&calls);
}

Test(calls, the_end_answers_all_that_wait_and_changes_no_answer)
{
    struct adm_calls calls;
    struct adm_call answered = {.stats = NULL};
    struct adm_call waiting = {.stats = NULL};
    struct adm_call abandoned = {.stats = NULL};
    adm_calls_init(&calls);
    adm_calls_begin(&calls, &answered);
    adm_calls_begin(&calls, &waiting);
    adm_calls_begin(&calls, &abandoned);
    adm_calls_abandon(&calls, &abandoned);
    answer_with(&calls, answered.number, ADM_ANSWER_OK);
    adm_calls_end(&calls);
    cr_assert(adm_calls_wait(&calls, &answered) == ADM_ANSWER_OK);
    cr_assert(adm_calls_wait(&calls, &waiting) == ADM_ANSWER_ENDED);
    adm_calls_deinit(&calls);
}

Test(calls, statistics_come_with_names_of_their_own)
{
    struct adm_calls calls;
    struct adm_actor_stats kept;
    char provider[ADM_NAME_MAX];
    char key[ADM_NAME_MAX];
    struct adm_call call = {.stats = &kept, .longest_provider = provider, .longest_key = key};
    char lent[] = "search";
    struct adm_actor_stats stats = {
        .machine = {.running = 3,
                    .longest_provider = {.bytes = lent, .length = 6},
                    .longest_key = {.bytes = "", .length = 0}},
        .longest_owner = 9,
    };
    adm_calls_init(&calls);
    adm_calls_begin(&calls, &call);
    adm_calls_answer(&calls, call.number,
                     &(struct adm_answer){.word = ADM_ANSWER_OK, .stats = &stats});
    memset(lent, 'x', sizeof lent);
    cr_assert(adm_calls_wait(&calls, &call) == ADM_ANSWER_OK);
    cr_assert(kept.machine.running == 3 && kept.longest_owner == 9);
    cr_assert(kept.machine.longest_provider.length == 6);
    cr_assert(memcmp(kept.machine.longest_provider.bytes, "search", 6) == 0);
    cr_assert(adm_name_is_none(kept.machine.longest_key));
    adm_calls_deinit(&calls);
}

static void *answer_soon(void *arg)
{
    answer_with(arg, 1, ADM_ANSWER_OK);
    return NULL;
}

Test(calls, a_caller_that_sleeps_is_woken)
{
    for (int round = 0; round < 200; round++) {
        struct adm_calls calls;
        struct adm_call call = {.stats = NULL};
        pthread_t thread;
        adm_calls_init(&calls);
        adm_calls_begin(&calls, &call);
        cr_assert(call.number == 1);
        cr_assert(pthread_create(&thread, NULL, answer_soon, &calls) == 0);
        cr_assert(adm_calls_wait(&calls, &call) == ADM_ANSWER_OK);
        pthread_join(thread, NULL);
        adm_calls_deinit(&calls);
    }
}
