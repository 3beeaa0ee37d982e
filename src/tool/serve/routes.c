/* See tool/serve/routes.h. What an answer needs to know of the request has been read by then:
 * each is one function, and says what it says. */
#include "tool/serve/routes.h"

#include <stdlib.h>
#include <string.h>

#include "tool/serve/mcp_ladder.h"
#include "tool/serve/mcp_listen.h"
#include "tool/serve/mcp_methods.h"
#include "tool/serve/sse.h"

static enum MHD_Result send_reply(struct adm_exchange *exchange, struct adm_reply reply)
{
    return adm_reply_send(&reply, exchange->connection);
}

static enum MHD_Result send_text(struct adm_exchange *exchange, unsigned status,
                                 const char *text)
{
    return send_reply(exchange, adm_reply_text(status, text));
}

static enum MHD_Result answer_health(struct adm_exchange *exchange)
{
    return send_text(exchange, MHD_HTTP_OK, "ok\n");
}

static enum MHD_Result answer_asset(struct adm_exchange *exchange)
{
    const struct adm_asset *asset = exchange->asset;
    const struct adm_reply reply = {
        .status = MHD_HTTP_OK,
        .type = asset->type,
        .lasting = asset->bytes,
        .n_body = asset->n,
    };
    return send_reply(
        exchange, adm_reply_with(reply, "Content-Security-Policy",
                                 "default-src 'none'; connect-src 'self'; script-src 'self'; "
                                 "style-src 'self'; img-src 'self' data:; base-uri 'none'; "
                                 "form-action 'none'; frame-ancestors 'none'"));
}

/* The tokens of the demo are made to be seen; others are never told. */
static enum MHD_Result answer_demo(struct adm_exchange *exchange)
{
    if (!exchange->office->settings->is_demo) {
        return send_text(exchange, MHD_HTTP_NOT_FOUND, "not found\n");
    }
    json_t *json = json_array();
    for (size_t i = 0; i < ADM_DOOR_N_DEMO; i++) {
        const struct adm_demo *demo = &adm_door_demo[i];
        json_array_append_new(
            json, json_pack("{ss ss}", "principal", demo->principal, "token", demo->token));
    }
    return send_reply(exchange, adm_reply_json(MHD_HTTP_OK, json));
}

/* A browser's EventSource cannot send a token, so it is kept where pages cannot read it. Who
 * came in without one has nothing to keep. */
static enum MHD_Result answer_login(struct adm_exchange *exchange)
{
    const struct adm_text token = adm_door_bearer(exchange->connection);
    const struct adm_reply reply =
        adm_reply_json(MHD_HTTP_OK, json_pack("{ss}", "principal", exchange->principal->name));
    if (token.length == 0) {
        return send_reply(exchange, reply);
    }
    struct adm_spool cookie = {0};
    adm_spool_print(&cookie, ADM_DOOR_COOKIE "=%.*s; HttpOnly; SameSite=Strict; Path=/",
                    (int)token.length, token.bytes);
    char *value = adm_spool_string(&cookie);
    const struct adm_reply with_cookie = adm_reply_with(reply, "Set-Cookie", value);
    free(value);
    return send_reply(exchange, with_cookie);
}

static enum MHD_Result answer_logout(struct adm_exchange *exchange)
{
    return send_reply(exchange,
                      adm_reply_with(adm_reply_text(MHD_HTTP_NO_CONTENT, NULL), "Set-Cookie",
                                     ADM_DOOR_COOKIE "=; HttpOnly; SameSite=Strict; Path=/; "
                                                     "Max-Age=0"));
}

static enum MHD_Result refuse_figures(struct adm_exchange *exchange)
{
    return send_reply(exchange, adm_reply_with(adm_reply_text(MHD_HTTP_SERVICE_UNAVAILABLE,
                                                              "no figures can be had now\n"),
                                               "Retry-After", "1"));
}

static enum MHD_Result answer_stats(struct adm_exchange *exchange)
{
    struct adm_figures figures;
    if (!adm_office_figures(exchange->office, &figures)) {
        return refuse_figures(exchange);
    }
    return send_reply(exchange, adm_figures_stats(&figures, exchange->principal));
}

static enum MHD_Result answer_metrics(struct adm_exchange *exchange)
{
    struct adm_figures figures;
    if (!adm_office_figures(exchange->office, &figures)) {
        return refuse_figures(exchange);
    }
    figures.backlog = adm_streams_backlog(exchange->office->streams);
    return send_reply(exchange, adm_figures_metrics(&figures));
}

/* The topics of a request's query, once each. */
struct topics {
    struct adm_name names[ADM_ROUTES_TOPICS_MAX];
    size_t n;
    bool is_wrong;
};

static enum MHD_Result take_topic(void *self, enum MHD_ValueKind kind, const char *key,
                                  size_t n_key, const char *value, size_t n_value)
{
    (void)kind;
    struct topics *topics = self;
    const struct adm_text text = {.bytes = value, .length = value == NULL ? 0 : n_value};
    if (n_key != strlen("topic") || strncmp(key, "topic", n_key) != 0) {
        return MHD_YES;
    }
    if (!adm_press_is_topic(text) || topics->n == ADM_ROUTES_TOPICS_MAX) {
        topics->is_wrong = true;
        return MHD_NO;
    }
    if (!adm_press_has_topic(topics->names, topics->n, adm_text_name(text))) {
        topics->names[topics->n++] = adm_text_name(text);
    }
    return MHD_YES;
}

static void read_topics(struct adm_exchange *exchange, struct topics *topics)
{
    *topics = (struct topics){0};
    MHD_get_connection_values_n(exchange->connection, MHD_GET_ARGUMENT_KIND, take_topic,
                                topics);
}

static enum MHD_Result refuse_listen(struct adm_exchange *exchange)
{
    struct adm_spool text = {0};
    adm_spool_print(&text, "topic=NAME, at most %d times: " ADM_PRESS_RULE "\n",
                    ADM_ROUTES_TOPICS_MAX, ADM_PRESS_LIMITS);
    return send_reply(exchange, adm_reply_spool(MHD_HTTP_BAD_REQUEST, ADM_REPLY_TEXT, &text));
}

static enum MHD_Result answer_listen(struct adm_exchange *exchange)
{
    struct adm_office *office = exchange->office;
    const struct adm_text last = adm_door_header(exchange->connection, "Last-Event-ID");
    if (last.length >= strlen(ADM_SSE_END) &&
        strncmp(last.bytes, ADM_SSE_END, strlen(ADM_SSE_END)) == 0) {
        return send_text(exchange, MHD_HTTP_NO_CONTENT, NULL);
    }
    struct topics topics;
    read_topics(exchange, &topics);
    if (topics.is_wrong) {
        return refuse_listen(exchange);
    }
    struct adm_stream_wish wish = {
        .dialect = &adm_sse_dialect,
        .principal = exchange->principal,
        .topics = topics.names,
        .n_topics = topics.n,
        .wants_everything = topics.n == 0,
    };
    exchange->stream = adm_streams_ask(office->streams, exchange->connection, wish);
    return exchange->stream != NULL ? MHD_YES : adm_sse_refuse(exchange->connection);
}

static enum MHD_Result refuse_publish(struct adm_exchange *exchange)
{
    struct adm_spool text = {0};
    adm_spool_print(&text, "POST the body to /publish?topic=NAME: " ADM_PRESS_RULE "\n",
                    ADM_PRESS_LIMITS);
    return send_reply(exchange, adm_reply_spool(MHD_HTTP_BAD_REQUEST, ADM_REPLY_TEXT, &text));
}

static enum MHD_Result answer_publish(struct adm_exchange *exchange)
{
    struct topics topics;
    read_topics(exchange, &topics);
    const struct adm_text body = adm_spool_text(&exchange->body);
    if (topics.is_wrong || topics.n != 1 ||
        !adm_press_publish(
            &exchange->office->press,
            (struct adm_text){.bytes = topics.names[0].bytes, .length = topics.names[0].length},
            body)) {
        return refuse_publish(exchange);
    }
    return send_text(exchange, MHD_HTTP_OK, "published\n");
}

/* True: the stream of the exchange is asked for. */
static bool listen_mcp(struct adm_exchange *exchange, struct adm_mcp_call *call,
                       struct adm_reply *reply)
{
    struct adm_mcp_filter filter;
    struct adm_stream_wish wish = {0};
    if (!adm_mcp_listen(call, &filter, &wish, reply)) {
        return false;
    }
    wish.principal = exchange->principal;
    exchange->stream = adm_streams_ask(exchange->office->streams, exchange->connection, wish);
    if (exchange->stream == NULL) {
        *reply = adm_mcp_listen_refusal(call);
    }
    return exchange->stream != NULL;
}

static enum MHD_Result answer_mcp(struct adm_exchange *exchange)
{
    struct adm_mcp_call call = {
        .mcp = &exchange->office->mcp,
        .version = adm_door_header(exchange->connection, "MCP-Protocol-Version"),
        .method_header = adm_door_header(exchange->connection, "Mcp-Method"),
        .name_header = adm_door_header(exchange->connection, "Mcp-Name"),
        .body = adm_spool_text(&exchange->body),
    };
    struct adm_reply reply = {0};
    bool is_asked = false;
    if (adm_mcp_climb(&call, &reply)) {
        if (strcmp(call.method, "subscriptions/listen") == 0) {
            is_asked = listen_mcp(exchange, &call, &reply);
        } else {
            reply = adm_mcp_answer(&call);
        }
    }
    json_decref(call.message);
    adm_spool_deinit(&exchange->body);
    return is_asked ? MHD_YES : send_reply(exchange, reply);
}

// clang-format off
static const struct adm_route routes[] = {
    {.path = "/healthz", .method = "GET", .has_head = true, .is_open = true,
     .answer = answer_health},
    {.path = "/demo", .method = "GET", .has_head = true, .is_open = true,
     .answer = answer_demo},
    {.path = "/login", .method = "POST", .answer = answer_login},
    {.path = "/logout", .method = "POST", .is_open = true, .answer = answer_logout},
    {.path = "/listen", .method = "GET", .takes_cookie = true, .answer = answer_listen},
    {.path = "/publish", .method = "POST", .takes_cookie = true, .answer = answer_publish},
    {.path = "/stats", .method = "GET", .has_head = true, .takes_cookie = true,
     .answer = answer_stats},
    {.path = "/metrics", .method = "GET", .has_head = true, .takes_cookie = true,
     .answer = answer_metrics},
    {.path = "/mcp", .method = "POST", .is_mcp = true, .answer = answer_mcp},
};
// clang-format on

static const struct adm_route asset_route = {
    .method = "GET",
    .has_head = true,
    .is_open = true,
    .answer = answer_asset,
};

void adm_routes_find(struct adm_exchange *exchange, const char *path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, path) == 0) {
            exchange->route = &routes[i];
        }
    }
    for (const struct adm_asset *asset = adm_assets; asset->path != NULL; asset++) {
        if (strcmp(asset->path, path) == 0) {
            exchange->route = &asset_route;
            exchange->asset = asset;
        }
    }
}
