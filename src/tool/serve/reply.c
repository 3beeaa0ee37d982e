/* See tool/serve/reply.h. No answer is ever kept by a cache or guessed at by a browser. A body
 * is not copied on its way out: libmicrohttpd frees what was made, and leaves what lasts. */
#include "tool/serve/reply.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tool/serve/json.h"

struct adm_reply adm_reply_text(unsigned status, const char *text)
{
    struct adm_reply reply = {.status = status};
    if (text != NULL) {
        reply.type = ADM_REPLY_TEXT;
        reply.lasting = text;
        reply.n_body = strlen(text);
    }
    return reply;
}

struct adm_reply adm_reply_spool(unsigned status, const char *type, struct adm_spool *spool)
{
    struct adm_reply reply = {
        .status = status,
        .type = type,
        .n_body = adm_spool_length(spool),
    };
    reply.body = adm_spool_string(spool);
    return reply;
}

struct adm_reply adm_reply_with(struct adm_reply reply, const char *header, const char *value)
{
    const size_t n = strlen(value) + 1;
    free(reply.value);
    reply.header = header;
    reply.value = adm_memory_new(n, 1);
    memcpy(reply.value, value, n);
    return reply;
}

struct adm_reply adm_reply_json(unsigned status, json_t *json)
{
    char *body = adm_json_text(json);
    return (struct adm_reply){
        .status = status,
        .type = "application/json",
        .body = body,
        .n_body = strlen(body),
    };
}

static struct MHD_Response *response_of(struct adm_reply *reply)
{
    if (reply->lasting != NULL) {
        return MHD_create_response_from_buffer(reply->n_body, (void *)(uintptr_t)reply->lasting,
                                               MHD_RESPMEM_PERSISTENT);
    }
    char *body = reply->body;
    reply->body = NULL;
    return MHD_create_response_from_buffer(reply->n_body, body, MHD_RESPMEM_MUST_FREE);
}

enum MHD_Result adm_reply_send(struct adm_reply *reply, struct MHD_Connection *connection)
{
    struct MHD_Response *response = response_of(reply);
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
