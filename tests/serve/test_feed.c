/* The feed: any ZeroMQ publisher reaches the streams that asked for its topic. */
#include <stdio.h>
#include <string.h>

#include <czmq.h>
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_feed, .timeout = 60);

/* A subscription takes a moment to arrive, so the first message is said until it is heard. */
static void say_until_heard(zsock_t *publisher, struct wire *wire, const char *topic,
                            const char *body)
{
    const int64_t end_ms = now_ms() + PATIENCE_MS;
    while (!wire_has(wire, body, 20)) {
        cr_assert_lt(now_ms(), end_ms, "%s", wire->bytes);
        zstr_sendx(publisher, topic, body, NULL);
    }
}

static struct wire admitted(const struct server *server, const char *query)
{
    struct wire wire = listen_sse(server, "alice-token", query);
    cr_assert(wire_has(&wire, "event: admitted", PATIENCE_MS));
    return wire;
}

static void hand_on(const char *server_end, const char *publisher_end)
{
    struct server server = server_start((const char *const[]){"--feed", server_end, NULL});
    zsock_t *publisher = zsock_new(ZMQ_PUB);
    cr_assert_eq(zsock_attach(publisher, publisher_end, false), 0);
    struct wire prices = admitted(&server, "?topic=prices");
    struct wire news = admitted(&server, "?topic=news&topic=weather");
    struct wire all = admitted(&server, "");
    say_until_heard(publisher, &prices, "prices", "first");
    zstr_sendx(publisher, "alone", NULL);
    zstr_sendx(publisher, "three", "frames", "here", NULL);
    zstr_sendx(publisher, "weather", "sun", NULL);
    cr_expect(wire_has(&news, "{\"topic\":\"weather\",\"body\":\"sun\"}", PATIENCE_MS));
    cr_expect(wire_has(&all, "{\"topic\":\"weather\",\"body\":\"sun\"}", PATIENCE_MS));
    cr_expect_not_null(strstr(all.bytes, "\"body\":\"first\""));
    cr_expect_null(strstr(news.bytes, "prices"));
    cr_expect_null(strstr(prices.bytes, "weather"));
    cr_expect_null(strstr(all.bytes, "frames"));
    char *metrics =
        ask(&server, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     "Authorization: Bearer bob-token\r\n\r\n");
    cr_expect_not_null(strstr(metrics, "\nadmission_feed_malformed_total 2\n"), "%s", metrics);
    free(metrics);
    wire_close(&prices);
    wire_close(&news);
    wire_close(&all);
    zsock_destroy(&publisher);
    server_stop(&server);
}

Test(serve_feed, a_publisher_that_binds_is_connected_to)
{
    char path[64];
    char ours[80];
    snprintf(path, sizeof path, "ipc:///tmp/admission-feed-%d", (int)getpid());
    snprintf(ours, sizeof ours, "@%s", path);
    hand_on(path, ours);
    unlink(path + strlen("ipc://")); /* libzmq leaves it */
}

Test(serve_feed, publishers_connect_to_a_feed_that_binds)
{
    char path[64];
    char theirs[80];
    snprintf(path, sizeof path, "ipc:///tmp/admission-feed-%d", (int)getpid());
    snprintf(theirs, sizeof theirs, "@%s", path);
    hand_on(theirs, path);
    unlink(path + strlen("ipc://"));
}

/* Faster than it can be written, but less than 2 MiB in JSON: it is allowed to wait. */
static void send_burst(size_t n, size_t length, char byte)
{
    char path[64];
    char ours[80];
    snprintf(path, sizeof path, "ipc:///tmp/admission-feed-%d", (int)getpid());
    snprintf(ours, sizeof ours, "@%s", path);
    struct server server = server_start((const char *const[]){"--feed", path, NULL});
    zsock_t *publisher = zsock_new(ZMQ_PUB);
    zsock_set_sndhwm(publisher, 0);
    cr_assert_eq(zsock_attach(publisher, ours, false), 0);
    struct wire wire = admitted(&server, "?topic=burst&topic=first");
    say_until_heard(publisher, &wire, "first", "heard");
    char *body = calloc(length + 1, 1);
    memset(body, byte, length);
    for (size_t i = 0; i < n; i++) {
        zstr_sendx(publisher, "burst", body, NULL);
    }
    cr_expect(wire_hears(&wire, "\"topic\":\"burst\"", n, PATIENCE_MS), "%zu bytes", wire.n);
    free(body);
    wire_close(&wire);
    zsock_destroy(&publisher);
    server_stop(&server);
    unlink(path + strlen("ipc://"));
}

Test(serve_feed, a_burst_is_heard_whole_by_who_reads_R16)
{
    send_burst(200, 1000, 'x');
    send_burst(1000, 1000, 'x');
    send_burst(20, 8000, '\n');
    send_burst(8, 32768, '\x01');
}
