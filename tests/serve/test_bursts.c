/* Bursts: many listens of one principal, written back to back (R10). */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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
