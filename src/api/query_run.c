/* A cycle on the thread of its caller, who owns the client.
 *
 * The thread holds the clock from the first step to the last, but for its waits. One flag wakes
 * it wherever it waits for something that is not the actor's word: a resume, a stop, the end of
 * a rest. */
#include <unistd.h>

#include "actor/flag.h"
#include "admission/query.h"
#include "api/cancellation.h"
#include "api/cycle.h"
#include "base/assert.h"
#include "base/time.h"

struct run {
    struct adm_cycle cycle; /* first: it is nudged by its own address */
    int flag_fd;
    struct adm_clock_work work;
};

static void nudge(struct adm_cycle *cycle)
{
    const int before = adm_cancellation_off();
    adm_flag_raise(((struct run *)cycle)->flag_fd);
    adm_cancellation_restore(before);
}

/* Waits for a nudge, the close of the actor, or `until`. */
static void wait_for_nudge(struct run *run, int64_t until)
{
    struct admission_client *client = run->cycle.client;
    struct pollfd fds[] = {{.fd = run->flag_fd, .events = POLLIN},
                           {.fd = client->hub->closed_fd, .events = POLLIN}};
    adm_client_begin_wait(client);
    adm_clock_wait(&client->hub->clock, fds, 2, until);
    adm_client_end_wait(client);
    const int before = adm_cancellation_off();
    adm_flag_lower(run->flag_fd);
    adm_cancellation_restore(before);
}

/* The steps, each with the wait before it. */

static enum adm_phase await_word(struct adm_cycle *cycle)
{
    struct admission_client *client = cycle->client;
    struct admission_event word = {0};
    adm_signal_expect(&cycle->signal, cycle->ticket);
    if (adm_client_await(client, cycle->ticket, &word) == ADMISSION_CLOSED) {
        word = (struct admission_event){.type = ADMISSION_EVENT_REFUSED,
                                        .reason = ADMISSION_REASON_CLOSED};
    }
    return adm_cycle_answer(cycle, &word);
}

static enum adm_phase attempt(struct run *run)
{
    struct adm_cycle *cycle = &run->cycle;
    adm_cycle_call(cycle, run->flag_fd);
    if (adm_hub_is_forked(cycle->client->hub)) {
        return ADM_PHASE_OVER;
    }
    (void)admission_signal_reason(&cycle->signal); /* for a function that did not ask */
    adm_cycle_leave(cycle);
    return adm_cycle_settle(cycle);
}

static enum adm_phase rest(struct run *run)
{
    struct adm_cycle *cycle = &run->cycle;
    while (!adm_cycle_has_rested(cycle)) {
        wait_for_nudge(run, cycle->rest_until);
    }
    return adm_cycle_ask(cycle);
}

static void drive(struct run *run)
{
    enum adm_phase phase = adm_cycle_phase(&run->cycle);
    while (phase != ADM_PHASE_OVER) {
        switch (phase) {
        case ADM_PHASE_READY:
            phase = adm_cycle_ask(&run->cycle);
            break;
        case ADM_PHASE_HELD:
            wait_for_nudge(run, ADM_NEVER);
            phase = adm_cycle_ask(&run->cycle);
            break;
        case ADM_PHASE_QUEUED:
            phase = await_word(&run->cycle);
            break;
        case ADM_PHASE_GRANTED:
            phase = attempt(run);
            break;
        case ADM_PHASE_RESTING:
            phase = rest(run);
            break;
        case ADM_PHASE_OVER:
            break;
        }
    }
}

/* The end, also of a thread that is cancelled in it. */
static void finish(void *arg)
{
    struct run *run = arg;
    struct admission_client *client = run->cycle.client;
    adm_signal_detach(&run->cycle.signal);
    if (adm_hub_is_forked(client->hub)) {
        adm_clock_forget_work(&run->work);
        return;
    }
    adm_cycle_deinit(&run->cycle);
    adm_clock_end_work(&run->work);
    const int before = adm_cancellation_off();
    close(run->flag_fd);
    adm_cancellation_restore(before);
}

static void begin(struct run *run, admission_query_t *query, uint64_t *number)
{
    struct admission_client *client = run->cycle.client;
    pthread_mutex_lock(&query->lock);
    adm_cycle_init(&run->cycle, query, number);
    pthread_mutex_unlock(&query->lock);
    adm_signal_attach(&run->cycle.signal, client);
    adm_clock_begin_work(&run->work, &client->hub->clock);
}

admission_status_t admission_query_run(admission_query_t *query, admission_client_t *client,
                                       void *user, uint64_t *cycle,
                                       struct admission_result *result)
{
    ADM_ASSERT(query != NULL && client != NULL && result != NULL);
    const admission_status_t checked = adm_client_check_reader(client);
    if (checked != ADMISSION_OK) {
        return checked;
    }
    if (client->hub != query->hub) {
        return ADMISSION_INVALID;
    }
    struct run run = {
        .cycle = {.client = client,
                  .mark = ADM_CYCLE_TICKET,
                  .nudge = nudge,
                  .result = {.user = user}},
        .flag_fd = adm_flag_new(),
    };
    if (run.flag_fd == -1) {
        return ADMISSION_NO_RESOURCES;
    }
    begin(&run, query, cycle);
    pthread_cleanup_push(finish, &run);
    drive(&run);
    pthread_cleanup_pop(1);
    if (adm_hub_is_forked(client->hub)) {
        return ADMISSION_FORKED;
    }
    *result = run.cycle.result;
    return ADMISSION_OK;
}
