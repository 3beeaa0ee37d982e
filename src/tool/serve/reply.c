/* See tool/serve/reply.h. No answer is ever kept by a cache or guessed at by a browser. */
#include "tool/serve/reply.h"

#include <stdlib.h>
#include <string.h>

struct adm_reply adm_reply_text(unsigned status, const char *text)
{
    struct adm_reply reply = {.status = status};
    if (text != NULL) {
        reply.type = "text/plain; charset=utf-8";
        reply.body = strdup(text);
        reply.n_body = strlen(text);
    }
    return reply;
}

struct adm_reply adm_reply_with(struct adm_reply reply, const char *header, const char *value)
{
    free(reply.value);
    reply.header = header;
    reply.value = strdup(value);
    return reply;
}

struct adm_reply adm_reply_json(unsigned status, json_t *json)
{
    char *body = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    if (body == NULL) {
        abort();
    }
    return (struct adm_reply){
        .status = status,
        .type = "application/json",
        .body = body,
        .n_body = strlen(body),
    };
}

enum MHD_Result adm_reply_send(struct adm_reply *reply, struct MHD_Connection *connection)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->n_body, reply->body, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (reply->type != NULL) {
        MHD_add_response_header(response, "Content-Type", reply->type);
    }
    if (reply->header != NULL) {
        MHD_add_response_header(response, reply->header, reply->value);
    }
    const enum MHD_Result result = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    adm_reply_deinit(reply);
    return result;
}

void adm_reply_deinit(struct adm_reply *reply)
{
    free(reply->body);
    free(reply->value);
    *reply = (struct adm_reply){0};
}
