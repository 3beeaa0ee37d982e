/* See tool/serve/exchange.h. libmicrohttpd calls with the headers, then with pieces of the
 * body, then once more - and again when a connection that was suspended for the actor's word
 * goes on.
 *
 * What the headers alone forbid is decided before the body is read, which is then passed over:
 * an answer that came before the end of the body would end in a reset that the client may see
 * first. */
#include "tool/serve/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "tool/serve/assets.h"
#include "tool/serve/figures.h"
#include "tool/serve/mcp_ladder.h"
#include "tool/serve/mcp_listen.h"
#include "tool/serve/mcp_methods.h"
#include "tool/serve/sse.h"

struct exchange {
    struct adm_office *office;
    struct MHD_Connection *connection;
    const struct route *route;
    const struct adm_asset *asset;
    struct adm_principal *principal;
    struct adm_reply reply; /* decided by the headers; status 0: not decided */
    struct adm_spool body;
    size_t n_body;
    struct adm_stream *stream;
};

/* A path, who may ask for it, and what it does. */
struct route {
    const char *path;
    const char *method;
    bool is_open;      /* to everybody */
    bool takes_cookie; /* a browser's requests, which cannot carry a token */
    bool takes_json;   /* and nothing else */
    enum MHD_Result (*answer)(struct exchange *exchange);
};

static enum MHD_Result send_reply(struct exchange *exchange, struct adm_reply reply)
{
    return adm_reply_send(&reply, exchange->connection);
}

static enum MHD_Result send_text(struct exchange *exchange, unsigned status, const char *text)
{
    return send_reply(exchange, adm_reply_text(status, text));
}

static enum MHD_Result answer_health(struct exchange *exchange)
{
    return send_text(exchange, MHD_HTTP_OK, "ok\n");
}

static enum MHD_Result answer_asset(struct exchange *exchange)
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
static enum MHD_Result answer_demo(struct exchange *exchange)
{
    if (!exchange->office->settings->is_demo) {
        return send_text(exchange, MHD_HTTP_NOT_FOUND, "not found\n");
    }
    json_t *json = json_pack("[{ss ss} {ss ss}]", "principal", "alice", "token", "demo-alice",
                             "principal", "bob", "token", "demo-bob");
    return send_reply(exchange, adm_reply_json(MHD_HTTP_OK, json));
}

/* A browser's EventSource cannot send a token, so it is kept where pages cannot read it. */
static enum MHD_Result answer_login(struct exchange *exchange)
{
    const struct adm_text token = adm_door_bearer(exchange->connection);
    struct adm_spool cookie = {0};
    adm_spool_print(&cookie, ADM_DOOR_COOKIE "=%.*s; HttpOnly; SameSite=Strict; Path=/",
                    (int)token.length, token.bytes == NULL ? "" : token.bytes);
    char *value = adm_spool_string(&cookie);
    struct adm_reply reply = adm_reply_with(
        adm_reply_json(MHD_HTTP_OK, json_pack("{ss}", "principal", exchange->principal->name)),
        "Set-Cookie", value);
    free(value);
    return send_reply(exchange, reply);
}

static enum MHD_Result answer_logout(struct exchange *exchange)
{
    return send_reply(exchange,
                      adm_reply_with(adm_reply_text(MHD_HTTP_NO_CONTENT, NULL), "Set-Cookie",
                                     ADM_DOOR_COOKIE "=; HttpOnly; SameSite=Strict; Path=/; "
                                                     "Max-Age=0"));
}

/* What this turn has asked of the actor goes out first, so that its books have it, and what it
 * has said is heard, so that ours have that. */
static struct adm_figures figures_of(struct adm_office *office)
{
    struct adm_figures figures = {
        .backlog = adm_streams_backlog(office->streams),
        .streams = adm_streams_counts(office->streams),
        .press = &office->press,
        .feed = &office->feed,
        .max_listens = office->settings->max_listens,
        .connections = MHD_get_daemon_info(office->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
                           ->num_connections,
        .requests = office->requests,
    };
    adm_streams_end_turn(office->streams);
    adm_streams_begin_turn(office->streams);
    if (admission_actor_stats(office->actor, &figures.actor) != ADMISSION_OK) {
        abort();
    }
    adm_streams_hear(office->streams);
    return figures;
}

static enum MHD_Result answer_stats(struct exchange *exchange)
{
    const struct adm_figures figures = figures_of(exchange->office);
    return send_reply(exchange, adm_figures_stats(&figures, exchange->principal));
}

static enum MHD_Result answer_metrics(struct exchange *exchange)
{
    const struct adm_figures figures = figures_of(exchange->office);
    return send_reply(exchange, adm_figures_metrics(&figures));
}

/* The topics of a request's query, once each. */
struct topics {
    struct adm_name names[ADM_EXCHANGE_TOPICS_MAX];
    size_t n;
    bool is_wrong;
};

static bool has(const struct topics *topics, struct adm_name name)
{
    for (size_t i = 0; i < topics->n; i++) {
        if (adm_name_equal(topics->names[i], name)) {
            return true;
        }
    }
    return false;
}

static enum MHD_Result take_topic(void *self, enum MHD_ValueKind kind, const char *key,
                                  size_t n_key, const char *value, size_t n_value)
{
    (void)kind;
    struct topics *topics = self;
    const struct adm_text text = {.bytes = value, .length = value == NULL ? 0 : n_value};
    if (n_key != strlen("topic") || strncmp(key, "topic", n_key) != 0) {
        return MHD_YES;
    }
    if (!adm_press_is_topic(text) || topics->n == ADM_EXCHANGE_TOPICS_MAX) {
        topics->is_wrong = true;
        return MHD_NO;
    }
    if (!has(topics, adm_text_name(text))) {
        topics->names[topics->n++] = adm_text_name(text);
    }
    return MHD_YES;
}

static void read_topics(struct exchange *exchange, struct topics *topics)
{
    *topics = (struct topics){0};
    MHD_get_connection_values_n(exchange->connection, MHD_GET_ARGUMENT_KIND, take_topic,
                                topics);
}

static enum MHD_Result answer_listen(struct exchange *exchange)
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
        return send_text(exchange, MHD_HTTP_BAD_REQUEST,
                         "topic=NAME, at most 64 times: " ADM_PRESS_RULE "\n");
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

static enum MHD_Result answer_publish(struct exchange *exchange)
{
    struct topics topics;
    read_topics(exchange, &topics);
    const struct adm_text body = {.bytes = exchange->body.bytes,
                                  .length = adm_spool_length(&exchange->body)};
    if (topics.is_wrong || topics.n != 1 ||
        !adm_press_publish(
            &exchange->office->press,
            (struct adm_text){.bytes = topics.names[0].bytes, .length = topics.names[0].length},
            body)) {
        return send_text(exchange, MHD_HTTP_BAD_REQUEST,
                         "POST the body to /publish?topic=NAME: " ADM_PRESS_RULE "\n");
    }
    return send_text(exchange, MHD_HTTP_OK, "published\n");
}

/* True: the stream of the exchange is asked for. */
static bool listen_mcp(struct exchange *exchange, struct adm_mcp_call *call,
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
        char *id = adm_mcp_id_text(call);
        *reply = adm_mcp_listen_refusal(id);
        free(id);
    }
    return exchange->stream != NULL;
}

static enum MHD_Result answer_mcp(struct exchange *exchange)
{
    struct adm_mcp_call call = {
        .mcp = &exchange->office->mcp,
        .version = adm_door_header(exchange->connection, "MCP-Protocol-Version"),
        .method_header = adm_door_header(exchange->connection, "Mcp-Method"),
        .name_header = adm_door_header(exchange->connection, "Mcp-Name"),
        .body = {.bytes = exchange->body.bytes == NULL ? "" : exchange->body.bytes,
                 .length = adm_spool_length(&exchange->body)},
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

static const struct route routes[] = {
    {.path = "/healthz", .method = "GET", .is_open = true, .answer = answer_health},
    {.path = "/demo", .method = "GET", .is_open = true, .answer = answer_demo},
    {.path = "/login", .method = "POST", .answer = answer_login},
    {.path = "/logout", .method = "POST", .is_open = true, .answer = answer_logout},
    {.path = "/listen", .method = "GET", .takes_cookie = true, .answer = answer_listen},
    {.path = "/publish", .method = "POST", .takes_cookie = true, .answer = answer_publish},
    {.path = "/stats", .method = "GET", .takes_cookie = true, .answer = answer_stats},
    {.path = "/metrics", .method = "GET", .takes_cookie = true, .answer = answer_metrics},
    {.path = "/mcp", .method = "POST", .takes_json = true, .answer = answer_mcp},
};

static const struct route asset_route = {
    .method = "GET",
    .is_open = true,
    .answer = answer_asset,
};

static void find_route(struct exchange *exchange, const char *url)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, url) == 0) {
            exchange->route = &routes[i];
        }
    }
    for (const struct adm_asset *asset = adm_assets; asset->path != NULL; asset++) {
        if (strcmp(asset->path, url) == 0) {
            exchange->route = &asset_route;
            exchange->asset = asset;
        }
    }
}

static bool is_json(struct MHD_Connection *connection)
{
    static const char json[] = "application/json";
    struct adm_text type = adm_door_header(connection, "Content-Type");
    const char *end = type.length == 0 ? NULL : memchr(type.bytes, ';', type.length);
    if (end != NULL) {
        type.length = (size_t)(end - type.bytes);
    }
    while (type.length > 0 && type.bytes[type.length - 1] == ' ') {
        type.length--;
    }
    return type.length == strlen(json) && strncasecmp(type.bytes, json, type.length) == 0;
}

/* What the headers alone forbid; status 0: nothing. */
static struct adm_reply judge(struct exchange *exchange, const char *url, const char *method)
{
    struct MHD_Connection *connection = exchange->connection;
    const struct adm_door *door = &exchange->office->door;
    if (!adm_door_is_for_us(door, connection)) {
        return adm_reply_text(MHD_HTTP_FORBIDDEN, "host or origin not allowed\n");
    }
    find_route(exchange, url);
    const struct route *route = exchange->route;
    if (route == NULL) {
        return adm_reply_text(MHD_HTTP_NOT_FOUND, "not found\n");
    }
    if (!route->is_open) {
        exchange->principal = adm_door_principal(door, connection, route->takes_cookie);
        if (exchange->principal == NULL) {
            return adm_reply_with(adm_reply_text(MHD_HTTP_UNAUTHORIZED, "no such token\n"),
                                  "WWW-Authenticate", "Bearer realm=\"admission\"");
        }
    }
    if (strcmp(method, route->method) != 0) {
        return adm_reply_with(adm_reply_text(MHD_HTTP_METHOD_NOT_ALLOWED, "wrong method\n"),
                              "Allow", route->method);
    }
    if (route->takes_json && !is_json(connection)) {
        return adm_reply_text(MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "application/json only\n");
    }
    return (struct adm_reply){0};
}

static struct exchange *begin(struct adm_office *office, struct MHD_Connection *connection,
                              const char *url, const char *method)
{
    struct exchange *exchange = adm_memory_new(1, sizeof *exchange);
    exchange->office = office;
    exchange->connection = connection;
    exchange->reply = judge(exchange, url, method);
    office->requests++;
    return exchange;
}

static struct adm_reply too_large(void)
{
    return adm_reply_text(MHD_HTTP_CONTENT_TOO_LARGE, "256 KiB are the limit\n");
}

static enum MHD_Result take_body(struct exchange *exchange, const char *bytes, size_t *n)
{
    exchange->n_body += *n;
    if (exchange->n_body > ADM_EXCHANGE_SKIP_MAX) {
        return MHD_NO;
    }
    if (exchange->n_body > ADM_EXCHANGE_BODY_MAX) {
        adm_spool_deinit(&exchange->body);
        if (exchange->reply.status == 0) {
            exchange->reply = too_large();
        }
    } else if (exchange->reply.status == 0) {
        adm_spool_add(&exchange->body, bytes, *n);
    }
    *n = 0;
    return MHD_YES;
}

/* A body that will not even be passed over is answered before it comes. */
static bool announces_too_much(struct MHD_Connection *connection)
{
    const struct adm_text length = adm_door_header(connection, "Content-Length");
    uint32_t n = 0;
    return length.bytes != NULL && (!adm_value_count(length, &n) || n > ADM_EXCHANGE_SKIP_MAX);
}

static enum MHD_Result send_too_large(struct MHD_Connection *connection)
{
    struct adm_reply reply = too_large();
    return adm_reply_send(&reply, connection);
}

enum MHD_Result adm_exchange_handle(void *self, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *n_upload, void **at)
{
    (void)version;
    struct exchange *exchange = *at;
    if (exchange == NULL) {
        *at = begin(self, connection, url, method);
        return announces_too_much(connection) ? send_too_large(connection) : MHD_YES;
    }
    if (*n_upload > 0) {
        return take_body(exchange, upload, n_upload);
    }
    if (exchange->stream != NULL) {
        return adm_streams_answer(exchange->stream);
    }
    if (exchange->reply.status != 0) {
        return adm_reply_send(&exchange->reply, connection);
    }
    return exchange->route->answer(exchange);
}

void adm_exchange_complete(void *self, struct MHD_Connection *connection, void **at,
                           enum MHD_RequestTerminationCode why)
{
    (void)self;
    (void)connection;
    (void)why;
    struct exchange *exchange = *at;
    if (exchange == NULL) {
        return;
    }
    if (exchange->stream != NULL) {
        adm_streams_release(exchange->stream);
    }
    adm_reply_deinit(&exchange->reply);
    adm_spool_deinit(&exchange->body);
    free(exchange);
    *at = NULL;
}
