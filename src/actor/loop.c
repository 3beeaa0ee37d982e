/* See actor/loop.h.
 *
 * Invariant: a peer is open from its OPEN to its DOWN; `dirty` lists, once each, the peers that
 * have something to be told; one that has closed meanwhile is passed over. Whatever comes in
 * from a handle that is not open is malformed.
 */
#include "actor/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "wire/event.h"

enum {
    BUDGET = 512,          /* messages and records a turn, */
    BUDGET_PER_DIRTY = 32, /* and for each handle that has something to read */
    KEPT_ROOM = 4096,      /* a larger buffer goes back to the system when it has been sent */
};

struct peer {
    bool is_open;
    bool is_dirty;
    uint64_t number;
    struct adm_account account;
    uint8_t *bytes;
    size_t n;
    size_t room;
};

/* A call that waits for `drained`. */
struct drain {
    uint64_t call;
    int64_t until;
};

struct adm_loop {
    struct adm_port *port;
    struct adm_machine *machine;
    struct adm_effects effects;
    struct peer *peers;
    size_t n_peers;
    size_t peer_room;
    uint32_t *dirty;
    size_t n_dirty;
    size_t dirty_room;
    struct drain *drains;
    size_t n_drains;
    size_t drain_room;
    bool is_drained;
    bool is_ending;
    int64_t now;
    struct adm_loop_stats stats;
};

struct adm_loop *adm_loop_new(struct adm_port *port, struct adm_machine *machine)
{
    struct adm_loop *loop = adm_memory_new(1, sizeof *loop);
    loop->port = port;
    loop->machine = machine;
    return loop;
}

/* Peers. */

static struct peer *open_peer(struct adm_loop *loop, uint32_t handle)
{
    return handle < loop->n_peers && loop->peers[handle].is_open ? &loop->peers[handle] : NULL;
}

static void mark_dirty(struct adm_loop *loop, uint32_t handle)
{
    struct peer *peer = &loop->peers[handle];
    if (!peer->is_dirty) {
        peer->is_dirty = true;
        loop->dirty = adm_memory_reserve(loop->dirty, &loop->dirty_room, loop->n_dirty + 1,
                                         sizeof *loop->dirty);
        loop->dirty[loop->n_dirty++] = handle;
    }
}

/* Room for `size` more bytes to a handle, behind the stamp that opens its message. */
static uint8_t *extend(struct adm_loop *loop, uint32_t handle, size_t size)
{
    struct peer *peer = &loop->peers[handle];
    if (peer->n == 0) {
        peer->n = ADM_EVENT_STAMP;
    }
    peer->bytes = adm_memory_reserve(peer->bytes, &peer->room, peer->n + size, 1);
    uint8_t *at = peer->bytes + peer->n;
    peer->n += size;
    mark_dirty(loop, handle);
    return at;
}

static void deliver_to(struct adm_loop *loop, uint32_t handle, int64_t stamp_us)
{
    struct peer *peer = &loop->peers[handle];
    if (peer->n > 0) {
        adm_event_stamp_encode(stamp_us, peer->bytes);
    }
    peer->account.n_held = adm_machine_held(loop->machine, handle);
    loop->port->deliver(loop->port, handle, peer->bytes, peer->n, &peer->account);
    peer->n = 0;
    if (peer->room > KEPT_ROOM) {
        free(peer->bytes);
        peer->bytes = NULL;
        peer->room = 0;
    }
}

static void deliver(struct adm_loop *loop)
{
    if (loop->n_dirty == 0) {
        return;
    }
    const int64_t stamp_us = loop->port->wall(loop->port);
    for (size_t i = 0; i < loop->n_dirty; i++) {
        struct peer *peer = &loop->peers[loop->dirty[i]];
        peer->is_dirty = false; /* also when it has closed: its number comes back */
        if (peer->is_open) {
            deliver_to(loop, loop->dirty[i], stamp_us);
        }
    }
    loop->n_dirty = 0;
}

/* Effects. */

static void answer(struct adm_loop *loop, uint64_t call, enum adm_answer_word word)
{
    loop->port->answer(loop->port, call, &(struct adm_answer){.word = word});
}

static void end_drains(struct adm_loop *loop, enum adm_answer_word word)
{
    for (size_t i = 0; i < loop->n_drains; i++) {
        answer(loop, loop->drains[i].call, word);
    }
    loop->n_drains = 0;
}

static void add_rows(struct adm_loop *loop, uint32_t reader, const struct adm_effect *rows,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct adm_event_row row = {
            .owner = loop->peers[rows[i].handle].number,
            .id = rows[i].id,
            .order = rows[i].order,
        };
        adm_event_row_encode(&row, extend(loop, reader, ADM_EVENT_RECORD));
    }
    loop->peers[reader].account.n_words += n;
}

static void route(struct adm_loop *loop, const struct adm_effect *effect,
                  enum adm_event_type type)
{
    const struct adm_event event = {
        .type = type,
        .reason = effect->reason,
        .n = effect->n,
        .id = effect->id,
        .span_us = effect->span_us,
        .order = effect->order,
    };
    adm_event_encode(&event, extend(loop, effect->handle, ADM_EVENT_RECORD));
    loop->peers[effect->handle].account.n_words++;
}

/* Routes one effect; returns how many it took, for the rows of LIVE come behind it. */
static size_t route_effect(struct adm_loop *loop, const struct adm_effect *effect)
{
    switch (effect->type) {
    case ADM_EFFECT_GRANTED:
        route(loop, effect, ADM_EVENT_GRANTED);
        break;
    case ADM_EFFECT_REFUSED:
        route(loop, effect, ADM_EVENT_REFUSED);
        break;
    case ADM_EFFECT_ABORT:
        route(loop, effect, ADM_EVENT_ABORT);
        break;
    case ADM_EFFECT_ADMITTED:
        route(loop, effect, ADM_EVENT_ADMITTED);
        break;
    case ADM_EFFECT_SUPERSEDED:
        route(loop, effect, ADM_EVENT_SUPERSEDED);
        break;
    case ADM_EFFECT_CLOSED:
        route(loop, effect, ADM_EVENT_CLOSED);
        break;
    case ADM_EFFECT_LIVE:
        route(loop, effect, ADM_EVENT_LIVE);
        add_rows(loop, effect->handle, effect + 1, effect->n);
        return 1 + (size_t)effect->n;
    case ADM_EFFECT_LISTENER:
        adm_assert_failed(__FILE__, __LINE__, "a row comes behind its LIVE");
    case ADM_EFFECT_NO_PROVIDER:
        break; /* step_call() saw it */
    case ADM_EFFECT_DRAINED:
        loop->is_drained = true;
        end_drains(loop, ADM_ANSWER_OK);
        break;
    }
    return 1;
}

static void step(struct adm_loop *loop, const struct adm_request *request)
{
    adm_effects_clear(&loop->effects);
    adm_machine_step(loop->machine, loop->now, request, &loop->effects);
    for (size_t i = 0; i < loop->effects.n;) {
        i += route_effect(loop, &loop->effects.items[i]);
    }
}

/* Records. */

static void open_handle(struct adm_loop *loop, uint32_t handle)
{
    uint64_t number;
    if (open_peer(loop, handle) != NULL || !loop->port->open(loop->port, handle, &number)) {
        loop->stats.malformed++;
        return;
    }
    loop->peers = adm_memory_reserve(loop->peers, &loop->peer_room, (size_t)handle + 1,
                                     sizeof *loop->peers);
    while (loop->n_peers <= handle) {
        loop->peers[loop->n_peers++] = (struct peer){0};
    }
    struct peer *peer = &loop->peers[handle];
    peer->is_open = true;
    peer->number = number;
    loop->stats.opened++;
    loop->stats.handles++;
}

static void close_handle(struct adm_loop *loop, const struct adm_inbound *inbound)
{
    const uint32_t handle = inbound->request.handle;
    step(loop, &inbound->request);
    struct peer *peer = &loop->peers[handle];
    free(peer->bytes);
    const bool was_dirty = peer->is_dirty;
    *peer = (struct peer){.is_dirty = was_dirty};
    loop->port->hang_up(loop->port, handle);
    loop->stats.handles--;
    if (inbound->is_death) {
        loop->stats.died++;
    } else {
        loop->stats.destroyed++;
    }
}

static void step_handle(struct adm_loop *loop, const struct adm_inbound *inbound)
{
    const struct adm_request *request = &inbound->request;
    struct peer *peer = open_peer(loop, request->handle);
    if (peer == NULL) {
        loop->stats.malformed++;
        return;
    }
    switch (request->type) {
    case ADM_REQUEST_TICKET:
    case ADM_REQUEST_LISTENER:
    case ADM_REQUEST_LIVE:
        step(loop, request);
        loop->peers[request->handle].account.n_asked++;
        mark_dirty(loop, request->handle);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_CANCEL:
        step(loop, request);
        mark_dirty(loop, request->handle);
        break;
    case ADM_REQUEST_DOWN:
        close_handle(loop, inbound);
        break;
    case ADM_REQUEST_LIMITS:
    case ADM_REQUEST_PROVIDER:
    case ADM_REQUEST_COOLDOWN:
    case ADM_REQUEST_CLOSE:
        loop->stats.malformed++; /* the actor handle's to ask, not a client's */
        break;
    }
}

static bool is_refused(const struct adm_loop *loop, uint64_t call)
{
    for (size_t i = 0; i < loop->effects.n; i++) {
        const struct adm_effect *effect = &loop->effects.items[i];
        if (effect->type == ADM_EFFECT_NO_PROVIDER && effect->id == call) {
            return true;
        }
    }
    return false;
}

static void step_call(struct adm_loop *loop, const struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_LIMITS:
    case ADM_REQUEST_PROVIDER:
    case ADM_REQUEST_COOLDOWN:
        step(loop, request);
        answer(loop, request->id,
               is_refused(loop, request->id) ? ADM_ANSWER_NO_PROVIDER : ADM_ANSWER_OK);
        break;
    case ADM_REQUEST_TICKET:
    case ADM_REQUEST_LISTENER:
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_LIVE:
    case ADM_REQUEST_DOWN:
    case ADM_REQUEST_CLOSE:
        loop->stats.malformed++; /* a client's to ask, and this is nobody's */
        break;
    }
}

static void answer_stats(struct adm_loop *loop, uint64_t call)
{
    step(loop, NULL);
    struct adm_actor_stats stats = {.loop = loop->stats};
    adm_machine_stats(loop->machine, &stats.machine);
    if (stats.machine.running > 0) {
        stats.longest_owner = loop->peers[stats.machine.longest_handle].number;
    }
    loop->port->answer(loop->port, call,
                       &(struct adm_answer){.word = ADM_ANSWER_OK, .stats = &stats});
}

static void close_and_wait(struct adm_loop *loop, const struct adm_inbound *inbound)
{
    const uint64_t call = inbound->request.id;
    step(loop, &(struct adm_request){.type = ADM_REQUEST_CLOSE, .handle = ADM_NOBODY});
    loop->port->tell_closed(loop->port);
    if (loop->is_drained) {
        answer(loop, call, ADM_ANSWER_OK);
    } else if (inbound->drain_us == 0) {
        answer(loop, call, ADM_ANSWER_NOT_DRAINED);
    } else {
        loop->drains = adm_memory_reserve(loop->drains, &loop->drain_room, loop->n_drains + 1,
                                          sizeof *loop->drains);
        loop->drains[loop->n_drains++] =
            (struct drain){.call = call, .until = adm_time_add(loop->now, inbound->drain_us)};
    }
}

static void dispatch(struct adm_loop *loop, const struct adm_inbound *inbound)
{
    switch (inbound->type) {
    case ADM_INBOUND_STEP:
        if (inbound->request.handle == ADM_NOBODY) {
            step_call(loop, &inbound->request);
        } else {
            step_handle(loop, inbound);
        }
        break;
    case ADM_INBOUND_OPEN:
        open_handle(loop, inbound->request.handle);
        break;
    case ADM_INBOUND_STATS:
        answer_stats(loop, inbound->request.id);
        break;
    case ADM_INBOUND_HAS_PROVIDER:
        answer(loop, inbound->request.id,
               adm_machine_has_provider(loop->machine, inbound->name) ? ADM_ANSWER_OK
                                                                      : ADM_ANSWER_NO_PROVIDER);
        break;
    case ADM_INBOUND_CLOSE:
        close_and_wait(loop, inbound);
        break;
    case ADM_INBOUND_END:
        loop->is_ending = true;
        break;
    }
}

/* Reads up to ADM_FORESEE_MAX records from the front of a message; returns how many. What
 * cannot be read is dropped with all that follows it, and counted. */
static size_t read_some(struct adm_loop *loop, const uint8_t **bytes, size_t *size,
                        struct adm_inbound *records)
{
    size_t n = 0;
    while (*size > 0 && n < ADM_FORESEE_MAX) {
        const size_t length = adm_inbound_decode(*bytes, *size, &records[n]);
        if (length == 0) {
            loop->stats.malformed++;
            *size = 0;
            break;
        }
        *bytes += length;
        *size -= length;
        n++;
    }
    return n;
}

static void foresee(const struct adm_loop *loop, struct adm_inbound *records, size_t n)
{
    struct adm_request *requests[ADM_FORESEE_MAX];
    size_t n_requests = 0;
    for (size_t i = 0; i < n; i++) {
        if (records[i].type == ADM_INBOUND_STEP) {
            requests[n_requests++] = &records[i].request;
        }
    }
    adm_machine_foresee(loop->machine, requests, n_requests);
}

/* Returns what it takes of the budget. */
static size_t dispatch_message(struct adm_loop *loop, const uint8_t *bytes, size_t size)
{
    struct adm_inbound records[ADM_FORESEE_MAX];
    size_t n_handled = 1;
    loop->stats.malformed += size == 0;
    while (size > 0) {
        const size_t n = read_some(loop, &bytes, &size, records);
        foresee(loop, records, n);
        for (size_t i = 0; i < n; i++) {
            dispatch(loop, &records[i]);
        }
        n_handled += n;
    }
    return n_handled;
}

/* Time. */

static void pass_drains(struct adm_loop *loop)
{
    for (size_t i = 0; i < loop->n_drains;) {
        if (loop->drains[i].until <= loop->now) {
            answer(loop, loop->drains[i].call, ADM_ANSWER_NOT_DRAINED);
            loop->drains[i] = loop->drains[--loop->n_drains];
        } else {
            i++;
        }
    }
}

static int64_t due_at(const struct adm_loop *loop)
{
    int64_t due = adm_machine_due_at(loop->machine);
    for (size_t i = 0; i < loop->n_drains; i++) {
        due = adm_time_earlier(due, loop->drains[i].until);
    }
    return due;
}

static void step_what_is_due(struct adm_loop *loop)
{
    if (adm_machine_due_at(loop->machine) <= loop->now) {
        step(loop, NULL);
    }
    pass_drains(loop);
}

/* Handles what is there, up to the budget; returns what that took of it. */
static size_t take_batch(struct adm_loop *loop)
{
    const uint8_t *bytes;
    size_t size;
    size_t n = 0;
    while (n < BUDGET + BUDGET_PER_DIRTY * loop->n_dirty &&
           loop->port->take(loop->port, &bytes, &size)) {
        n += dispatch_message(loop, bytes, size);
    }
    return n;
}

bool adm_loop_turn(struct adm_loop *loop)
{
    loop->now = loop->port->elapsed(loop->port);
    const size_t n = take_batch(loop);
    step_what_is_due(loop);
    deliver(loop);
    if (n == 0 && !loop->is_ending) {
        loop->stats.wakeups += loop->port->wait(loop->port, due_at(loop));
    }
    return !loop->is_ending;
}

void adm_loop_inject(struct adm_loop *loop, const struct adm_inbound *inbound)
{
    loop->now = loop->port->elapsed(loop->port);
    dispatch(loop, inbound);
    deliver(loop);
}

void adm_loop_drain(struct adm_loop *loop)
{
    loop->now = loop->port->elapsed(loop->port);
    while (take_batch(loop) > 0) {
        deliver(loop);
    }
    deliver(loop);
}

void adm_loop_destroy(struct adm_loop **loop_ptr)
{
    struct adm_loop *loop = *loop_ptr;
    if (loop == NULL) {
        return;
    }
    end_drains(loop, ADM_ANSWER_ENDED);
    const struct adm_event end = {.type = ADM_EVENT_END}; /* no word: nobody reads it */
    for (uint32_t handle = 0; handle < loop->n_peers; handle++) {
        if (loop->peers[handle].is_open) {
            adm_event_encode(&end, extend(loop, handle, ADM_EVENT_RECORD));
        }
    }
    deliver(loop);
    for (uint32_t handle = 0; handle < loop->n_peers; handle++) {
        if (loop->peers[handle].is_open) {
            loop->port->hang_up(loop->port, handle);
        }
        free(loop->peers[handle].bytes);
    }
    adm_machine_destroy(&loop->machine);
    adm_effects_deinit(&loop->effects);
    free(loop->peers);
    free(loop->dirty);
    free(loop->drains);
    free(loop);
    *loop_ptr = NULL;
}
