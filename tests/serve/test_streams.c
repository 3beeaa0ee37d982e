/* Streams, one at a time or a few: how they begin, what they hear, and how they end. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_streams, .timeout = 120);

#define TOPICS "{\"resourcesListChanged\":true}"
#define OF_T "{\"resourceSubscriptions\":[\"topic:t\"]}"
#define ACK "notifications/subscriptions/acknowledged"

static struct wire admitted(const struct server *server, const char *token, const char *query)
{
    struct wire wire = listen_sse(server, token, query);
    cr_assert(wire_has(&wire, "event: admitted", PATIENCE_MS), "%s", wire.bytes);
    return wire;
}

static struct wire acknowledged(const struct server *server, const char *token, const char *id,
                                const char *notifications)
{
    struct wire wire = listen_mcp(server, token, id, notifications);
    cr_assert(wire_has(&wire, ACK, PATIENCE_MS), "%s", wire.bytes);
    return wire;
}

Test(serve_streams, both_kinds_share_a_cap_and_the_oldest_goes_whatever_its_kind_R6_R7)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire a = admitted(&server, "alice-token", "");
    struct wire b = acknowledged(&server, "alice-token", "1", TOPICS);
    struct wire bob = admitted(&server, "bob-token", "");
    struct wire c = admitted(&server, "alice-token", "");
    struct wire d = acknowledged(&server, "alice-token", "2", TOPICS);
    cr_expect(wire_ends(&a, PATIENCE_MS));
    cr_expect_not_null(strstr(a.bytes, "event: superseded"), "%s", a.bytes);
    struct wire e = admitted(&server, "alice-token", "");
    cr_expect(wire_ends(&b, PATIENCE_MS));
    cr_expect_not_null(strstr(b.bytes, "\"result\""), "%s", b.bytes);
    publish(&server, "t", "to all the others");
    cr_expect(wire_has(&bob, "to all the others", PATIENCE_MS));
    cr_expect(wire_has(&c, "to all the others", PATIENCE_MS));
    cr_expect(wire_has(&d, "resources/list_changed", PATIENCE_MS));
    cr_expect(wire_has(&e, "to all the others", PATIENCE_MS));
    cr_expect_eq(stat_of(&server, "alice-token", "superseded"), 2);
    struct wire *all[] = {&a, &b, &bob, &c, &d, &e};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        wire_close(all[i]);
    }
    server_stop(&server);
}

Test(serve_streams, a_superseded_mcp_stream_has_its_result_then_the_end_of_the_response_R9_R17)
{
    struct server server = server_start((const char *const[]){"--max-listens", "1", NULL});
    struct wire first = acknowledged(&server, "alice-token", "\"listen:0\"", OF_T);
    struct wire second = acknowledged(&server, "alice-token", "\"listen:0\"", OF_T);
    publish(&server, "t", "x");
    cr_expect(wire_has(&second, "resources/updated", PATIENCE_MS));
    cr_expect(wire_ends(&first, PATIENCE_MS));
    cr_expect_null(strstr(first.bytes, "resources/updated"), "%s", first.bytes);
    cr_expect_str_eq(first.bytes + first.n - 5, "0\r\n\r\n");
    cr_expect_not_null(strstr(first.bytes,
                              "{\"jsonrpc\":\"2.0\",\"id\":\"listen:0\",\"result\":{"
                              "\"resultType\":\"complete\",\"_meta\":{" SUBSCRIPTION
                              "\"listen:0\",\"io.modelcontextprotocol/serverInfo\":{"));
    cr_expect_not_null(strstr(first.bytes, "Connection: close\r\n"));
    cr_expect_null(strstr(first.bytes, "\nid:"), "a frame of /mcp has no id");
    cr_expect_null(strstr(first.bytes, "\nretry:"), "a frame of /mcp has no retry");
    wire_close(&first);
    wire_close(&second);
    server_stop(&server);
}

Test(serve_streams, the_acknowledgement_has_what_can_be_delivered_and_no_more_R8)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire wire = acknowledged(
        &server, "alice-token", "1",
        "{\"toolsListChanged\":true,\"resourcesListChanged\":false,\"promptsListChanged\":true,"
        "\"resourceSubscriptions\":[\"topic:a%20b\",\"topic:a "
        "b\",\"file:///x\",\"topic:a%20b\"]}");
    cr_expect_not_null(
        strstr(wire.bytes, "\"notifications\":{\"resourceSubscriptions\":[\"topic:a%20b\"]}}}"),
        "%s", wire.bytes);
    publish(&server, "a%20b", "x");
    cr_expect(wire_has(&wire, "\"uri\":\"topic:a%20b\"", PATIENCE_MS));
    cr_expect_eq(wire_count(&wire, "resources/updated"), 1);
    wire_close(&wire);
    server_stop(&server);
}

Test(serve_streams, a_listen_for_nothing_is_acknowledged_and_ended_and_takes_no_slot_R12)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire wire = listen_mcp(&server, "alice-token", "4", "{\"promptsListChanged\":true}");
    cr_expect(wire_has(&wire, "\"result\"", PATIENCE_MS));
    const char *ack = strstr(wire.bytes, ACK);
    cr_assert_not_null(ack);
    cr_expect_lt(ack, strstr(wire.bytes, "\"result\""));
    cr_expect_not_null(strstr(wire.bytes, "\"notifications\":{}"));
    cr_expect_eq(stat_of(&server, "alice-token", "admitted"), 0);
    wire_close(&wire);
    server_stop(&server);
}

Test(serve_streams, sse_begins_with_admitted_and_its_last_event_stops_a_browser_R11)
{
    struct server server = server_start((const char *const[]){"--max-listens", "1", NULL});
    struct wire first = admitted(&server, "alice-token", "");
    cr_expect(wire_has(&first, "{\"ref\":1,\"principal\":\"alice\",\"order\":0,\"max\":1}\n\n",
                       PATIENCE_MS),
              "%s", first.bytes);
    struct wire second = admitted(&server, "alice-token", "");
    cr_expect(wire_ends(&first, PATIENCE_MS));
    cr_expect_not_null(strstr(first.bytes, "id: end:superseded:1\nevent: superseded\ndata: "
                                           "{\"ref\":1,\"reason\":\"superseded\"}\n\n"));
    char *answer =
        ask(&server, "GET /listen HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     "Authorization: Bearer alice-token\r\n"
                     "Last-Event-ID: end:superseded:1\r\n\r\n");
    cr_expect_eq(strncmp(answer, "HTTP/1.1 204", 12), 0, "%s", answer);
    free(answer);
    cr_expect_eq(stat_of(&server, "alice-token", "admitted"), 2);
    wire_close(&first);
    wire_close(&second);
    server_stop(&server);
}

static void end_by_close(struct wire *wire)
{
    wire_close(wire);
}

static void end_by_reset(struct wire *wire)
{
    const struct linger none = {.l_onoff = 1};
    setsockopt(wire->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    wire_close(wire);
}

static void end_by_half(struct wire *wire)
{
    shutdown(wire->fd, SHUT_WR);
}

Test(serve_streams, however_a_client_ends_its_slot_is_free_without_a_write_R13)
{
    static void (*const ends[])(struct wire *) = {end_by_close, end_by_reset, end_by_half};
    struct server server = server_start((const char *const[]){"--keepalive", "60s", NULL});
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct wire sse = admitted(&server, "alice-token", "");
        struct wire mcp = acknowledged(&server, "alice-token", "1", TOPICS);
        cr_expect_eq(stat_of(&server, "alice-token", "live_total"), 2);
        ends[i](&sse);
        ends[i](&mcp);
        cr_expect(stat_becomes(&server, "live_total", 0, PATIENCE_MS), "end %zu", i);
        wire_close(&sse);
        wire_close(&mcp);
    }
    cr_expect(stat_becomes(&server, "open", 0, PATIENCE_MS));
    cr_expect_eq(stat_of(&server, "alice-token", "left"), 6);
    server_stop(&server);
}

Test(serve_streams, a_posted_cancellation_is_accepted_and_changes_nothing_R14)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire wire = acknowledged(&server, "alice-token", "\"listen:0\"", OF_T);
    const char *body =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
        "\"requestId\":\"listen:0\"," META "}}";
    char *answer = ask(&server,
                       "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       "Authorization: Bearer alice-token\r\nContent-Type: application/json\r\n"
                       "MCP-Protocol-Version: 2026-07-28\r\nContent-Length: %zu\r\n\r\n%s",
                       strlen(body), body);
    cr_expect_eq(strncmp(answer, "HTTP/1.1 202", 12), 0, "%s", answer);
    cr_expect_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    free(answer);
    publish(&server, "t", "x");
    cr_expect(wire_has(&wire, "resources/updated", PATIENCE_MS));
    wire_close(&wire);
    server_stop(&server);
}

Test(serve_streams, a_quiet_stream_has_a_comment_now_and_then_R15)
{
    struct server server = server_start((const char *const[]){"--keepalive", "50ms", NULL});
    struct wire sse = admitted(&server, "alice-token", "");
    struct wire mcp = acknowledged(&server, "alice-token", "1", TOPICS);
    while (wire_count(&sse, ": keepalive\n\n") < 5 || wire_count(&mcp, ": keepalive\n\n") < 5) {
        cr_assert(!wire_ends(&sse, 20));
        cr_assert(!wire_ends(&mcp, 20));
    }
    wire_close(&sse);
    wire_close(&mcp);
    server_stop(&server);
}

Test(serve_streams, a_client_that_does_not_read_is_dropped_and_others_are_served_R16)
{
    struct server server = server_start((const char *const[]){"--keepalive", "60s", NULL});
    struct wire deaf = wire_open_narrow(&server);
    wire_send(&deaf, "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer alice-token\r\n\r\n");
    struct wire reader = admitted(&server, "bob-token", "");
    cr_assert(stat_becomes(&server, "live_total", 2, PATIENCE_MS));
    char body[20001];
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    int n = 0;
    while (stat_of(&server, "alice-token", "live_total") == 2) {
        cr_assert_lt(n, 200, "4 MB were taken for a client that reads nothing");
        publish(&server, "t", body);
        n++;
        cr_assert(wire_has(&reader, "event: message", PATIENCE_MS));
        cr_assert(!wire_ends(&reader, 5));
    }
    cr_expect(stat_becomes(&server, "open", 1, PATIENCE_MS));
    publish(&server, "t", "and one more");
    cr_expect(wire_has(&reader, "and one more", PATIENCE_MS));
    wire_close(&deaf);
    wire_close(&reader);
    server_stop(&server);
}

/* In JSON, each of these bytes is two or six. */
Test(serve_streams, the_largest_body_is_heard_by_who_reads_whatever_is_in_it_R16)
{
    static const char bytes[] = "\x01\n\"\xff";
    struct server server = server_start(NO_ARGUMENTS);
    struct wire sse = admitted(&server, "alice-token", "");
    struct wire other = admitted(&server, "bob-token", "?topic=t");
    char body[32769];
    body[sizeof body - 1] = '\0';
    for (size_t i = 0; i < strlen(bytes); i++) {
        memset(body, bytes[i], sizeof body - 1);
        publish(&server, "t", body);
        cr_assert(wire_hears(&sse, "\"}\n\n", i + 1, PATIENCE_MS));
        cr_assert(wire_hears(&other, "\"}\n\n", i + 1, PATIENCE_MS));
    }
    cr_expect_eq(metric_of(&server, "unread_total"), 0);
    wire_close(&sse);
    wire_close(&other);
    server_stop(&server);
}

Test(serve_streams, bodies_posted_all_at_once_are_heard_by_who_reads_R16)
{
    enum {
        N = 40
    };
    struct server server = server_start(NO_ARGUMENTS);
    struct wire sse = admitted(&server, "alice-token", "");
    struct wire publishers[N];
    char body[4097];
    memset(body, '\x01', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    for (size_t i = 0; i < N; i++) {
        publishers[i] = wire_open(&server);
    }
    for (size_t i = 0; i < N; i++) {
        wire_send(&publishers[i],
                  "POST /publish?topic=t HTTP/1.1\r\nHost: localhost\r\n"
                  "Authorization: Bearer bob-token\r\nContent-Length: %zu\r\n\r\n%s",
                  strlen(body), body);
    }
    cr_assert(wire_hears(&sse, "\"}\n\n", N, PATIENCE_MS));
    for (size_t i = 0; i < N; i++) {
        wire_close(&publishers[i]);
    }
    wire_close(&sse);
    server_stop(&server);
}

/* Two of them are still allowed; a second in which none of it is taken is not. */
Test(serve_streams, a_stream_whose_client_takes_nothing_for_a_while_ends_R16)
{
    struct server server = server_start((const char *const[]){"--keepalive", "0", NULL});
    struct wire deaf = wire_open_narrow(&server);
    wire_send(&deaf, "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer alice-token\r\n\r\n");
    cr_assert(stat_becomes(&server, "live_total", 1, PATIENCE_MS));
    char body[32769];
    memset(body, '\x01', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    publish(&server, "t", body);
    publish(&server, "t", body);
    cr_expect(stat_becomes(&server, "live_total", 0, PATIENCE_MS));
    cr_expect_eq(metric_of(&server, "unread_total"), 1);
    wire_close(&deaf);
    server_stop(&server);
}

Test(serve_streams, an_empty_body_is_text_R5)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire sse = admitted(&server, "alice-token", "");
    publish(&server, "t", "");
    cr_expect(wire_has(&sse, "{\"topic\":\"t\",\"body\":\"\"}", PATIENCE_MS), "%s", sse.bytes);
    struct wire mcp = wire_open(&server);
    send_mcp(&mcp, "alice-token", "resources/read", "topic:t", "2", ",\"uri\":\"topic:t\"");
    cr_expect(wire_has(&mcp, "\"text\":\"\"", PATIENCE_MS), "%s", mcp.bytes);
    wire_close(&mcp);
    wire_close(&sse);
    server_stop(&server);
}

Test(serve_streams, the_longest_keepalive_is_as_good_as_none_R15)
{
    struct server server =
        server_start((const char *const[]){"--keepalive", "9223372036854775806us", NULL});
    struct wire sse = admitted(&server, "alice-token", "");
    publish(&server, "t", "x");
    cr_expect(wire_has(&sse, "\"body\":\"x\"", PATIENCE_MS));
    cr_expect_eq(wire_count(&sse, ": keepalive"), 0);
    wire_close(&sse);
    server_stop(&server);
}

/* A deaf client with words spooled for it, so that the drain takes its whole second. */
static struct wire deafen(const struct server *server)
{
    struct wire deaf = wire_open_narrow(server);
    wire_send(&deaf, "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer bob-token\r\n\r\n");
    cr_assert(stat_becomes(server, "live_total", 1, PATIENCE_MS));
    char body[5001];
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    while (metric_of(server, "backlog_bytes") < 20000) {
        publish(server, "t", body);
    }
    cr_assert_eq(stat_of(server, "alice-token", "live_total"), 1);
    return deaf;
}

/* At the largest message, all escapes, that is two hundred thousand bytes; here it is one of
 * thirty thousand and the last words. */
Test(serve_streams, of_a_stream_that_ends_far_behind_only_the_message_under_way_is_kept_R22)
{
    struct server server = server_start((const char *const[]){"--max-listens", "1", NULL});
    struct wire deaf = wire_open_narrow(&server);
    wire_send(&deaf, "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer bob-token\r\n\r\n");
    cr_assert(stat_becomes(&server, "live_total", 1, PATIENCE_MS));
    char body[30001];
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    while (metric_of(&server, "backlog_bytes") < 200000) {
        publish(&server, "t", body);
    }
    struct wire newer = admitted(&server, "bob-token", "");
    cr_expect_leq(metric_of(&server, "backlog_bytes"), 31000);
    cr_expect(wire_ends(&deaf, PATIENCE_MS));
    cr_expect_not_null(strstr(deaf.bytes, "id: end:superseded:1\n"));
    wire_close(&deaf);
    wire_close(&newer);
    server_stop(&server);
}

/* Half of fourteen connections are four live ones and three that have ended. */
Test(serve_streams, ended_streams_that_nobody_reads_make_room_and_newer_ones_are_admitted_R22)
{
    struct server server = server_start(
        (const char *const[]){"--max-connections", "14", "--max-listens", "4", NULL});
    struct wire deaf[4];
    for (size_t i = 0; i < 4; i++) {
        deaf[i] = wire_open_narrow(&server);
        wire_send(&deaf[i], "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                            "Authorization: Bearer alice-token\r\n\r\n");
    }
    cr_assert(stat_becomes(&server, "live_total", 4, PATIENCE_MS));
    char body[5001];
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    while (metric_of(&server, "backlog_bytes") < 4 * 20000) {
        publish(&server, "t", body);
    }
    cr_assert_eq(stat_of(&server, "alice-token", "live_total"), 4);
    struct wire newer[6];
    for (size_t i = 0; i < 6; i++) {
        newer[i] = admitted(&server, "alice-token", "?topic=other");
    }
    cr_expect(wire_ends(&newer[0], PATIENCE_MS));
    cr_expect(wire_ends(&newer[1], PATIENCE_MS));
    cr_expect(stat_becomes(&server, "open", 4 + 3, PATIENCE_MS));
    cr_expect_eq(metric_of(&server, "unread_total"), 1);
    cr_expect_eq(metric_of(&server, "turned_away_total"), 0);
    struct wire bobs = admitted(&server, "bob-token", "");
    wire_close(&bobs);
    for (size_t i = 0; i < 4; i++) {
        wire_close(&deaf[i]);
    }
    for (size_t i = 0; i < 6; i++) {
        wire_close(&newer[i]);
    }
    server_stop(&server);
}

Test(serve_streams, while_it_closes_a_newcomer_is_refused_in_the_words_of_its_kind_R18)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire deaf = deafen(&server);
    struct wire sse = wire_open(&server);
    struct wire mcp = wire_open(&server);
    struct wire seen = admitted(&server, "alice-token", "");
    wire_send(&sse, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wire_send(&mcp, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    cr_assert(wire_has(&sse, "ok\n", PATIENCE_MS));
    cr_assert(wire_has(&mcp, "ok\n", PATIENCE_MS));
    kill(server.pid, SIGTERM);
    cr_assert(wire_has(&seen, "event: shutdown", PATIENCE_MS));
    wire_send(&sse, "GET /listen HTTP/1.1\r\nHost: localhost\r\n"
                    "Authorization: Bearer alice-token\r\n\r\n");
    send_mcp(&mcp, "alice-token", "subscriptions/listen", NULL, "\"a\"",
             ",\"notifications\":" TOPICS);
    cr_expect(wire_has(&sse, "HTTP/1.1 503", PATIENCE_MS), "%s", sse.bytes);
    cr_expect(wire_has(&sse, "Retry-After: 1\r\n", PATIENCE_MS), "%s", sse.bytes);
    cr_expect(wire_has(&mcp, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32603",
                       PATIENCE_MS),
              "%s", mcp.bytes);
    struct wire *all[] = {&deaf, &sse, &mcp, &seen};
    server_stop(&server);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        wire_close(all[i]);
    }
}

Test(serve_streams, sigterm_sigint_and_sighup_end_every_stream_with_its_last_words_R19)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct server server = server_start(NO_ARGUMENTS);
        struct wire deaf = deafen(&server);
        struct wire sse = admitted(&server, "alice-token", "");
        struct wire mcp = acknowledged(&server, "alice-token", "1", TOPICS);
        kill(server.pid, signals[i]);
        cr_expect(wire_ends(&sse, PATIENCE_MS));
        cr_expect_not_null(strstr(sse.bytes, "id: end:shutdown:"), "%s", sse.bytes);
        cr_expect(wire_ends(&mcp, PATIENCE_MS));
        cr_expect_not_null(strstr(mcp.bytes, "\"result\""), "%s", mcp.bytes);
        cr_expect_str_eq(mcp.bytes + mcp.n - 5, "0\r\n\r\n");
        server_stop(&server);
        wire_close(&deaf);
        wire_close(&sse);
        wire_close(&mcp);
    }
}

/* 2,000 publishes to four streams, one after the other: a wake-up that was lost would leave one
 * of them until the keepalive, a minute later. */
Test(serve_streams, a_message_wakes_every_stream_at_once_R21)
{
    struct server server =
        server_start((const char *const[]){"--keepalive", "60s", "--max-listens", "4", NULL});
    struct wire wires[4];
    for (size_t i = 0; i < 4; i++) {
        wires[i] = admitted(&server, "alice-token", "");
    }
    struct wire publisher = wire_open(&server);
    for (int n = 0; n < 2000; n++) {
        char body[32];
        const int length = snprintf(body, sizeof body, "number %d.", n);
        wire_send(&publisher,
                  "POST /publish?topic=t HTTP/1.1\r\nHost: localhost\r\n"
                  "Authorization: Bearer alice-token\r\nContent-Length: %d\r\n\r\n%s",
                  length, body);
        for (size_t i = 0; i < 4; i++) {
            cr_assert(wire_has(&wires[i], body, 10000), "stream %zu never heard %s", i, body);
            wires[i].n = 0;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        wire_close(&wires[i]);
    }
    wire_close(&publisher);
    server_stop(&server);
}
