/* A client that keeps many admits in flight, and leaves whatever it was admitted for. */
#ifndef ADM_TOOL_BENCH_STREAM_H
#define ADM_TOOL_BENCH_STREAM_H

#include <admission.h>
#include <stddef.h>

#include "tool/bench/door.h"

/* So many in flight, of so many principals in turn that none of them is superseded. */
enum {
    ADM_STREAM_WINDOW = 1024,
    ADM_STREAM_PRINCIPALS = ADM_STREAM_WINDOW / ADM_DOOR_CAP
};

struct adm_stream {
    admission_client_t *client;
    char principals[ADM_STREAM_PRINCIPALS][32];
    size_t cork; /* requests a message; 1: not corked */
    size_t n_asked;
    size_t n_answered;
};

/* Opens a client, of the calling thread, whose principals are those of number `i`. */
void adm_stream_init(struct adm_stream *stream, admission_actor_t *actor, size_t i,
                     size_t cork);
void adm_stream_deinit(struct adm_stream *stream);

/* Fills the window, but asks for no more than `n` altogether, and reads what is there, waiting
 * for the first. */
void adm_stream_turn(struct adm_stream *stream, size_t n);

#endif
