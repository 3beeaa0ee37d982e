/* The ladder of refusals on /mcp, rung by rung: the status, the code, and the id as it came
 * (R3, R8). Each row is a whole request, so that a row reads like the table it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_ladder, .timeout = 60);

#define ALICE "Authorization: Bearer alice-token\r\n"
#define JSON "Content-Type: application/json\r\n"
#define VERSION "MCP-Protocol-Version: 2026-07-28\r\n"
#define USUAL ALICE JSON VERSION
#define LIST "Mcp-Method: tools/list\r\n"
#define CALL "Mcp-Method: tools/call\r\n"

struct row {
    const char *what;
    const char *host; /* NULL: localhost */
    const char *method;
    const char *headers;
    const char *body;
    int status;
    int code;       /* 0: none */
    const char *id; /* as it comes back; NULL: there is none */
    const char *also;
};

#define MESSAGE(id, method, params)                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define OF_VERSION(version)                                                                    \
    "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" version "\","                 \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}"
#define LISTING MESSAGE("7", "tools/list", "{" META "}")

// clang-format off
static const struct row rows[] = {
    {"1 host", "evil.example", "POST", USUAL LIST, LISTING, 403, -32600, NULL, NULL},
    {"1 host behind a name of ours", "localhost.evil.test", "POST", USUAL LIST, LISTING, 403,
     -32600, NULL, NULL},
    {"1 origin", NULL, "POST", USUAL LIST "Origin: http://evil.example\r\n", LISTING, 403,
     -32600, NULL, NULL},
    {"1 origin null", NULL, "POST", USUAL LIST "Origin: null\r\n", LISTING, 403, -32600, NULL,
     NULL},
    {"1 before 2 and 3", "evil.example", "GET", "", "", 403, -32600, NULL, NULL},
    {"1 origin of loopback", "127.0.0.1:1", "POST",
     USUAL LIST "Origin: http://localhost:9\r\n", LISTING, 200, 0, "7", NULL},
    {"2 no token", NULL, "POST", JSON VERSION LIST, LISTING, 401, 0, NULL,
     "WWW-Authenticate: Bearer"},
    {"2 wrong token", NULL, "POST", "Authorization: Bearer none\r\n" JSON VERSION LIST, LISTING,
     401, 0, NULL, "WWW-Authenticate: Bearer"},
    {"2 the cookie is no token here", NULL, "POST",
     "Cookie: admission_token=alice-token\r\n" JSON VERSION LIST, LISTING, 401, 0, NULL, NULL},
    {"3 GET", NULL, "GET", USUAL LIST, "", 405, 0, NULL, "Allow: POST"},
    {"3 DELETE", NULL, "DELETE", USUAL LIST, "", 405, 0, NULL, "Allow: POST"},
    {"4 type", NULL, "POST", ALICE VERSION LIST "Content-Type: text/plain\r\n", LISTING, 415, 0,
     NULL, NULL},
    {"4 no type", NULL, "POST", ALICE VERSION LIST, LISTING, 415, 0, NULL, NULL},
    {"4 type with parameters", NULL, "POST",
     ALICE VERSION LIST "Content-Type: Application/JSON;charset=utf8\r\n", LISTING, 200, 0, "7",
     NULL},
    {"6 not JSON", NULL, "POST", USUAL LIST, "{", 400, -32700, NULL, NULL},
    {"6 nothing", NULL, "POST", USUAL LIST, "", 400, -32700, NULL, NULL},
    {"6 a key twice", NULL, "POST", USUAL LIST, "{\"id\":1,\"id\":2}", 400, -32700, NULL, NULL},
    {"6 an id of 2^64", NULL, "POST", USUAL LIST,
     MESSAGE("18446744073709551616", "tools/list", "{" META "}"), 400, -32700, NULL, NULL},
    {"6 a NUL in the id", NULL, "POST", USUAL LIST,
     MESSAGE("\"\\u0000\"", "tools/list", "{" META "}"), 400, -32700, NULL, NULL},
    {"7 a number", NULL, "POST", USUAL LIST, "7", 400, -32600, NULL, NULL},
    {"7 a batch", NULL, "POST", USUAL LIST, "[" LISTING "]", 400, -32600, NULL, NULL},
    {"7 jsonrpc", NULL, "POST", USUAL LIST, "{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"x\"}",
     400, -32600, "3", NULL},
    {"7 no method", NULL, "POST", USUAL LIST, "{\"jsonrpc\":\"2.0\",\"id\":\"a\"}", 400, -32600,
     "\"a\"", NULL},
    {"7 a response", NULL, "POST", USUAL LIST, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}",
     400, -32600, "3", NULL},
    {"7 id null", NULL, "POST", USUAL LIST, MESSAGE("null", "tools/list", "{" META "}"), 400,
     -32600, NULL, NULL},
    {"7 id 1.5", NULL, "POST", USUAL LIST, MESSAGE("1.5", "tools/list", "{" META "}"), 400,
     -32600, NULL, NULL},
    {"7 id 1e2", NULL, "POST", USUAL LIST, MESSAGE("1e2", "tools/list", "{" META "}"), 400,
     -32600, NULL, NULL},
    {"7 id true", NULL, "POST", USUAL LIST, MESSAGE("true", "tools/list", "{" META "}"), 400,
     -32600, NULL, NULL},
    {"7 id [1]", NULL, "POST", USUAL LIST, MESSAGE("[1]", "tools/list", "{" META "}"), 400,
     -32600, NULL, NULL},
    {"7 id{}", NULL, "POST", USUAL LIST, MESSAGE("{}", "tools/list", "{" META "}"), 400, -32600,
     NULL, NULL},
    {"8 a notification", NULL, "POST", ALICE JSON,
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", 202, 0, NULL,
     "Content-Length: 0"},
    {"9 initialize of an older client", NULL, "POST", ALICE JSON,
     MESSAGE("0", "initialize", "{\"protocolVersion\":\"2025-06-18\"}"), 400, -32022, "0",
     "\"supported\":[\"2026-07-28\"]"},
    {"10 no version", NULL, "POST", ALICE JSON LIST, LISTING, 400, -32020, "7", NULL},
    {"11 no meta", NULL, "POST", USUAL LIST, MESSAGE("\"x\"", "tools/list", "{}"), 400, -32602,
     "\"x\"", NULL},
    {"11 no params", NULL, "POST", USUAL LIST,
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\"}", 400, -32602, "5", NULL},
    {"11 no capabilities", NULL, "POST", USUAL LIST,
     MESSAGE("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"),
     400, -32602, "1", NULL},
    {"12 header and meta differ", NULL, "POST", USUAL LIST,
     MESSAGE("1", "tools/list", OF_VERSION("2025-06-18")), 400, -32020, "1", NULL},
    {"13 another version", NULL, "POST",
     ALICE JSON LIST "MCP-Protocol-Version: 2099-01-01\r\n",
     MESSAGE("1", "tools/list", OF_VERSION("2099-01-01")), 400, -32022, "1",
     "\"requested\":\"2099-01-01\""},
    {"14 no method header", NULL, "POST", USUAL, LISTING, 400, -32020, "7", NULL},
    {"14 another method", NULL, "POST", USUAL CALL, LISTING, 400, -32020, "7", NULL},
    {"14 case of the method", NULL, "POST", USUAL "mcp-method: TOOLS/LIST\r\n", LISTING, 400,
     -32020, "7", NULL},
    {"14 blanks around the method", NULL, "POST", USUAL "mcp-method:  \ttools/list \t\r\n",
     LISTING, 200, 0, "7", NULL},
    {"15 no name", NULL, "POST", USUAL CALL,
     MESSAGE("1", "tools/call", "{\"name\":\"publish\"," META "}"), 400, -32020, "1", NULL},
    {"15 another name", NULL, "POST", USUAL CALL "Mcp-Name: other\r\n",
     MESSAGE("1", "tools/call", "{\"name\":\"publish\"," META "}"), 400, -32020, "1", NULL},
    {"15 an encoded name", NULL, "POST", USUAL CALL "Mcp-Name: =?base64?cHVibGlzaA==?=\r\n",
     MESSAGE("1", "tools/call", "{\"name\":\"publish\"," META "}"), 200, 0, "1",
     "\"isError\":true"},
    {"15 another encoded name", NULL, "POST", USUAL CALL "Mcp-Name: =?base64?b3RoZXI=?=\r\n",
     MESSAGE("1", "tools/call", "{\"name\":\"publish\"," META "}"), 400, -32020, "1", NULL},
    {"16 unknown method", NULL, "POST", USUAL "Mcp-Method: tools/lost\r\n",
     MESSAGE("1", "tools/lost", "{" META "}"), 404, -32601, "1", NULL},
    {"16 ping is gone", NULL, "POST", USUAL "Mcp-Method: ping\r\n",
     MESSAGE("1", "ping", "{" META "}"), 404, -32601, "1", NULL},
    {"16 an unknown tool", NULL, "POST", USUAL CALL "Mcp-Name: x\r\n",
     MESSAGE("1", "tools/call", "{\"name\":\"x\"," META "}"), 200, -32602, "1", NULL},
    {"17 no filter", NULL, "POST", USUAL "Mcp-Method: subscriptions/listen\r\n",
     MESSAGE("1", "subscriptions/listen", "{" META "}"), 200, -32602, "1", NULL},
    {"17 no filter but a string", NULL, "POST", USUAL "Mcp-Method: subscriptions/listen\r\n",
     MESSAGE("1", "subscriptions/listen", "{\"notifications\":\"all\"," META "}"), 200, -32602,
     "1", NULL},
    {"17 a flag that is none", NULL, "POST", USUAL "Mcp-Method: subscriptions/listen\r\n",
     MESSAGE("1", "subscriptions/listen",
             "{\"notifications\":{\"resourcesListChanged\":1}," META "}"),
     200, -32602, "1", NULL},
    {"17 URIs that are none", NULL, "POST", USUAL "Mcp-Method: subscriptions/listen\r\n",
     MESSAGE("1", "subscriptions/listen",
             "{\"notifications\":{\"resourceSubscriptions\":[1]}," META "}"),
     200, -32602, "1", NULL},
};
// clang-format on

static void check(const struct server *server, const struct row *row)
{
    char *answer = ask(
        server,
        "%s /mcp HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s",
        row->method, row->host == NULL ? "localhost" : row->host, row->headers,
        strlen(row->body), row->body);
    char status[32];
    char code[32];
    snprintf(status, sizeof status, "HTTP/1.1 %d ", row->status);
    snprintf(code, sizeof code, "\"code\":%d", row->code);
    cr_expect_eq(strncmp(answer, status, strlen(status)), 0, "%s: %s", row->what, answer);
    if (row->code != 0) {
        cr_expect_not_null(strstr(answer, code), "%s: %s", row->what, answer);
    } else {
        cr_expect_null(strstr(answer, "\"error\""), "%s: %s", row->what, answer);
    }
    if (row->id != NULL) {
        char id[64];
        snprintf(id, sizeof id, "{\"jsonrpc\":\"2.0\",\"id\":%s,", row->id);
        cr_expect_not_null(strstr(answer, id), "%s: %s", row->what, answer);
    } else {
        cr_expect_null(strstr(answer, "\"id\""), "%s: %s", row->what, answer);
    }
    if (row->also != NULL) {
        cr_expect_not_null(strstr(answer, row->also), "%s: %s", row->what, answer);
    }
    free(answer);
}

Test(serve_ladder, each_rung_has_its_status_its_code_and_the_id_as_it_came_R3)
{
    struct server server = server_start(NO_ARGUMENTS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&server, &rows[i]);
    }
    server_stop(&server);
}

/* Each is wrong in two ways: in its own, and in the length that it announces. */
Test(serve_ladder, the_length_of_a_body_is_judged_after_all_that_comes_before_it_R1_R3)
{
    static const struct {
        const char *start;
        const char *headers;
        int status;
    } requests[] = {
        {"POST /mcp", "Host: evil.example\r\n" USUAL, 403},
        {"POST /publish?topic=t", "Host: evil.example\r\n", 403},
        {"POST /none", "Host: localhost\r\n" USUAL, 404},
        {"POST /mcp", "Host: localhost\r\n" JSON VERSION, 401},
        {"PUT /mcp", "Host: localhost\r\n" USUAL, 405},
        {"POST /mcp", "Host: localhost\r\n" ALICE VERSION, 415},
        {"POST /mcp", "Host: localhost\r\n" USUAL, 413},
    };
    struct server server = server_start(NO_ARGUMENTS);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char *answer = ask(&server, "%s HTTP/1.1\r\n%sContent-Length: 9000000\r\n\r\n",
                           requests[i].start, requests[i].headers);
        cr_expect_eq(atoi(answer + strlen("HTTP/1.1 ")), requests[i].status, "%zu: %s", i,
                     answer);
        free(answer);
    }
    server_stop(&server);
}

/* What follows could be the end of its body, or another request: so it is not read at all. */
Test(serve_ladder,
     a_header_that_decides_and_is_there_twice_is_refused_and_ends_the_connection_R1)
{
    static const char *const twice[] = {
        "Host: localhost\r\nHost: evil.example\r\n",
        "Host: localhost\r\nOrigin: http://localhost\r\norigin: http://evil.example\r\n",
        "Host: localhost\r\n" ALICE "Authorization: Bearer bob-token\r\n",
        "Host: localhost\r\n" ALICE "Content-Length: 2\r\nContent-Length: 3\r\n",
    };
    struct server server = server_start(NO_ARGUMENTS);
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        struct wire wire = wire_open(&server);
        wire_send(&wire, "POST /publish?topic=t HTTP/1.1\r\n");
        wire_send(&wire, "%s", twice[i]);
        wire_send(&wire, "\r\nhiGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        cr_expect(wire_ends(&wire, PATIENCE_MS));
        cr_expect_eq(strncmp(wire.bytes, "HTTP/1.1 400", 12), 0, "%zu: %s", i, wire.bytes);
        cr_expect_eq(wire_count(&wire, "HTTP/1.1"), 1, "%zu: %s", i, wire.bytes);
        wire_close(&wire);
    }
    server_stop(&server);
}

Test(serve_ladder, an_id_comes_back_byte_for_byte_in_every_frame_R8)
{
    static const char *const ids[] = {"\"listen:0\"",     "7",    "-1",
                                      "9007199254740993", "\"\"", "\"\xc3\xbc\"",
                                      "\"a\\\"b\\\\c\"",  "0"};
    struct server server = server_start((const char *const[]){"--max-listens", "1", NULL});
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct wire wire = listen_mcp(&server, "alice-token", ids[i],
                                      "{\"resourceSubscriptions\":[\"topic:t\"]}");
        cr_expect(wire_has(&wire, "subscriptions/acknowledged", PATIENCE_MS));
        publish(&server, "t", "x");
        cr_expect(wire_has(&wire, "resources/updated", PATIENCE_MS));
        struct wire next =
            listen_mcp(&server, "alice-token", "1", "{\"resourcesListChanged\":true}");
        cr_expect(wire_ends(&wire, PATIENCE_MS));
        char tag[128];
        snprintf(tag, sizeof tag, SUBSCRIPTION "%s", ids[i]);
        cr_expect_eq(wire_count(&wire, tag), 3, "%s: %s", ids[i], wire.bytes);
        snprintf(tag, sizeof tag, "\"id\":%s,\"result\"", ids[i]);
        cr_expect_eq(wire_count(&wire, tag), 1, "%s: %s", ids[i], wire.bytes);
        wire_close(&wire);
        wire_close(&next);
    }
    server_stop(&server);
}

/* A body whose length nobody says, so that it has to come before it is too long. */
static void send_chunks(const struct server *server, size_t length)
{
    char chunk[0x8000 + 1];
    memset(chunk, ' ', sizeof chunk - 1);
    chunk[sizeof chunk - 1] = '\0';
    struct wire wire = wire_open(server);
    wire_send(&wire, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" USUAL
                     "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t sent = 0; sent < length; sent += sizeof chunk - 1) {
        wire_send(&wire, "8000\r\n%s\r\n", chunk);
    }
    wire_send(&wire, "0\r\n\r\n");
    cr_expect(wire_ends(&wire, PATIENCE_MS));
    cr_expect_eq(strncmp(wire.bytes, "HTTP/1.1 413", 12), 0, "in chunks: %s", wire.bytes);
    wire_close(&wire);
}

Test(serve_ladder, the_limits_of_body_and_headers_end_neither_the_process_nor_a_stream_R4)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire stream = listen_sse(&server, "alice-token", "");
    cr_assert(wire_has(&stream, "event: admitted", PATIENCE_MS));
    static const size_t sizes[] = {256 * 1024 + 1, 3 * 1024 * 1024, 5 * 1024 * 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *body = calloc(1, sizes[i] + 1);
        memset(body, ' ', sizes[i]);
        char *answer =
            ask(&server,
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" USUAL
                "Content-Length: %zu\r\n\r\n%s",
                sizes[i], i < 2 ? body : "");
        cr_expect_eq(strncmp(answer, "HTTP/1.1 413", 12), 0, "%zu: %s", sizes[i], answer);
        free(answer);
        free(body);
    }
    send_chunks(&server, 5 * 1024 * 1024);
    char *long_header = calloc(1, 40001);
    memset(long_header, 'x', 40000);
    char *answer =
        ask(&server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", long_header);
    cr_expect_eq(strncmp(answer, "HTTP/1.1 431", 12), 0, "%s", answer);
    free(answer);
    free(long_header);
    publish(&server, "t", "still here");
    cr_expect(wire_has(&stream, "still here", PATIENCE_MS));
    wire_close(&stream);
    server_stop(&server);
}
