/* See tool/serve/sse.h. An EventSource reconnects whenever a response ends, which at the cap
 * would supersede the next stream, and so on for ever: hence the id of the last event. */
#include "tool/serve/sse.h"

#include <inttypes.h>
#include <stdlib.h>

#include <jansson.h>

#include "tool/serve/json.h"
#include "tool/serve/reply.h"

void adm_sse_add(struct adm_spool *spool, const char *id, const char *event, const char *data)
{
    if (id != NULL) {
        adm_spool_print(spool, "id: %s\n", id);
    }
    adm_spool_add_text(spool, "event: ");
    adm_spool_add_text(spool, event);
    adm_spool_add_text(spool, "\ndata: ");
    adm_spool_add_text(spool, data);
    adm_spool_add_text(spool, "\n\n");
}

static void greet(const struct adm_stream *stream, struct adm_spool *spool)
{
    json_t *json = json_pack("{sI ss sI sI}", "ref", (json_int_t)stream->id, "principal",
                             stream->principal->name, "order", (json_int_t)stream->order, "max",
                             (json_int_t)stream->max);
    char *data = adm_json_text(json);
    adm_sse_add(spool, NULL, "admitted", data);
    free(data);
}

static void tell(const struct adm_stream *stream, const struct adm_news *news,
                 struct adm_spool *spool)
{
    (void)stream;
    adm_sse_add(spool, NULL, "message", news->json);
}

static void tell_change(const struct adm_stream *stream, enum adm_stream_wants what,
                        struct adm_spool *spool)
{
    (void)stream;
    adm_sse_add(spool, NULL, what == ADM_STREAM_WANTS_TOPICS ? "topics" : "tools", "{}");
}

static const char *end_word(enum adm_stream_end end)
{
    switch (end) {
    case ADM_STREAM_SUPERSEDED:
        return "superseded";
    case ADM_STREAM_SHUTDOWN:
        return "shutdown";
    }
    return "";
}

static void end(const struct adm_stream *stream, enum adm_stream_end end,
                struct adm_spool *spool)
{
    char id[64];
    char data[96];
    const char *word = end_word(end);
    snprintf(id, sizeof id, ADM_SSE_END "%s:%" PRIu64, word, stream->id);
    snprintf(data, sizeof data, "{\"ref\":%" PRIu64 ",\"reason\":\"%s\"}", stream->id, word);
    adm_sse_add(spool, id, word, data);
}

enum MHD_Result adm_sse_refuse(struct MHD_Connection *connection)
{
    struct adm_reply reply = adm_reply_with(
        adm_reply_text(MHD_HTTP_SERVICE_UNAVAILABLE, "no stream can be had now\n"),
        "Retry-After", "1");
    return adm_reply_send(&reply, connection);
}

static enum MHD_Result refuse(const struct adm_stream *stream)
{
    return adm_sse_refuse(stream->connection);
}

const struct adm_dialect adm_sse_dialect = {
    .greet = greet,
    .tell = tell,
    .tell_change = tell_change,
    .end = end,
    .refuse = refuse,
};
