/* Clients that do not read: an MCP stream, and what is asked while one holds up the end. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_deaf, .timeout = 120);

#define ASK_STATS                                                                              \
    "GET /stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n\r\n"

/* A client of MCP that never reads, and hears of every message on `t`. */
static struct wire deafen(const struct server *server)
{
    struct wire deaf = wire_open_narrow(server);
    send_mcp(&deaf, "bob-token", "subscriptions/listen", NULL, "1",
             ",\"notifications\":{\"resourceSubscriptions\":[\"topic:t\"]}");
    cr_assert(stat_becomes(server, "live_total", 1, PATIENCE_MS));
    return deaf;
}

/* Publishes, on one connection, `n` times without looking at what is answered. */
static void publish_often(const struct server *server, int n)
{
    struct wire wire = wire_open(server);
    for (int i = 0; i < n; i++) {
        wire_send(&wire,
                  "POST /publish?topic=t HTTP/1.1\r\nHost: localhost\r\n%s"
                  "Authorization: Bearer alice-token\r\nContent-Length: 1\r\n\r\nx",
                  i + 1 == n ? "Connection: close\r\n" : "");
    }
    cr_assert(wire_ends(&wire, PATIENCE_MS));
    cr_assert_eq(wire_count(&wire, "published\n"), (size_t)n);
    wire_close(&wire);
}

Test(serve_deaf, a_client_of_mcp_that_does_not_read_is_dropped_and_others_are_served_R16)
{
    struct server server = server_start((const char *const[]){"--keepalive", "60s", NULL});
    struct wire deaf = deafen(&server);
    struct wire reader =
        listen_mcp(&server, "alice-token", "2", "{\"resourceSubscriptions\":[\"topic:t\"]}");
    cr_assert(wire_has(&reader, "acknowledged", PATIENCE_MS));
    size_t n = 0;
    while (stat_of(&server, "alice-token", "live_total") == 2) {
        cr_assert_lt(n, 40000, "8 MB were taken for a client that reads nothing");
        publish_often(&server, 50);
        n += 50;
        while (wire_count(&reader, "resources/updated") < n) {
            cr_assert(!wire_ends(&reader, 5));
        }
    }
    cr_expect_eq(metric_of(&server, "unread_total"), 1);
    cr_expect(stat_becomes(&server, "open", 1, PATIENCE_MS));
    wire_close(&deaf);
    wire_close(&reader);
    server_stop(&server);
}

/* The actor has closed, and the last words wait for who does not read them. */
Test(serve_deaf, while_it_closes_figures_are_told_and_it_ends_as_ever_R19)
{
    struct server server = server_start((const char *const[]){"--keepalive", "60s", NULL});
    struct wire deaf = deafen(&server);
    while (metric_of(&server, "backlog_bytes") < 20000) {
        publish_often(&server, 50);
    }
    struct wire seen = listen_sse(&server, "alice-token", "");
    struct wire kept = wire_open(&server);
    cr_assert(wire_has(&seen, "event: admitted", PATIENCE_MS));
    wire_send(&kept, ASK_STATS);
    cr_assert(wire_has(&kept, "\"live\":{\"alice\":[", PATIENCE_MS), "%s", kept.bytes);
    kill(server.pid, SIGTERM);
    cr_assert(wire_has(&seen, "event: shutdown", PATIENCE_MS));
    wire_send(&kept, ASK_STATS);
    cr_expect(wire_has(&kept, "\"closed\":2,", PATIENCE_MS), "%s", kept.bytes);
    server_stop(&server);
    wire_close(&deaf);
    wire_close(&seen);
    wire_close(&kept);
}
