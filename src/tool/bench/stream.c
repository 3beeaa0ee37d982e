/* See tool/bench/stream.h. */
#include "tool/bench/stream.h"

#include <stdio.h>

#include "base/assert.h"

void adm_stream_init(struct adm_stream *stream, admission_actor_t *actor, size_t i, size_t cork)
{
    *stream = (struct adm_stream){.client = adm_door_client(actor), .cork = cork};
    for (size_t k = 0; k < ADM_STREAM_PRINCIPALS; k++) {
        snprintf(stream->principals[k], sizeof stream->principals[k], "principal-%zu-%zu", i,
                 k);
    }
}

void adm_stream_deinit(struct adm_stream *stream)
{
    admission_client_destroy(&stream->client);
}

static void hold_back(const struct adm_stream *stream)
{
    if (stream->cork > 1) {
        admission_client_cork(stream->client);
    }
}

static void let_go(const struct adm_stream *stream)
{
    if (stream->cork > 1) {
        admission_client_uncork(stream->client);
    }
}

static void ask(struct adm_stream *stream)
{
    hold_back(stream);
    for (size_t i = 0; i < stream->cork; i++) {
        const size_t k = (stream->n_asked + i) % ADM_STREAM_PRINCIPALS;
        const struct admission_listen listen = admission_listen_default(stream->principals[k]);
        ADM_ASSERT(admission_client_request_listener(stream->client, &listen, NULL) ==
                   ADMISSION_OK);
    }
    let_go(stream);
    stream->n_asked += stream->cork;
}

static void read_what_is_there(struct adm_stream *stream)
{
    struct admission_event event = adm_door_next(stream->client);
    hold_back(stream);
    do {
        if (event.type == ADMISSION_EVENT_ADMITTED) {
            admission_client_leave(stream->client, event.id);
            stream->n_answered++;
        }
    } while (admission_client_next(stream->client, 0, &event) == ADMISSION_OK);
    let_go(stream);
}

void adm_stream_turn(struct adm_stream *stream, size_t n)
{
    while (stream->n_asked < n &&
           stream->n_asked + stream->cork <= stream->n_answered + ADM_STREAM_WINDOW) {
        ask(stream);
    }
    read_what_is_there(stream);
}
