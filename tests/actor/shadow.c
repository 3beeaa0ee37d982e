/* See shadow.h. */
#include "shadow.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/event.h"

/* Not an assertion of the library's: what is printed is what the loop did wrong. */
#define HOLDS(shadow, promise) ((promise) ? (void)0 : fail((shadow), __LINE__, #promise))

static void fail(const struct shadow *shadow, int line, const char *promise)
{
    fprintf(stderr, "shadow.c:%d: at %" PRId64 "us, after %" PRIu64 " deliveries: not so: %s\n",
            line, shadow->now, shadow->n_deliveries, promise);
    abort();
}

void shadow_init(struct shadow *shadow)
{
    const struct adm_limits limits = adm_limits_default();
    const struct adm_hash_key key = {0};
    *shadow = (struct shadow){.machine = adm_machine_new(&limits, &key)};
}

void shadow_deinit(struct shadow *shadow)
{
    for (uint32_t handle = 0; handle < SIM_HANDLES; handle++) {
        free(shadow->peers[handle].words);
    }
    free(shadow->calls);
    adm_effects_deinit(&shadow->effects);
    adm_machine_destroy(&shadow->machine);
}

void shadow_call(struct shadow *shadow, uint32_t handle)
{
    shadow->peers[handle].n_calling++;
}

void shadow_now(struct shadow *shadow, int64_t now)
{
    shadow->now = now;
}

/* Expectations. */

static uint8_t *owe(struct shadow *shadow, uint32_t handle)
{
    HOLDS(shadow, handle < SIM_HANDLES && shadow->peers[handle].is_open);
    struct shadow_peer *peer = &shadow->peers[handle];
    peer->words = adm_memory_reserve(peer->words, &peer->room, peer->n + ADM_EVENT_RECORD, 1);
    uint8_t *at = peer->words + peer->n;
    peer->n += ADM_EVENT_RECORD;
    peer->is_owed = true;
    return at;
}

static struct shadow_call *expect_call(struct shadow *shadow, uint64_t call)
{
    shadow->calls = adm_memory_reserve(shadow->calls, &shadow->call_room, shadow->n_calls + 1,
                                       sizeof *shadow->calls);
    shadow->calls[shadow->n_calls] = (struct shadow_call){.call = call};
    return &shadow->calls[shadow->n_calls++];
}

static void expect_answer(struct shadow *shadow, uint64_t call, enum adm_answer_word word)
{
    expect_call(shadow, call)->word = word;
}

static void answer_waiting(struct shadow *shadow, int64_t until, enum adm_answer_word word)
{
    for (size_t i = 0; i < shadow->n_calls; i++) {
        struct shadow_call *call = &shadow->calls[i];
        if (call->is_waiting && call->until <= until) {
            call->is_waiting = false;
            call->word = word;
        }
    }
}

static void expect_effect(struct shadow *shadow, const struct adm_effect *effect)
{
    static const enum adm_event_type types[] = {
        [ADM_EFFECT_GRANTED] = ADM_EVENT_GRANTED,
        [ADM_EFFECT_REFUSED] = ADM_EVENT_REFUSED,
        [ADM_EFFECT_ABORT] = ADM_EVENT_ABORT,
        [ADM_EFFECT_ADMITTED] = ADM_EVENT_ADMITTED,
        [ADM_EFFECT_SUPERSEDED] = ADM_EVENT_SUPERSEDED,
        [ADM_EFFECT_CLOSED] = ADM_EVENT_CLOSED,
        [ADM_EFFECT_LIVE] = ADM_EVENT_LIVE,
    };
    if (effect->type == ADM_EFFECT_DRAINED) {
        shadow->is_drained = true;
        answer_waiting(shadow, ADM_NEVER, ADM_ANSWER_OK);
    } else if (effect->type <= ADM_EFFECT_LIVE) {
        adm_event_encode(&(struct adm_event){.type = types[effect->type],
                                             .reason = effect->reason,
                                             .n = effect->n,
                                             .id = effect->id,
                                             .span_us = effect->span_us,
                                             .order = effect->order},
                         owe(shadow, effect->handle));
        shadow->peers[effect->handle].account.n_words++;
    }
}

/* The rows of LIVE are told of their owners, and go to whoever asked. */
static void step(struct shadow *shadow, const struct adm_request *request)
{
    uint32_t reader = ADM_NOBODY;
    adm_effects_clear(&shadow->effects);
    adm_machine_step(shadow->machine, shadow->now, request, &shadow->effects);
    for (size_t i = 0; i < shadow->effects.n; i++) {
        const struct adm_effect *effect = &shadow->effects.items[i];
        if (effect->type == ADM_EFFECT_LISTENER) {
            adm_event_row_encode(
                &(struct adm_event_row){.owner = shadow->peers[effect->handle].number,
                                        .id = effect->id,
                                        .order = effect->order},
                owe(shadow, reader));
            shadow->peers[reader].account.n_words++;
        } else {
            expect_effect(shadow, effect);
            reader = effect->handle;
        }
    }
}

static bool has_told_no_provider(const struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->effects.n; i++) {
        if (shadow->effects.items[i].type == ADM_EFFECT_NO_PROVIDER) {
            return true;
        }
    }
    return false;
}

/* Records. Each returns false when the record is not its sender's to say. */

static bool take_open(struct shadow *shadow, uint32_t handle)
{
    if (handle >= SIM_HANDLES || shadow->peers[handle].is_open ||
        shadow->peers[handle].n_calling == 0) {
        return false;
    }
    struct shadow_peer *peer = &shadow->peers[handle];
    peer->n_calling--;
    peer->is_open = true;
    peer->number = ++shadow->n_numbers;
    shadow->stats.opened++;
    shadow->stats.handles++;
    return true;
}

static void take_down(struct shadow *shadow, struct shadow_peer *peer, bool is_death)
{
    free(peer->words);
    *peer = (struct shadow_peer){.n_calling = peer->n_calling, .is_reborn = true};
    shadow->stats.handles--;
    shadow->stats.died += is_death;
    shadow->stats.destroyed += !is_death;
}

static bool take_of_handle(struct shadow *shadow, const struct adm_inbound *inbound)
{
    const struct adm_request *request = &inbound->request;
    if (request->handle >= SIM_HANDLES || !shadow->peers[request->handle].is_open ||
        request->type > ADM_REQUEST_DOWN) {
        return false;
    }
    struct shadow_peer *peer = &shadow->peers[request->handle];
    step(shadow, request);
    peer->is_owed = true;
    peer->account.n_asked += request->type == ADM_REQUEST_TICKET ||
                             request->type == ADM_REQUEST_LISTENER ||
                             request->type == ADM_REQUEST_LIVE;
    if (request->type == ADM_REQUEST_DOWN) {
        take_down(shadow, peer, inbound->is_death);
    }
    return true;
}

static bool take_of_nobody(struct shadow *shadow, const struct adm_request *request)
{
    if (request->type < ADM_REQUEST_LIMITS) {
        return false;
    }
    step(shadow, request);
    expect_answer(shadow, request->id,
                  has_told_no_provider(shadow) ? ADM_ANSWER_NO_PROVIDER : ADM_ANSWER_OK);
    return true;
}

static void take_close(struct shadow *shadow, const struct adm_inbound *inbound)
{
    step(shadow, &(struct adm_request){.type = ADM_REQUEST_CLOSE, .handle = ADM_NOBODY});
    struct shadow_call *call = expect_call(shadow, inbound->request.id);
    call->word = shadow->is_drained ? ADM_ANSWER_OK : ADM_ANSWER_NOT_DRAINED;
    call->is_waiting = !shadow->is_drained && inbound->drain_us > 0;
    call->until = adm_time_add(shadow->now, inbound->drain_us);
}

/* The books as they are now: more may follow in the same message. */
static void take_stats(struct shadow *shadow, uint64_t number)
{
    step(shadow, NULL);
    struct shadow_call *call = expect_call(shadow, number);
    call->word = ADM_ANSWER_OK;
    call->stats = adm_memory_new(1, sizeof *call->stats);
    call->stats->loop = shadow->stats;
    adm_machine_stats(shadow->machine, &call->stats->machine);
    if (call->stats->machine.running > 0) {
        const uint32_t longest = call->stats->machine.longest_handle;
        call->stats->longest_owner = shadow->peers[longest].number;
    }
}

static bool take_record(struct shadow *shadow, const struct adm_inbound *inbound)
{
    const struct adm_request *request = &inbound->request;
    switch (inbound->type) {
    case ADM_INBOUND_STEP:
        return request->handle == ADM_NOBODY ? take_of_nobody(shadow, request)
                                             : take_of_handle(shadow, inbound);
    case ADM_INBOUND_OPEN:
        return take_open(shadow, request->handle);
    case ADM_INBOUND_STATS:
        take_stats(shadow, request->id);
        return true;
    case ADM_INBOUND_HAS_PROVIDER:
        expect_answer(shadow, request->id,
                      adm_machine_has_provider(shadow->machine, inbound->name)
                          ? ADM_ANSWER_OK
                          : ADM_ANSWER_NO_PROVIDER);
        return true;
    case ADM_INBOUND_CLOSE:
        take_close(shadow, inbound);
        return true;
    case ADM_INBOUND_END:
        return true;
    }
    return false;
}

void shadow_take(struct shadow *shadow, const uint8_t *bytes, size_t size)
{
    shadow->stats.malformed += size == 0;
    for (size_t at = 0; at < size;) {
        struct adm_inbound inbound;
        const size_t length = adm_inbound_decode(bytes + at, size - at, &inbound);
        if (length == 0) {
            shadow->stats.malformed++;
            return;
        }
        shadow->stats.malformed += !take_record(shadow, &inbound);
        at += length;
    }
}

/* Comparing. */

/* What is due comes after what was taken and before what is delivered. */
static void settle(struct shadow *shadow)
{
    if (shadow->is_ending) {
        return;
    }
    if (adm_machine_due_at(shadow->machine) <= shadow->now) {
        step(shadow, NULL);
    }
    answer_waiting(shadow, shadow->now, ADM_ANSWER_NOT_DRAINED);
}

void shadow_deliver(struct shadow *shadow, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account, int64_t stamp_us)
{
    settle(shadow);
    HOLDS(shadow, handle < SIM_HANDLES && shadow->peers[handle].is_open);
    struct shadow_peer *peer = &shadow->peers[handle];
    HOLDS(shadow, peer->is_owed || (peer->is_reborn && size == 0));
    HOLDS(shadow, account->n_asked == peer->account.n_asked);
    HOLDS(shadow, account->n_words == peer->account.n_words);
    HOLDS(shadow, account->n_held == adm_machine_held(shadow->machine, handle));
    HOLDS(shadow, size == (peer->n == 0 ? 0 : ADM_EVENT_STAMP + peer->n));
    if (size > 0) {
        int64_t stamped_us;
        HOLDS(shadow, adm_event_stamp_decode(bytes, size, &stamped_us));
        HOLDS(shadow, stamped_us == stamp_us);
        HOLDS(shadow, memcmp(bytes + ADM_EVENT_STAMP, peer->words, peer->n) == 0);
    }
    shadow->n_deliveries++;
    shadow->n_words += peer->n / ADM_EVENT_RECORD;
    peer->is_owed = false;
    peer->n = 0;
}

static void compare_stats(struct shadow *shadow, const struct adm_actor_stats *ours,
                          const struct adm_actor_stats *theirs)
{
    const struct adm_loop_stats *loop = &theirs->loop;
    HOLDS(shadow, memcmp(&ours->machine, &theirs->machine,
                         offsetof(struct adm_stats, longest_held_us)) == 0);
    HOLDS(shadow, ours->machine.longest_held_us == theirs->machine.longest_held_us);
    HOLDS(shadow, ours->machine.longest_id == theirs->machine.longest_id);
    HOLDS(shadow, ours->longest_owner == theirs->longest_owner);
    HOLDS(shadow, ours->loop.handles == loop->handles && ours->loop.opened == loop->opened);
    HOLDS(shadow, ours->loop.destroyed == loop->destroyed && ours->loop.died == loop->died);
    /* What cannot be read behind the question, in its own message, may have been counted. */
    HOLDS(shadow, ours->loop.malformed <= loop->malformed);
    HOLDS(shadow, loop->malformed <= shadow->stats.malformed);
}

static struct shadow_call *find_call(struct shadow *shadow, uint64_t number)
{
    for (size_t i = 0; i < shadow->n_calls; i++) {
        if (shadow->calls[i].call == number && !shadow->calls[i].is_waiting) {
            return &shadow->calls[i];
        }
    }
    return NULL;
}

void shadow_answer(struct shadow *shadow, uint64_t number, const struct adm_answer *answer)
{
    struct shadow_call *call = find_call(shadow, number);
    if (call == NULL) {
        settle(shadow);
        call = find_call(shadow, number);
    }
    HOLDS(shadow, call != NULL);
    HOLDS(shadow, call->word == answer->word);
    shadow->n_answers++;
    shadow->n_not_drained += answer->word == ADM_ANSWER_NOT_DRAINED;
    HOLDS(shadow, (call->stats != NULL) == (answer->stats != NULL));
    if (answer->stats != NULL) {
        compare_stats(shadow, call->stats, answer->stats);
        free(call->stats);
    }
    /* In order: a damaged message can make two calls of one number. */
    const size_t n_behind = shadow->n_calls - 1 - (size_t)(call - shadow->calls);
    memmove(call, call + 1, n_behind * sizeof *call);
    shadow->n_calls--;
}

void shadow_turned(struct shadow *shadow)
{
    settle(shadow);
    for (uint32_t handle = 0; handle < SIM_HANDLES; handle++) {
        HOLDS(shadow, !shadow->peers[handle].is_owed);
        shadow->peers[handle].is_reborn = false;
    }
    for (size_t i = 0; i < shadow->n_calls; i++) {
        HOLDS(shadow, shadow->calls[i].is_waiting);
    }
}

void shadow_drain(struct shadow *shadow)
{
    shadow->is_ending = true;
}

void shadow_end(struct shadow *shadow)
{
    shadow->is_ending = true;
    answer_waiting(shadow, ADM_NEVER, ADM_ANSWER_ENDED);
    for (uint32_t handle = 0; handle < SIM_HANDLES; handle++) {
        if (shadow->peers[handle].is_open) {
            adm_event_encode(&(struct adm_event){.type = ADM_EVENT_END}, owe(shadow, handle));
        }
    }
}
