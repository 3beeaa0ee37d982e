/* Bursts: many listens of one principal, written back to back (R10). */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_bursts, .timeout = 240);

static void raise_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Its first frame is its own, of whatever kind. */
static void check_beginning(const struct wire *wire, bool is_mcp)
{
    const char *first = strstr(wire->bytes, "event: ");
    const char *wanted = is_mcp ? "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                                  "\"notifications/subscriptions/acknowledged\""
                                : "event: admitted\n";
    cr_expect(first != NULL && strncmp(first, wanted, strlen(wanted)) == 0, "%s", wire->bytes);
}

static bool has_last_words(const struct wire *wire, bool is_mcp)
{
    return strstr(wire->bytes, is_mcp ? "\"result\"" : "event: superseded") != NULL;
}

static void burst(size_t n, bool is_mcp)
{
    raise_limit();
    struct server server = server_start((const char *const[]){"--keepalive", "60s", NULL});
    struct wire *wires = calloc(n, sizeof *wires);
    for (size_t i = 0; i < n; i++) {
        wires[i] =
            is_mcp ? listen_mcp(&server, "alice-token", "1", "{\"resourcesListChanged\":true}")
                   : listen_sse(&server, "alice-token", "");
    }
    cr_expect(stat_becomes(&server, "superseded", (long)n - 3, PATIENCE_MS));
    cr_expect(stat_becomes(&server, "open", 3, PATIENCE_MS));
    size_t n_live = 0;
    for (size_t i = 0; i < n; i++) {
        const bool ends = wire_ends(&wires[i], 0);
        check_beginning(&wires[i], is_mcp);
        cr_expect_eq(has_last_words(&wires[i], is_mcp), ends, "%s", wires[i].bytes);
        n_live += !ends;
    }
    cr_expect_eq(n_live, 3);
    cr_expect_eq(stat_of(&server, "alice-token", "admitted"), (long)n);
    for (size_t i = 0; i < n; i++) {
        wire_close(&wires[i]);
    }
    free(wires);
    server_stop(&server);
}

Test(serve_bursts, of_50_listens_each_has_its_first_word_and_three_stay_R10)
{
    burst(50, true);
    burst(50, false);
}

Test(serve_bursts, of_500_listens_each_has_its_first_word_and_three_stay_R10)
{
    burst(500, true);
    burst(500, false);
}

Test(serve_bursts, of_2000_listens_each_has_its_first_word_and_three_stay_R10)
{
    burst(2000, true);
}

/* As many as there are connections for, but one: each is admitted in its turn. */
Test(serve_bursts, nobody_is_turned_away_while_there_are_connections_R10)
{
    enum {
        N = 180
    };
    struct server server = server_start(
        (const char *const[]){"--max-connections", "200", "--max-listens", "5", NULL});
    struct wire wires[N];
    for (size_t i = 0; i < N; i++) {
        wires[i] = listen_sse(&server, "alice-token", "");
    }
    for (size_t i = 0; i < N; i++) {
        cr_expect(wire_has(&wires[i], "event: admitted", PATIENCE_MS), "%zu: %s", i,
                  wires[i].bytes);
        cr_expect(i >= N - 5 || wire_has(&wires[i], "event: superseded", PATIENCE_MS),
                  "%zu: %s", i, wires[i].bytes);
    }
    for (size_t i = 0; i < N; i++) {
        wire_close(&wires[i]);
    }
    server_stop(&server);
}

/* A connection of a flood: requests without a pause, whose answers are read. */
struct flood {
    struct wire wire;
    pthread_t writer;
    pthread_t reader;
};

static void *write_flood(void *self)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct flood *flood = self;
    char many[64 * (sizeof request - 1)];
    for (size_t i = 0; i < 64; i++) {
        memcpy(many + i * (sizeof request - 1), request, sizeof request - 1);
    }
    while (send(flood->wire.fd, many, sizeof many, MSG_NOSIGNAL) > 0) {
    }
    return NULL;
}

static void *read_flood(void *self)
{
    struct flood *flood = self;
    char bytes[65536];
    while (recv(flood->wire.fd, bytes, sizeof bytes, 0) > 0) {
    }
    return NULL;
}

Test(serve_bursts, a_flood_of_requests_keeps_neither_a_listen_nor_a_signal_waiting_R21)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct flood floods[8];
    const size_t n = sizeof floods / sizeof *floods;
    for (size_t i = 0; i < n; i++) {
        floods[i].wire = wire_open(&server);
        pthread_create(&floods[i].writer, NULL, write_flood, &floods[i]);
        pthread_create(&floods[i].reader, NULL, read_flood, &floods[i]);
    }
    poll(NULL, 0, 200);
    struct wire sse = listen_sse(&server, "alice-token", "");
    cr_expect(wire_has(&sse, "event: admitted", PATIENCE_MS), "%s", sse.bytes);
    server_stop(&server);
    cr_expect(wire_has(&sse, "event: shutdown", PATIENCE_MS), "%s", sse.bytes);
    for (size_t i = 0; i < n; i++) {
        shutdown(floods[i].wire.fd, SHUT_RDWR);
        pthread_join(floods[i].writer, NULL);
        pthread_join(floods[i].reader, NULL);
        wire_close(&floods[i].wire);
    }
    wire_close(&sse);
}
