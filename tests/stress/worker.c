/* See worker.h. It can be cancelled wherever the library lets it be; its cleanup then uncounts
 * what it held, before the library finds that its client has died and gives it back. */
#include "worker.h"

#include <stdio.h>
#include <time.h>

static uint32_t below(struct worker *worker, uint32_t n)
{
    return random_below(&worker->random, n);
}

/* Tickets. */

static struct held some_ticket(struct worker *worker, struct admission_ticket *ticket)
{
    const struct held held = {
        .provider = (int)below(worker, N_PROVIDERS + 1),
        .key = below(worker, 3) == 0 ? (int)below(worker, N_KEYS) : NO_KEY,
    };
    *ticket = admission_ticket_default();
    ticket->provider = provider_names[held.provider];
    ticket->key = key_names[held.key];
    /* Who holds something, or may be granted something, never waits for ever for more. */
    const bool is_patient =
        worker->n_held == 0 && worker->n_pending == 0 && below(worker, 4) == 0;
    ticket->timeout_us = is_patient ? ADMISSION_DEFAULT : below(worker, 4000);
    ticket->attempt_timeout_us = below(worker, 4) == 0 ? 1 + below(worker, 300) : 0;
    return held;
}

static void hold(struct worker *worker, struct held held)
{
    watch_granted(held.provider, held.key);
    worker->held[worker->n_held++] = held;
}

static void leave(struct worker *worker, int i)
{
    const struct held held = worker->held[i];
    worker->held[i] = worker->held[--worker->n_held];
    watch_leaving(held.provider, held.key);
    WATCH_HOLDS(admission_client_leave(worker->client, held.id) == ADMISSION_OK);
    if (below(worker, 20) == 0) { /* a second leave frees nothing more */
        WATCH_HOLDS(admission_client_leave(worker->client, held.id) == ADMISSION_OK);
    }
}

static void leave_all(struct worker *worker)
{
    while (worker->n_held > 0) {
        leave(worker, worker->n_held - 1);
    }
}

/* Events. */

static bool take_pending(struct worker *worker, uint64_t id, struct held *held)
{
    for (int i = 0; i < worker->n_pending; i++) {
        if (worker->pending[i].id == id) {
            *held = worker->pending[i];
            worker->pending[i] = worker->pending[--worker->n_pending];
            return true;
        }
    }
    return false;
}

/* The one final word of a ticket that was asked for without waiting. */
static void take_word(struct worker *worker, const struct admission_event *event)
{
    struct held held;
    const bool is_ours = take_pending(worker, event->id, &held);
    WATCH_HOLDS(is_ours); /* once, and for nobody else */
    if (is_ours && event->type == ADMISSION_EVENT_GRANTED) {
        if (worker->n_held == MAX_HELD) {
            leave_all(worker);
        }
        hold(worker, held);
    } else {
        watch_meet(MET_REFUSAL);
    }
}

static void take_event(struct worker *worker, const struct admission_event *event)
{
    switch (event->type) {
    case ADMISSION_EVENT_GRANTED:
    case ADMISSION_EVENT_REFUSED:
        take_word(worker, event);
        break;
    case ADMISSION_EVENT_ABORT:
        watch_meet(MET_ABORT);
        break;
    case ADMISSION_EVENT_SUPERSEDED:
        watch_meet(MET_SUPERSESSION);
        if (event->id == worker->last_listener) {
            worker->last_listener = 0;
        }
        break;
    case ADMISSION_EVENT_CLOSED:
        break;
    case ADMISSION_EVENT_ADMITTED:
    case ADMISSION_EVENT_LIVE:
        watch_fault(__FILE__, __LINE__, "a call that waited has taken its own word");
        break;
    }
}

/* Reads at most `n` events, waiting a little for each. False when the actor has ended. */
static bool read_events(struct worker *worker, uint32_t n, int64_t timeout_us)
{
    for (uint32_t i = 0; i < n; i++) {
        struct admission_event event;
        const admission_status_t status =
            admission_client_next(worker->client, timeout_us, &event);
        if (status == ADMISSION_OK) {
            take_event(worker, &event);
        } else {
            WATCH_HOLDS(status == ADMISSION_EMPTY || status == ADMISSION_CLOSED);
            return status == ADMISSION_EMPTY;
        }
    }
    return true;
}

/* What a worker does. Each returns false when the actor has ended. */

static bool admit(struct worker *worker)
{
    if (worker->n_held == MAX_HELD) {
        leave_all(worker);
    }
    struct admission_ticket ticket;
    struct held held = some_ticket(worker, &ticket);
    struct admission_event event;
    const admission_status_t status =
        admission_client_admit_ticket(worker->client, &ticket, &held.id, &event);
    if (status == ADMISSION_OK) {
        hold(worker, held);
    } else if (status == ADMISSION_REFUSED) {
        watch_meet(MET_REFUSAL);
    } else {
        WATCH_HOLDS(status == ADMISSION_CLOSED);
        return false;
    }
    return true;
}

static bool ask(struct worker *worker)
{
    if (worker->n_pending == MAX_PENDING) {
        return read_events(worker, 100, 2000);
    }
    struct admission_ticket ticket;
    struct held held = some_ticket(worker, &ticket);
    if (admission_client_request_ticket(worker->client, &ticket, &held.id) != ADMISSION_OK) {
        return false;
    }
    worker->pending[worker->n_pending++] = held;
    if (below(worker, 5) == 0) {
        (void)admission_client_cancel(worker->client, held.id);
    }
    return true;
}

static bool leave_some(struct worker *worker)
{
    if (worker->n_held > 0) {
        leave(worker, (int)below(worker, (uint32_t)worker->n_held));
    } else if (worker->n_pending > 0) {
        const struct held *held = &worker->pending[0]; /* queued or granted: both end */
        WATCH_HOLDS(admission_client_cancel(worker->client, held->id) == ADMISSION_OK);
    }
    return read_events(worker, 4, 0);
}

static bool listen_to(struct worker *worker)
{
    const uint32_t principal = below(worker, N_PRINCIPALS);
    struct admission_listen listen = admission_listen_default(principal_names[principal]);
    listen.max = principal_caps[principal];
    listen.refuse_when_full = below(worker, 10) == 0;
    struct admission_event event;
    uint64_t id;
    const admission_status_t status =
        admission_client_admit_listener(worker->client, &listen, &id, &event);
    if (status == ADMISSION_OK) {
        watch_meet(MET_ADMISSION);
        worker->last_listener = id;
    }
    WATCH_HOLDS(status == ADMISSION_OK || status == ADMISSION_REFUSED ||
                status == ADMISSION_CLOSED);
    return status != ADMISSION_CLOSED;
}

/* However many come and go, nobody ever sees more live than the cap, and each once. */
static bool look_who_is_live(struct worker *worker)
{
    const uint32_t principal = below(worker, N_PRINCIPALS);
    struct admission_event event;
    const admission_status_t status =
        admission_client_live(worker->client, principal_names[principal], &event);
    if (status != ADMISSION_OK) {
        WATCH_HOLDS(status == ADMISSION_CLOSED);
        return false;
    }
    watch_meet(MET_LIVE);
    WATCH_HOLDS((int64_t)event.n_live <= principal_caps[principal]);
    for (size_t i = 1; i < event.n_live; i++) {
        WATCH_HOLDS(event.live[i - 1].order < event.live[i].order);
    }
    return true;
}

static bool stop_listening(struct worker *worker)
{
    if (worker->last_listener != 0 && below(worker, 2) == 0) {
        (void)admission_client_leave(worker->client, worker->last_listener);
        worker->last_listener = 0;
    } else {
        (void)admission_client_leave_principal(worker->client,
                                               principal_names[below(worker, N_PRINCIPALS)]);
    }
    return read_events(worker, 8, 0);
}

static bool send_at_once(struct worker *worker)
{
    admission_client_cork(worker->client);
    bool goes_on = true;
    for (uint32_t n = below(worker, 6); n > 0 && goes_on; n--) {
        goes_on = ask(worker);
    }
    admission_client_uncork(worker->client);
    return goes_on;
}

static bool do_something(struct worker *worker)
{
    switch (below(worker, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return admit(worker);
    case 4:
    case 5:
        return ask(worker);
    case 6:
    case 7:
    case 8:
    case 9:
        return leave_some(worker);
    case 10:
    case 11:
        return listen_to(worker);
    case 12:
        return look_who_is_live(worker);
    case 13:
        return stop_listening(worker);
    case 14:
        return send_at_once(worker);
    default:
        return read_events(worker, 5, below(worker, 1000));
    }
}

/* Life. */

static bool open_client(struct worker *worker)
{
    struct round *round = worker->round;
    bool is_open = false;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_rwlock_rdlock(&round->lock);
    if (!round->is_over) {
        is_open = admission_client_new(&worker->client, round->actor) == ADMISSION_OK;
        WATCH_HOLDS(is_open);
    }
    pthread_rwlock_unlock(&round->lock);
    pthread_setcancelstate(before, NULL);
    return is_open;
}

/* The last thing of a worker that is not its client's: the library ends that one after it. */
static void end(void *arg)
{
    struct worker *worker = arg;
    while (worker->n_held > 0) {
        const struct held *held = &worker->held[--worker->n_held];
        watch_leaving(held->provider, held->key);
    }
    if (worker->client != NULL) {
        atomic_fetch_add(&worker->round->n_died, 1);
    }
    atomic_store(&worker->has_ended, true);
}

static void end_cancelled(void *arg)
{
    watch_meet(MET_CANCELLATION);
    end(arg);
}

static void destroy_client(struct worker *worker)
{
    leave_all(worker);
    admission_client_destroy(&worker->client);
    atomic_fetch_add(&worker->round->n_destroyed, 1);
    watch_meet(MET_DESTRUCTION);
}

/* ThreadSanitizer does not see the locks of a thread that was cancelled inside a call that
 * blocks - its own frame there is never left - and calls what they guard a race. So under it,
 * and under it alone, threads are cancelled between calls. */
static void be_cancelled_between_calls(void)
{
#if defined(__SANITIZE_THREAD__)
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
}

/* One life of random length. */
static void live(struct worker *worker)
{
    for (uint32_t n = 20 + below(worker, 400); n > 0; n--) {
        be_cancelled_between_calls();
        if (atomic_load(&worker->round->is_stopping) || !do_something(worker)) {
            return;
        }
    }
}

void *worker_run(void *arg)
{
    struct worker *worker = arg;
    if (open_client(worker)) {
        pthread_cleanup_push(end_cancelled, worker);
        live(worker);
        pthread_cleanup_pop(0);
        const uint32_t how = below(worker, 3);
        if (how == 0) {
            destroy_client(worker);
        } else if (how == 1) {
            watch_meet(MET_EXIT);
            end(worker);
            pthread_exit(NULL);
        } else {
            watch_meet(MET_RETURN);
        }
    }
    end(worker);
    return NULL;
}
