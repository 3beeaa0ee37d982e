/* What the loop should do, worked out beside it.
 *
 * It is shown every message that the loop takes, before the loop handles it, and runs a machine
 * of its own; whatever the loop then delivers or answers has to be what it holds ready. It
 * knows nothing of turns but their order: what is taken is answered for in the same turn, once
 * for each handle. It is wrong loudly: the first difference is printed and aborts. */
#ifndef ADM_TESTS_ACTOR_SHADOW_H
#define ADM_TESTS_ACTOR_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/port.h"
#include "core/machine.h"
#include "sim.h"

struct shadow_peer {
    bool is_open;
    bool is_owed;   /* a delivery in this turn */
    bool is_reborn; /* its number went down in this turn: an empty delivery may be left over */
    unsigned n_calling;
    uint64_t number;
    struct adm_account account;
    uint8_t *words; /* the records it is to get */
    size_t n;
    size_t room;
};

struct shadow_call {
    uint64_t call;
    bool is_waiting; /* for `drained`, or for `until` */
    int64_t until;
    enum adm_answer_word word;
    struct adm_actor_stats *stats; /* of STATS */
};

struct shadow {
    struct adm_machine *machine;
    struct adm_effects effects;
    int64_t now;
    bool is_drained;
    bool is_ending; /* time stands still: nothing becomes due any more */
    struct shadow_peer peers[SIM_HANDLES];
    uint64_t n_numbers;
    struct shadow_call *calls;
    size_t n_calls;
    size_t call_room;
    struct adm_loop_stats stats;

    /* What was reached, so that a test can tell that it tested something. */
    uint64_t n_deliveries;
    uint64_t n_words;
    uint64_t n_answers;
    uint64_t n_not_drained;
};

void shadow_init(struct shadow *shadow);
void shadow_deinit(struct shadow *shadow);

/* What the sim shows it. */
void shadow_call(struct shadow *shadow, uint32_t handle);
void shadow_now(struct shadow *shadow, int64_t now);
void shadow_take(struct shadow *shadow, const uint8_t *bytes, size_t size);
void shadow_deliver(struct shadow *shadow, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account, int64_t stamp_us);
void shadow_answer(struct shadow *shadow, uint64_t call, const struct adm_answer *answer);

/* A turn is over: nothing is owed. */
void shadow_turned(struct shadow *shadow);

/* The loop handles what is left, and looks at no timer any more. */
void shadow_drain(struct shadow *shadow);

/* The loop is about to end: every call that waits and every open handle is to hear of it. */
void shadow_end(struct shadow *shadow);

#endif
