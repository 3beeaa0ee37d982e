/* See tool/serve/mcp_listen.h. A stream's tag is the id of its request as JSON, which every
 * frame repeats; its hello is what was honoured, for the acknowledgement. No frame has an `id:`
 * line, which would make clients ask for the missed ones with a GET. */
#include "tool/serve/mcp_listen.h"

#include <stdlib.h>
#include <string.h>

#include "tool/serve/json.h"
#include "tool/serve/mcp_uri.h"
#include "tool/serve/sse.h"

#define SUBSCRIPTION ADM_MCP_META "subscriptionId"

static json_t *read_id(const char *tag)
{
    return json_loads(tag, JSON_DECODE_ANY, NULL);
}

/* Adds one message as an event; takes it. */
static void add(struct adm_spool *spool, json_t *message)
{
    char *text = adm_json_text(message);
    adm_sse_add(spool, NULL, "message", text);
    free(text);
}

/* `member` of the params says more, unless it is NULL; takes `value`. */
static void add_notification(struct adm_spool *spool, const char *tag, const char *method,
                             const char *member, json_t *value)
{
    json_t *params = json_pack("{s{so}}", "_meta", SUBSCRIPTION, read_id(tag));
    if (member != NULL) {
        json_object_set_new(params, member, value);
    }
    add(spool, json_pack("{ss ss so}", "jsonrpc", "2.0", "method", method, "params", params));
}

/* Takes `honoured`. */
static void add_acknowledgement(struct adm_spool *spool, const char *tag, json_t *honoured)
{
    add_notification(spool, tag, "notifications/subscriptions/acknowledged", "notifications",
                     honoured);
}

/* `reason` is no part of MCP: a key under a name of our own, which clients pass over. */
static void add_result(struct adm_spool *spool, const char *tag, const char *reason)
{
    json_t *meta =
        json_pack("{so so ss}", SUBSCRIPTION, read_id(tag), ADM_MCP_META "serverInfo",
                  adm_mcp_server_info(), "admission/reason", reason);
    add(spool, json_pack("{ss so s{ss so}}", "jsonrpc", "2.0", "id", read_id(tag), "result",
                         "resultType", "complete", "_meta", meta));
}

static void greet(const struct adm_stream *stream, struct adm_spool *spool)
{
    add_acknowledgement(spool, stream->tag, json_loads(stream->hello, 0, NULL));
}

static void tell(const struct adm_stream *stream, const struct adm_news *news,
                 struct adm_spool *spool)
{
    char uri[ADM_MCP_URI_ROOM];
    adm_mcp_uri_write(uri, news->topic);
    add_notification(spool, stream->tag, "notifications/resources/updated", "uri",
                     json_string(uri));
}

static void tell_change(const struct adm_stream *stream, enum adm_stream_wants what,
                        struct adm_spool *spool)
{
    add_notification(spool, stream->tag,
                     what == ADM_STREAM_WANTS_TOPICS ? "notifications/resources/list_changed"
                                                     : "notifications/tools/list_changed",
                     NULL, NULL);
}

static void end(const struct adm_stream *stream, enum adm_stream_end end,
                struct adm_spool *spool)
{
    add_result(spool, stream->tag, end == ADM_STREAM_SUPERSEDED ? "superseded" : "shutdown");
}

struct adm_reply adm_mcp_listen_refusal(const struct adm_mcp_call *call)
{
    return adm_mcp_error(call, MHD_HTTP_OK, ADM_MCP_INTERNAL, "No stream can be had now", NULL);
}

static enum MHD_Result refuse(const struct adm_stream *stream)
{
    const struct adm_mcp_call call = {.id = read_id(stream->tag)};
    struct adm_reply reply = adm_mcp_listen_refusal(&call);
    json_decref(call.id);
    return adm_reply_send(&reply, stream->connection);
}

static const struct adm_dialect dialect = {
    .greet = greet,
    .tell = tell,
    .tell_change = tell_change,
    .end = end,
    .refuse = refuse,
};

/* Is every member that we know of the type it has to be? */
static bool is_filter(const json_t *notifications)
{
    static const char *const flags[] = {"toolsListChanged", "promptsListChanged",
                                        "resourcesListChanged"};
    if (!json_is_object(notifications)) {
        return false;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const json_t *flag = json_object_get(notifications, flags[i]);
        if (flag != NULL && !json_is_boolean(flag)) {
            return false;
        }
    }
    const json_t *uris = json_object_get(notifications, "resourceSubscriptions");
    if (uris == NULL) {
        return true;
    }
    if (!json_is_array(uris) || json_array_size(uris) > ADM_MCP_URIS_MAX) {
        return false;
    }
    size_t i;
    const json_t *uri;
    json_array_foreach(uris, i, uri)
    {
        if (!json_is_string(uri)) {
            return false;
        }
    }
    return true;
}

/* The URIs of topics, once each. */
static json_t *honour_uris(const json_t *uris, struct adm_mcp_filter *filter,
                           struct adm_stream_wish *wish)
{
    json_t *honoured = json_array();
    size_t i;
    json_t *uri;
    wish->topics = filter->topics;
    json_array_foreach(uris, i, uri)
    {
        struct adm_name *topic = &filter->topics[wish->n_topics];
        char *bytes = filter->bytes[wish->n_topics];
        if (adm_mcp_uri_read(json_string_value(uri), bytes, topic) &&
            adm_press_is_topic(
                (struct adm_text){.bytes = topic->bytes, .length = topic->length}) &&
            !adm_press_has_topic(wish->topics, wish->n_topics, *topic)) {
            wish->n_topics++;
            json_array_append(honoured, uri);
        }
    }
    return honoured;
}

static void honour_flag(const json_t *notifications, const char *flag, unsigned want,
                        struct adm_stream_wish *wish, json_t *honoured)
{
    if (json_is_true(json_object_get(notifications, flag))) {
        wish->wants |= want;
        json_object_set_new(honoured, flag, json_true());
    }
}

static json_t *honour(const struct adm_mcp_call *call, const json_t *notifications,
                      struct adm_mcp_filter *filter, struct adm_stream_wish *wish)
{
    json_t *honoured = json_object();
    if (call->mcp->is_conformance) {
        honour_flag(notifications, "toolsListChanged", ADM_STREAM_WANTS_TOOLS, wish, honoured);
    }
    honour_flag(notifications, "resourcesListChanged", ADM_STREAM_WANTS_TOPICS, wish, honoured);
    json_t *uris =
        honour_uris(json_object_get(notifications, "resourceSubscriptions"), filter, wish);
    if (wish->n_topics > 0) {
        json_object_set(honoured, "resourceSubscriptions", uris);
    }
    json_decref(uris);
    return honoured;
}

/* Nothing can be delivered, so there is nothing to wait for: acknowledged and ended at once. */
static struct adm_reply empty_stream(const char *tag)
{
    struct adm_spool spool = {0};
    add_acknowledgement(&spool, tag, json_object());
    add_result(&spool, tag, "empty");
    return adm_reply_spool(MHD_HTTP_OK, "text/event-stream", &spool);
}

bool adm_mcp_listen(struct adm_mcp_call *call, struct adm_mcp_filter *filter,
                    struct adm_stream_wish *wish, struct adm_reply *reply)
{
    const json_t *notifications = json_object_get(call->params, "notifications");
    if (!is_filter(notifications)) {
        *reply = adm_mcp_error(call, MHD_HTTP_OK, ADM_MCP_INVALID_PARAMS,
                               "Invalid params: notifications is not a filter", NULL);
        return false;
    }
    *wish = (struct adm_stream_wish){.dialect = &dialect};
    json_t *honoured = honour(call, notifications, filter, wish);
    char *tag = adm_json_text(json_incref(call->id));
    if (json_object_size(honoured) == 0) {
        *reply = empty_stream(tag);
        free(tag);
    } else {
        wish->tag = tag;
        wish->hello = adm_json_text(json_incref(honoured));
    }
    json_decref(honoured);
    return wish->tag != NULL;
}
