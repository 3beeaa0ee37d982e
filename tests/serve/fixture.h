/* A server of its own for a test, and raw sockets to talk to it.
 *
 * Whatever is wrong fails the test. Waits have an end, and go on as soon as what is waited for
 * is there. */
#ifndef ADM_TESTS_SERVE_FIXTURE_H
#define ADM_TESTS_SERVE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PATIENCE_MS = 20000 /* to catch a hang, not to measure */
};

struct server {
    pid_t pid;
    unsigned port;
    char tokens[64]; /* the file of alice-token and bob-token; "" with other arguments */
};

/* Starts `admission serve --port 0` with the arguments, which NULL ends, and, unless they say
 * who comes in, with tokens for alice and bob. */
struct server server_start(const char *const *arguments);

/* Tells it to end, waits until it has, and expects an exit with 0. */
void server_stop(struct server *server);

/* A connection and what has been read from it, which is always a string. */
struct wire {
    int fd;
    char *bytes;
    size_t n;
};

struct wire wire_open(const struct server *server);
struct wire wire_open_narrow(const struct server *server); /* the kernel keeps little for it */
void wire_close(struct wire *wire);
void wire_send(struct wire *wire, const char *form, ...) __attribute__((format(printf, 2, 3)));
void wire_send_bytes(struct wire *wire, const char *bytes, size_t n);

/* Reads until `text` is there, or until the other side ends: false when neither came. */
bool wire_has(struct wire *wire, const char *text, int timeout_ms);
bool wire_ends(struct wire *wire, int timeout_ms);

/* How often `text` has been read. */
size_t wire_count(const struct wire *wire, const char *text);

/* Reads until `text` has come `n` times in the body of a stream, wherever its chunks end. */
bool wire_hears(struct wire *wire, const char *text, size_t n, int timeout_ms);

/* Sends one request and reads one whole answer, which is to free(). */
char *ask(const struct server *server, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* An open stream: GET /listen in the name of a token, with `query` behind the path. */
struct wire listen_sse(const struct server *server, const char *token, const char *query);

/* POST to /mcp as a modern client does, without waiting: `method`, what Mcp-Name says or NULL,
 * `id` as JSON, the members of `params` behind `_meta` as JSON with a comma before, or "". */
void send_mcp(struct wire *wire, const char *token, const char *method, const char *name,
              const char *id, const char *params);
struct wire listen_mcp(const struct server *server, const char *token, const char *id,
                       const char *notifications);

/* A figure of /stats, and waiting until it is so. */
long stat_of(const struct server *server, const char *token, const char *name);
bool stat_becomes(const struct server *server, const char *name, long value, int timeout_ms);

/* A figure of /metrics. */
long metric_of(const struct server *server, const char *name);

/* POST /publish. */
void publish(const struct server *server, const char *topic, const char *body);

int64_t now_ms(void);

#define META                                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define SUBSCRIPTION "\"io.modelcontextprotocol/subscriptionId\":"
#define NO_ARGUMENTS ((const char *const[]){NULL})

#endif
