/* The loop of the actor: takes messages, steps the machine, delivers its effects.
 *
 * It is driven in turns, by a thread of the library or by a zactor's. A turn drains what is
 * there, up to a budget that grows with the number of handles that have something to read,
 * steps what is due, delivers one message to each of those handles, and waits when there was
 * nothing to do. So neither traffic nor timers starve each other, and nobody's answer waits for
 * more than a batch. It knows no rule of admission and no socket. */
#ifndef ADM_ACTOR_LOOP_H
#define ADM_ACTOR_LOOP_H

#include <stdbool.h>

#include "actor/port.h"
#include "core/machine.h"
#include "wire/inbound.h"

struct adm_loop;

/* `port` outlives the loop. `machine` becomes the loop's. */
struct adm_loop *adm_loop_new(struct adm_port *port, struct adm_machine *machine);

/* Answers every call that still waits with ADM_ANSWER_ENDED, tells every open handle the end,
 * and frees all. NULL is fine. */
void adm_loop_destroy(struct adm_loop **loop);

/* One turn; returns false once END has been handled. */
bool adm_loop_turn(struct adm_loop *loop);

/* Handles one record at once, outside a turn, as if it had come through the inlet. */
void adm_loop_inject(struct adm_loop *loop, const struct adm_inbound *inbound);

/* Handles whatever the inlet still holds, then delivers: for the end, when no more can come. */
void adm_loop_drain(struct adm_loop *loop);

#endif
