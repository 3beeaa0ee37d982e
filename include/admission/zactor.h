/* The actor as a zactor, for programs that live in czmq. Needs czmq.h and -lczmq.
 *
 *     zactor_t *actor = zactor_new (admission_actor, NULL);
 *
 * starts it with the default options; pass a `struct admission_options *` for others, which is
 * read before zactor_new() returns. It blocks all signals in its thread. Invalid options, or
 * sockets that can't be had, do not hang zactor_new(): every command but $TERM is then answered
 * "invalid" or "no-resources".
 *
 * Commands are strings. Send one, then read its answer, which begins with "ok", or with
 * "invalid" and what is wrong, "unknown-provider", "not-drained" or "no-resources". Numbers are
 * decimal, durations in microseconds; "none" is ADMISSION_NONE.
 *
 * Change limits, by the names of struct admission_limits (R1):
 *     zstr_sendx (actor, "LIMITS", "max_concurrent", "4", "queue_capacity", "none", NULL);
 *
 * Change or add a provider, by the names of struct admission_provider:
 *     zstr_sendx (actor, "PROVIDER", "search", "max_concurrent", "2", NULL);
 *
 * Cool a provider down (T8):
 *     zstr_sendx (actor, "COOLDOWN", "search", "1500000", NULL);
 *
 * Read the books: "ok", then a name and a number in turn, by the names of struct
 * admission_stats: zstr_sendx (actor, "STATS", NULL);
 *
 * Close, and wait at most one second for what runs (K1, K2):
 *     zstr_sendx (actor, "CLOSE", "1000000", NULL);
 *
 * Who never reads the answers holds nobody up: the pipe keeps as many as zsys_pipehwm() and
 * zsys_rcvhwm() say together, 2000 unless you set them, and what comes beyond is carried out
 * but not answered. So send at most that many commands before you read, and read the answer to
 * the last one before zactor_destroy(): czmq drops the end of an actor into a pipe that is full
 * of commands, and leaves the actor behind. Destroy it before the process ends, too: at exit
 * czmq closes the pipe under an actor that it finds, which then ends the process with one line.
 *
 * Open clients with the handle that admission_actor_of() gives; zactor_destroy() closes with no
 * drain time and ends the actor. */
#ifndef ADMISSION_ZACTOR_H
#define ADMISSION_ZACTOR_H

#include "admission/actor.h"
#include "admission/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As czmq.h declares them. */
typedef struct _zsock_t zsock_t;
typedef struct _zactor_t zactor_t;

/* The function for zactor_new(). */
ADMISSION_EXPORT void admission_actor(zsock_t *pipe, void *options);

/* The actor handle of a zactor that runs admission_actor(): for admission_client_new() and the
 * functions of admission/actor.h, from any thread, but for admission_actor_destroy(). It
 * belongs to the zactor and ends with it; clients may live longer. Call it where the commands
 * are sent. NULL when the actor could not start. */
ADMISSION_EXPORT admission_actor_t *admission_actor_of(zactor_t *zactor);

#ifdef __cplusplus
}
#endif

#endif
