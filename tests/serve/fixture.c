/* See fixture.h. The server is a child that dies with the test, and its sanitizer's report, if
 * there is one, goes where criterion.sh looks for it. */
#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum {
    MAX_ARGUMENTS = 32
};

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool says_who_comes_in(const char *const *arguments)
{
    for (; *arguments != NULL; arguments++) {
        if (strcmp(*arguments, "--tokens") == 0 || strcmp(*arguments, "--anonymous") == 0 ||
            strcmp(*arguments, "--demo") == 0) {
            return true;
        }
    }
    return false;
}

static void write_tokens(struct server *server)
{
    strcpy(server->tokens, "/tmp/admission-tokens-XXXXXX");
    const int fd = mkstemp(server->tokens);
    cr_assert_neq(fd, -1);
    cr_assert_gt(dprintf(fd, "# who\nalice-token alice\nbob-token bob # too\n"), 0);
    close(fd);
}

static void become_server(const char *program, const char *const *arguments, int out,
                          const char *tokens)
{
    const char *argv[MAX_ARGUMENTS] = {program, "serve", "--port", "0"};
    int n = 4;
    if (*tokens != '\0') {
        argv[n++] = "--tokens";
        argv[n++] = tokens;
    }
    while (*arguments != NULL && n < MAX_ARGUMENTS - 1) {
        argv[n++] = *arguments++;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    execv(program, (char *const *)(uintptr_t)argv);
    _exit(127);
}

struct server server_start(const char *const *arguments)
{
    const char *program = getenv("ADMISSION");
    cr_assert_not_null(program, "ADMISSION is to name the program");
    struct server server = {0};
    if (!says_who_comes_in(arguments)) {
        write_tokens(&server);
    }
    int out[2];
    cr_assert_eq(pipe(out), 0);
    server.pid = fork();
    if (server.pid == 0) {
        close(out[0]);
        become_server(program, arguments, out[1], server.tokens);
    }
    close(out[1]);
    FILE *said = fdopen(out[0], "r");
    char line[128] = "";
    cr_assert_not_null(fgets(line, sizeof line, said), "the server did not begin");
    const char *port = strrchr(line, ':');
    cr_assert_eq(strncmp(line, "listening on http://", 20), 0);
    server.port = (unsigned)strtoul(port + 1, NULL, 10);
    fclose(said);
    return server;
}

void server_stop(struct server *server)
{
    const int64_t begun_at = now_ms();
    int status = -1;
    kill(server->pid, SIGTERM);
    while (waitpid(server->pid, &status, WNOHANG) == 0) {
        cr_assert_lt(now_ms(), begun_at + PATIENCE_MS, "the server does not end");
        poll(NULL, 0, 5);
    }
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
    if (*server->tokens != '\0') {
        unlink(server->tokens);
    }
}

static struct wire open_wire(const struct server *server, int receive_buffer)
{
    struct wire wire = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (receive_buffer > 0) {
        setsockopt(wire.fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((in_port_t)server->port),
        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
    };
    cr_assert_eq(connect(wire.fd, (const struct sockaddr *)&address, sizeof address), 0, "%s",
                 strerror(errno));
    wire.bytes = calloc(1, 1);
    return wire;
}

struct wire wire_open(const struct server *server)
{
    return open_wire(server, 0);
}

struct wire wire_open_narrow(const struct server *server)
{
    return open_wire(server, 4096);
}

void wire_close(struct wire *wire)
{
    if (wire->fd != -1) {
        close(wire->fd);
    }
    free(wire->bytes);
    *wire = (struct wire){.fd = -1};
}

void wire_send_bytes(struct wire *wire, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(wire->fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; /* the server has closed: what it said before is still to be read */
        }
        bytes += sent;
        n -= (size_t)sent;
    }
}

__attribute__((format(printf, 2, 0))) static void send_form(struct wire *wire, const char *form,
                                                            va_list arguments)
{
    char *text;
    const int n = vasprintf(&text, form, arguments);
    cr_assert_geq(n, 0);
    wire_send_bytes(wire, text, (size_t)n);
    free(text);
}

void wire_send(struct wire *wire, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    send_form(wire, form, arguments);
    va_end(arguments);
}

/* Reads what is there, waiting for it until `end_ms`: 1 some, 0 the end, -1 nothing came. */
static int read_more(struct wire *wire, int64_t end_ms)
{
    const int64_t left_ms = end_ms - now_ms();
    struct pollfd poll_fd = {.fd = wire->fd, .events = POLLIN};
    if (poll(&poll_fd, 1, left_ms > 0 ? (int)left_ms : 0) != 1) {
        return -1;
    }
    char some[16384];
    const ssize_t n = recv(wire->fd, some, sizeof some, 0);
    if (n <= 0) {
        return 0;
    }
    wire->bytes = realloc(wire->bytes, wire->n + (size_t)n + 1);
    memcpy(wire->bytes + wire->n, some, (size_t)n);
    wire->n += (size_t)n;
    wire->bytes[wire->n] = '\0';
    return 1;
}

bool wire_has(struct wire *wire, const char *text, int timeout_ms)
{
    const int64_t end_ms = now_ms() + timeout_ms;
    while (strstr(wire->bytes, text) == NULL) {
        if (read_more(wire, end_ms) != 1) {
            return false;
        }
    }
    return true;
}

bool wire_ends(struct wire *wire, int timeout_ms)
{
    const int64_t end_ms = now_ms() + timeout_ms;
    int got;
    do {
        got = read_more(wire, end_ms);
    } while (got == 1);
    return got == 0;
}

size_t wire_count(const struct wire *wire, const char *text)
{
    size_t n = 0;
    for (const char *at = wire->bytes; (at = strstr(at, text)) != NULL; at++) {
        n++;
    }
    return n;
}

/* What a response in chunks has brought so far, without what is around them. */
static char *read_body(const struct wire *wire, size_t *n_body)
{
    char *body = calloc(wire->n + 1, 1);
    const char *end = wire->bytes + wire->n;
    const char *at = strstr(wire->bytes, "\r\n\r\n");
    *n_body = 0;
    while (at != NULL && (at = strstr(at, "\r\n")) != NULL && end - at > 4) {
        at += at[2] == '\r' ? 4 : 2;
        char *line_end;
        const size_t n_chunk = strtoul(at, &line_end, 16);
        if (end - line_end < 2) {
            break;
        }
        const size_t n_there = (size_t)(end - line_end) - 2;
        const size_t n = n_chunk < n_there ? n_chunk : n_there;
        memcpy(body + *n_body, line_end + 2, n);
        *n_body += n;
        at = line_end + 2 + n;
    }
    return body;
}

static size_t count_in_body(const struct wire *wire, const char *text)
{
    size_t n_body;
    char *body = read_body(wire, &n_body);
    const char *end = body + n_body;
    size_t n = 0;
    for (const char *at = body;
         (at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL;
         at += strlen(text)) {
        n++;
    }
    free(body);
    return n;
}

bool wire_hears(struct wire *wire, const char *text, size_t n, int timeout_ms)
{
    const int64_t end_ms = now_ms() + timeout_ms;
    while (count_in_body(wire, text) < n) {
        if (read_more(wire, end_ms) != 1) {
            return false;
        }
    }
    return true;
}

char *ask(const struct server *server, const char *form, ...)
{
    struct wire wire = wire_open(server);
    va_list arguments;
    va_start(arguments, form);
    send_form(&wire, form, arguments);
    va_end(arguments);
    cr_assert(wire_ends(&wire, PATIENCE_MS), "no end of: %s", wire.bytes);
    char *answer = strdup(wire.bytes);
    wire_close(&wire);
    return answer;
}

struct wire listen_sse(const struct server *server, const char *token, const char *query)
{
    struct wire wire = wire_open(server);
    wire_send(&wire,
              "GET /listen%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
              query, token);
    return wire;
}

void send_mcp(struct wire *wire, const char *token, const char *method, const char *name,
              const char *id, const char *params)
{
    char *body;
    const int n = asprintf(&body,
                           "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\","
                           "\"params\":{" META "%s}}",
                           id, method, params);
    wire_send(wire,
              "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
              "Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
              "Mcp-Method: %s\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s",
              token, method, name == NULL ? "" : name, n, body);
    free(body);
}

struct wire listen_mcp(const struct server *server, const char *token, const char *id,
                       const char *notifications)
{
    struct wire wire = wire_open(server);
    char *params;
    cr_assert_gt(asprintf(&params, ",\"notifications\":%s", notifications), 0);
    send_mcp(&wire, token, "subscriptions/listen", NULL, id, params);
    free(params);
    return wire;
}

/* The number behind `key` in the answer to a GET. */
static long figure_of(const struct server *server, const char *path, const char *token,
                      const char *key)
{
    char *answer = ask(server,
                       "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                       "Authorization: Bearer %s\r\n\r\n",
                       path, token);
    const char *at = strstr(answer, key);
    cr_assert_not_null(at, "%s in %s", key, answer);
    const long value = strtol(at + strlen(key), NULL, 10);
    free(answer);
    return value;
}

long stat_of(const struct server *server, const char *token, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    return figure_of(server, "/stats", token, key);
}

long metric_of(const struct server *server, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\nadmission_%s ", name);
    return figure_of(server, "/metrics", "alice-token", key);
}

bool stat_becomes(const struct server *server, const char *name, long value, int timeout_ms)
{
    const int64_t end_ms = now_ms() + timeout_ms;
    while (stat_of(server, "alice-token", name) != value) {
        if (now_ms() > end_ms) {
            return false;
        }
        poll(NULL, 0, 2);
    }
    return true;
}

void publish(const struct server *server, const char *topic, const char *body)
{
    char *answer = ask(server,
                       "POST /publish?topic=%s HTTP/1.1\r\nHost: localhost\r\n"
                       "Connection: close\r\nAuthorization: Bearer alice-token\r\n"
                       "Content-Length: %zu\r\n\r\n%s",
                       topic, strlen(body), body);
    cr_assert_eq(strncmp(answer, "HTTP/1.1 200", 12), 0, "%s", answer);
    free(answer);
}
