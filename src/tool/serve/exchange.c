/* See tool/serve/exchange.h. libmicrohttpd calls with the headers, then with pieces of the
 * body, then once more - and again when a connection that was suspended for the actor's word
 * goes on.
 *
 * What the headers alone forbid is decided before the body is read, in the order of the ladder.
 * The body is then passed over: an answer that came before its end would end in a reset that
 * the client may see first. So is a body that turns out to be too long: it is no longer kept,
 * and can take as long as any other. */
#include "tool/serve/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "tool/serve/routes.h"

static bool has_json_type(struct MHD_Connection *connection)
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

static struct adm_reply forbid(const struct adm_route *route)
{
    if (route != NULL && route->is_mcp) {
        return adm_mcp_error(&(struct adm_mcp_call){0}, MHD_HTTP_FORBIDDEN,
                             ADM_MCP_INVALID_REQUEST, "Host or Origin not allowed", NULL);
    }
    return adm_reply_text(MHD_HTTP_FORBIDDEN, "host or origin not allowed\n");
}

static bool allows(const struct adm_route *route, const char *method)
{
    return strcmp(method, route->method) == 0 ||
           (route->has_head && strcmp(method, MHD_HTTP_METHOD_HEAD) == 0);
}

/* What the headers alone forbid; status 0: nothing. */
static struct adm_reply judge(struct adm_exchange *exchange, const char *method)
{
    struct MHD_Connection *connection = exchange->connection;
    const struct adm_door *door = &exchange->office->door;
    const struct adm_route *route = exchange->route;
    if (adm_door_is_ambiguous(connection)) {
        return adm_reply_with(adm_reply_text(MHD_HTTP_BAD_REQUEST, "a header is there twice\n"),
                              "Connection", "close");
    }
    if (!adm_door_is_for_us(door, connection)) {
        return forbid(route);
    }
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
    if (!allows(route, method)) {
        return adm_reply_with(adm_reply_text(MHD_HTTP_METHOD_NOT_ALLOWED, "wrong method\n"),
                              "Allow", route->has_head ? "GET, HEAD" : route->method);
    }
    if (route->is_mcp && !has_json_type(connection)) {
        return adm_reply_text(MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "application/json only\n");
    }
    return (struct adm_reply){0};
}

static struct adm_reply too_large(void)
{
    struct adm_spool text = {0};
    adm_spool_print(&text, "%d KiB are the limit\n", ADM_EXCHANGE_BODY_MAX / 1024);
    return adm_reply_spool(MHD_HTTP_CONTENT_TOO_LARGE, ADM_REPLY_TEXT, &text);
}

static struct adm_exchange *begin(struct adm_office *office, struct MHD_Connection *connection,
                                  const char *path, const char *method)
{
    struct adm_exchange *exchange = adm_memory_new(1, sizeof *exchange);
    exchange->office = office;
    exchange->connection = connection;
    adm_routes_find(exchange, path);
    exchange->reply = judge(exchange, method);
    office->requests++;
    return exchange;
}

static bool announces_too_much(struct MHD_Connection *connection)
{
    const struct adm_text length = adm_door_header(connection, "Content-Length");
    uint32_t n = 0;
    return length.bytes != NULL && (!adm_value_count(length, &n) || n > ADM_EXCHANGE_SKIP_MAX);
}

/* A body that will not even be passed over is answered before it comes. */
static enum MHD_Result await_body(struct adm_exchange *exchange)
{
    if (!announces_too_much(exchange->connection)) {
        return MHD_YES;
    }
    if (exchange->reply.status == 0) {
        exchange->reply = too_large();
    }
    return adm_reply_send(&exchange->reply, exchange->connection);
}

static void take_body(struct adm_exchange *exchange, const char *bytes, size_t n)
{
    if (exchange->reply.status != 0) {
        return;
    }
    if (adm_spool_length(&exchange->body) + n > ADM_EXCHANGE_BODY_MAX) {
        adm_spool_deinit(&exchange->body);
        exchange->reply = too_large();
    } else {
        adm_spool_add(&exchange->body, bytes, n);
    }
}

enum MHD_Result adm_exchange_handle(void *self, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *n_upload, void **at)
{
    (void)version;
    struct adm_exchange *exchange = *at;
    if (exchange == NULL) {
        exchange = begin(self, connection, url, method);
        *at = exchange;
        return await_body(exchange);
    }
    if (*n_upload > 0) {
        take_body(exchange, upload, *n_upload);
        *n_upload = 0;
        return MHD_YES;
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
    struct adm_exchange *exchange = *at;
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
