/* Everything about HTTP that is not a stream: who comes in, and what each path says. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(serve_http, .timeout = 60);

static int get_status(const struct server *server, const char *path, const char *headers)
{
    char *answer = ask(server, "GET %s HTTP/1.1\r\nConnection: close\r\n%s\r\n", path, headers);
    const int status = atoi(answer + strlen("HTTP/1.1 "));
    free(answer);
    return status;
}

Test(serve_http, host_and_origin_are_checked_on_every_path_R1)
{
    static const char *const paths[] = {"/",        "/healthz", "/listen", "/stats",
                                        "/metrics", "/demo",    "/none"};
    struct server server = server_start((const char *const[]){"--allow-host", "box.lan", NULL});
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_expect_eq(get_status(&server, paths[i], "Host: evil.example\r\n"), 403);
        cr_expect_eq(get_status(&server, paths[i],
                                "Host: localhost\r\nOrigin: https://evil.example\r\n"),
                     403);
    }
    cr_expect_eq(get_status(&server, "/healthz", "Host: localhost:1\r\n"), 200);
    cr_expect_eq(get_status(&server, "/healthz", "Host: [::1]:80\r\n"), 200);
    cr_expect_eq(get_status(&server, "/healthz", "Host: box.lan\r\n"), 200);
    cr_expect_eq(get_status(&server, "/healthz", "Host: box.lan.evil\r\n"), 403);
    cr_expect_eq(
        get_status(&server, "/healthz", "Host: LocalHost\r\nOrigin: http://box.lan:8\r\n"),
        200);
    server_stop(&server);
}

Test(serve_http, what_is_somebodys_needs_a_token_and_the_rest_does_not_R2)
{
    struct server server = server_start(NO_ARGUMENTS);
    static const struct {
        const char *path;
        int without;
    } paths[] = {{"/healthz", 200}, {"/", 200},     {"/listen", 401}, {"/stats", 401},
                 {"/metrics", 401}, {"/none", 404}, {"/demo", 404}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_expect_eq(get_status(&server, paths[i].path, "Host: localhost\r\n"),
                     paths[i].without, "%s", paths[i].path);
    }
    server_stop(&server);
}

Test(serve_http, two_tokens_on_one_connection_are_two_principals_R2)
{
    struct server server = server_start(NO_ARGUMENTS);
    struct wire wire = wire_open(&server);
    wire_send(&wire, "GET /stats HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer alice-token\r\n\r\n");
    cr_expect(wire_has(&wire, "\"live\":{\"alice\":[]}}", PATIENCE_MS), "%s", wire.bytes);
    cr_expect_null(strstr(wire.bytes, "bob"));
    wire_send(&wire, "GET /stats HTTP/1.1\r\nHost: localhost\r\n"
                     "authorization: bearer bob-token\r\n\r\n");
    cr_expect(wire_has(&wire, "\"live\":{\"bob\":[]}}", PATIENCE_MS), "%s", wire.bytes);
    wire_close(&wire);
    server_stop(&server);
}

Test(serve_http, a_login_keeps_the_token_where_pages_cannot_read_it)
{
    struct server server = server_start(NO_ARGUMENTS);
    char *answer =
        ask(&server, "POST /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     "Authorization: Bearer bob-token\r\nContent-Length: 0\r\n\r\n");
    cr_expect_not_null(strstr(answer, "Set-Cookie: admission_token=bob-token; HttpOnly; "
                                      "SameSite=Strict; Path=/\r\n"),
                       "%s", answer);
    free(answer);
    const char *cookie = "Host: localhost\r\nCookie: a=b; admission_token=bob-token\r\n";
    cr_expect_eq(get_status(&server, "/stats", cookie), 200);
    cr_expect_eq(
        get_status(&server, "/stats", "Host: localhost\r\nCookie: admission_token=no\r\n"),
        401);
    server_stop(&server);
}

Test(serve_http, a_logout_makes_the_browser_forget_the_token)
{
    struct server server = server_start(NO_ARGUMENTS);
    char *answer = ask(&server, "POST /logout HTTP/1.1\r\nHost: localhost\r\n"
                                "Connection: close\r\nContent-Length: 0\r\n\r\n");
    cr_expect_eq(strncmp(answer, "HTTP/1.1 204", 12), 0, "%s", answer);
    cr_expect_not_null(strstr(answer, "Set-Cookie: admission_token=; HttpOnly; "
                                      "SameSite=Strict; Path=/; Max-Age=0\r\n"),
                       "%s", answer);
    free(answer);
    server_stop(&server);
}

/* An empty cookie would be a token that is there and wrong, and lock its browser out. */
Test(serve_http, a_login_without_a_token_leaves_no_cookie_and_an_empty_one_counts_as_none)
{
    struct server server = server_start((const char *const[]){"--anonymous", "all", NULL});
    char *answer = ask(&server, "POST /login HTTP/1.1\r\nHost: localhost\r\n"
                                "Connection: close\r\nContent-Length: 0\r\n\r\n");
    cr_expect_eq(strncmp(answer, "HTTP/1.1 200", 12), 0, "%s", answer);
    cr_expect_not_null(strstr(answer, "{\"principal\":\"all\"}"), "%s", answer);
    cr_expect_null(strstr(answer, "Set-Cookie"), "%s", answer);
    free(answer);
    static const char *const empty[] = {"Cookie: admission_token=\r\n",
                                        "Cookie: a=b; admission_token= ; c=d\r\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        char headers[128];
        snprintf(headers, sizeof headers, "Host: localhost\r\n%s", empty[i]);
        cr_expect_eq(get_status(&server, "/stats", headers), 200, "%s", empty[i]);
    }
    server_stop(&server);
}

/* SameSite=Strict goes by the host: a page on another port of it is of the same site, and
 * `<img src=http://localhost:8080/listen>` would take a slot. */
Test(serve_http, without_a_token_a_request_of_another_origins_page_is_nobodys)
{
    static const struct {
        const char *site;
        int status;
    } sites[] = {{"same-origin", 200}, {"none", 200}, {"same-site", 401}, {"cross-site", 401}};
    struct server server = server_start(NO_ARGUMENTS);
    struct server open = server_start((const char *const[]){"--anonymous", "all", NULL});
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        char headers[160];
        snprintf(headers, sizeof headers,
                 "Host: localhost\r\nCookie: admission_token=bob-token\r\n"
                 "Sec-Fetch-Site: %s\r\n",
                 sites[i].site);
        cr_expect_eq(get_status(&server, "/stats", headers), sites[i].status, "%s", headers);
        snprintf(headers, sizeof headers, "Host: localhost\r\nSec-Fetch-Site: %s\r\n",
                 sites[i].site);
        cr_expect_eq(get_status(&open, "/stats", headers), sites[i].status, "%s", headers);
        cr_expect_eq(get_status(&open, "/", headers), 200, "the page is open to everybody");
    }
    cr_expect_eq(get_status(&server, "/stats",
                            "Host: localhost\r\nAuthorization: Bearer bob-token\r\n"
                            "Sec-Fetch-Site: cross-site\r\n"),
                 200, "no page can make a browser send a token");
    server_stop(&server);
    server_stop(&open);
}

/* What probes of health ask. A stream is nothing that a HEAD could be about. */
Test(serve_http, a_head_is_a_get_without_its_body_but_for_a_stream)
{
    static const char *const paths[] = {"/",     "/page.js", "/healthz",
                                        "/demo", "/stats",   "/metrics"};
    struct server server = server_start((const char *const[]){"--demo", NULL});
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *answer = ask(&server,
                           "HEAD %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                           "Authorization: Bearer demo-bob\r\n\r\n",
                           paths[i]);
        cr_expect_eq(strncmp(answer, "HTTP/1.1 200", 12), 0, "%s: %s", paths[i], answer);
        cr_expect_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\n", "%s", paths[i]);
        cr_expect_null(strstr(answer, "Content-Length: 0\r\n"), "%s: %s", paths[i], answer);
        free(answer);
    }
    static const struct {
        const char *start;
        const char *allow;
    } wrong[] = {{"HEAD /listen", "Allow: GET\r\n"},
                 {"HEAD /publish", "Allow: POST\r\n"},
                 {"POST /stats", "Allow: GET, HEAD\r\n"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *answer = ask(&server,
                           "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                           "Authorization: Bearer demo-bob\r\n\r\n",
                           wrong[i].start);
        cr_expect_eq(strncmp(answer, "HTTP/1.1 405", 12), 0, "%s", answer);
        cr_expect_not_null(strstr(answer, wrong[i].allow), "%s: %s", wrong[i].start, answer);
        free(answer);
    }
    server_stop(&server);
}

Test(serve_http, who_has_no_token_is_the_anonymous_principal_but_a_wrong_token_is_nobodys)
{
    struct server server = server_start((const char *const[]){"--anonymous", "all", NULL});
    cr_expect_eq(get_status(&server, "/stats", "Host: localhost\r\n"), 200);
    cr_expect_eq(
        get_status(&server, "/stats", "Host: localhost\r\nAuthorization: Bearer x\r\n"), 401);
    server_stop(&server);
}

Test(serve_http, what_cannot_be_published_is_refused)
{
    struct server server = server_start(NO_ARGUMENTS);
    static const char *const queries[] = {"",           "?topic=",    "?topic=a&topic=b",
                                          "?topic=%00", "?topic=%ff", "?topic=a%0ab"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *answer =
            ask(&server,
                "POST /publish%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Authorization: Bearer alice-token\r\nContent-Length: 1\r\n\r\nx",
                queries[i]);
        cr_expect_eq(strncmp(answer, "HTTP/1.1 400", 12), 0, "%s: %s", queries[i], answer);
        cr_expect_not_null(strstr(answer, "1 to 255 bytes of UTF-8 text, a body at most 32768"),
                           "%s", answer);
        free(answer);
    }
    server_stop(&server);
}

Test(serve_http, one_stream_can_ask_for_64_topics_and_for_none_that_breaks_the_rule)
{
    char query[1024] = "/listen?topic=0";
    for (size_t i = 1; i < 65; i++) {
        snprintf(query + strlen(query), sizeof query - strlen(query), "&topic=%zu", i);
    }
    struct server server = server_start(NO_ARGUMENTS);
    const char *alice = "Host: localhost\r\nAuthorization: Bearer alice-token\r\n";
    cr_expect_eq(get_status(&server, query, alice), 400);
    cr_expect_eq(get_status(&server, "/listen?topic=%ff", alice), 400);
    *strrchr(query, '&') = '\0';
    struct wire wire = listen_sse(&server, "alice-token", strchr(query, '?'));
    cr_expect(wire_has(&wire, "event: admitted", PATIENCE_MS), "%s", wire.bytes);
    wire_close(&wire);
    server_stop(&server);
}

/* A topic's last message is a resource, text as text and bytes as base64. */
Test(serve_http, what_was_last_said_can_be_read_as_a_resource_R5)
{
    struct server server = server_start(NO_ARGUMENTS);
    publish(&server, "news", "first");
    publish(&server, "news", "second");
    publish(&server, "bytes", "\xff\xfe");
    struct wire wire = wire_open(&server);
    send_mcp(&wire, "alice-token", "resources/list", NULL, "1", "");
    cr_expect(wire_has(&wire, "{\"uri\":\"topic:news\",\"name\":\"news\"}", PATIENCE_MS), "%s",
              wire.bytes);
    send_mcp(&wire, "alice-token", "resources/read", "topic:news", "2",
             ",\"uri\":\"topic:news\"");
    cr_expect(
        wire_has(&wire, "\"contents\":[{\"uri\":\"topic:news\",\"text\":\"second\"}]", 3000),
        "%s", wire.bytes);
    wire_close(&wire);
    struct wire sse = listen_sse(&server, "alice-token", "?topic=bytes");
    cr_expect(wire_has(&sse, "event: admitted", PATIENCE_MS));
    publish(&server, "bytes", "\xff\xfe");
    cr_expect(wire_has(&sse, "{\"topic\":\"bytes\",\"base64\":\"//4=\"}", PATIENCE_MS), "%s",
              sse.bytes);
    wire_close(&sse);
    server_stop(&server);
}

/* Runs the program until it ends by itself, with what it says on standard error. */
static int run(const char *const *arguments, char said[512])
{
    const char *argv[16] = {getenv("ADMISSION"), "serve"};
    for (int n = 2; *arguments != NULL; n++) {
        argv[n] = *arguments++;
    }
    int error[2];
    cr_assert_eq(pipe(error), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(error[1], STDERR_FILENO);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(error[1]);
    size_t n = 0;
    ssize_t got;
    while (n < 511 && (got = read(error[0], said + n, 511 - n)) > 0) {
        n += (size_t)got;
    }
    said[n] = '\0';
    close(error[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_file(char path[64], const char *text, mode_t mode)
{
    strcpy(path, "/tmp/admission-serve-XXXXXX");
    const int fd = mkstemp(path);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(fchmod(fd, mode), 0);
    close(fd);
}

Test(serve_http, a_wrong_call_says_what_is_wrong_and_never_a_token)
{
    static const struct {
        const char *arguments[8];
        const char *said;
    } calls[] = {
        {{NULL}, "nobody could come in"},
        {{"--bind", "0.0.0.0", "--anonymous", "x", NULL}, "--tokens is needed"},
        {{"--bind", "here", "--demo", NULL}, "not an address"},
        {{"--max-listens", "0", "--demo", NULL}, "not a valid value"},
        {{"--port", "65536", "--demo", NULL}, "not a valid value"},
        {{"--demo", "more", NULL}, "not an option"},
        {{"--tokens", "/nowhere", NULL}, "No such file"},
        {{"--config", "/nowhere", NULL}, "No such file"},
        {{"--tokens", "/tmp", NULL}, "Is a directory"},
        {{"--anonymous", "al\xff", NULL}, "not a valid value"},
        {{"--demo", "--max-connections", "8", "--max-listens", "5", NULL},
         "more than half of the 8 connections"},
        {{"--demo", "--port", "0", "--feed", "nonsense", NULL}, "--feed nonsense"},
    };
    char said[512];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cr_expect_eq(run(calls[i].arguments, said), 2, "%s", said);
        cr_expect_not_null(strstr(said, calls[i].said), "%s: %s", calls[i].said, said);
    }
    static const struct {
        const char *text;
        mode_t mode;
        const char *said;
    } files[] = {
        {"secret alice\n", 0640, "others can reach it"},
        {"secret alice\nsecret bob\n", 0600, ":2: the token is there twice"},
        {"secret\n", 0600, ":1: a line is TOKEN PRINCIPAL"},
        {"secret;x alice\n", 0600, ":1: a token is made of"},
        {"# secret\n", 0600, "no token is in it"},
        {"a bob\nsecret al\xff\n", 0600, ":2: a principal has 1 to 255 bytes of UTF-8"},
        {"secret al\x7f\n", 0600, ":1: a principal has 1 to 255 bytes of UTF-8"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        write_file(path, files[i].text, files[i].mode);
        cr_expect_eq(run((const char *const[]){"--tokens", path, NULL}, said), 2);
        cr_expect_not_null(strstr(said, files[i].said), "%s: %s", files[i].said, said);
        cr_expect_null(strstr(said, "secret"), "%s", said);
        unlink(path);
    }
}

/* Begins a server whose standard error goes to a file, which is to close. */
static struct server start_heard(FILE **said)
{
    *said = tmpfile();
    const int ours = dup(STDERR_FILENO);
    dup2(fileno(*said), STDERR_FILENO);
    struct server server = server_start(NO_ARGUMENTS);
    dup2(ours, STDERR_FILENO);
    close(ours);
    return server;
}

Test(serve_http, while_it_serves_nothing_is_said_of_a_token_R2)
{
    static const char *const requests[] = {
        "GET /stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n",
        "GET /stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong-token\r\n",
        "GET /stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic wrong-token\r\n",
        "GET /stats HTTP/1.1\r\nHost: localhost\r\nCookie: admission_token=wrong-token\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n",
        "GET /listen HTTP/1.1\r\nHost: evil\r\nAuthorization: Bearer alice-token\r\n",
        "alice-token\r\nAuthorization Bearer alice-token\r\n",
    };
    FILE *said;
    struct server server = start_heard(&said);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char *answer = ask(&server, "%sConnection: close\r\n\r\n", requests[i]);
        cr_expect_null(strstr(answer, "-token"), "%s", answer);
        free(answer);
    }
    server_stop(&server);
    char bytes[4096];
    rewind(said);
    const size_t n = fread(bytes, 1, sizeof bytes - 1, said);
    bytes[n] = '\0';
    cr_expect_null(strstr(bytes, "-token"), "%s", bytes);
    fclose(said);
}

Test(serve_http, a_file_says_the_same_as_the_command_line_which_wins)
{
    char path[64];
    write_file(path,
               "anonymous = all\nmax-listens = 7\nkeepalive = 1s\nallow-host = a.lan\n"
               "allow-host = b.lan\n",
               0600);
    struct server server = server_start((const char *const[]){"--config", path, "--max-listens",
                                                              "9", "--anonymous", "me", NULL});
    cr_expect_eq(get_status(&server, "/healthz", "Host: a.lan\r\n"), 200);
    cr_expect_eq(get_status(&server, "/healthz", "Host: b.lan\r\n"), 200);
    char *answer = ask(&server, "GET /stats HTTP/1.1\r\nHost: localhost\r\n"
                                "Connection: close\r\n\r\n");
    cr_expect_not_null(strstr(answer, "\"principal\":\"me\",\"max\":9"), "%s", answer);
    free(answer);
    server_stop(&server);
    unlink(path);
    char said[512];
    write_file(path, "nonsense = 1\n", 0600);
    cr_expect_eq(run((const char *const[]){"--config", path, NULL}, said), 2);
    cr_expect_not_null(strstr(said, "nonsense: no such setting"), "%s", said);
    unlink(path);
}

Test(serve_http, a_flag_in_a_file_is_yes_or_no_in_any_of_its_words)
{
    static const struct {
        const char *word;
        int demo;
    } words[] = {{"1", 200}, {"true", 200},  {"yes", 200},
                 {"0", 404}, {"false", 404}, {"no", 404}};
    char path[64];
    char text[64];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(text, sizeof text, "anonymous = me\ndemo = %s\n", words[i].word);
        write_file(path, text, 0600);
        struct server server =
            server_start((const char *const[]){"--config", path, "--anonymous", "me", NULL});
        cr_expect_eq(get_status(&server, "/demo", "Host: localhost\r\n"), words[i].demo);
        server_stop(&server);
        unlink(path);
    }
    char said[512];
    write_file(path, "demo = maybe\n", 0600);
    cr_expect_eq(run((const char *const[]){"--config", path, NULL}, said), 2);
    cr_expect_not_null(strstr(said, "demo: not a valid value"), "%s", said);
    unlink(path);
}

/* Threads do not grow with streams (R24). */
static long threads_of(pid_t pid)
{
    char path[64];
    char line[256];
    long n = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Threads:", 8) == 0) {
            n = strtol(line + 8, NULL, 10);
        }
    }
    fclose(file);
    return n;
}

Test(serve_http, one_thread_serves_them_all_R24)
{
    struct server server = server_start((const char *const[]){"--max-listens", "100", NULL});
    struct wire first = listen_sse(&server, "alice-token", "");
    cr_expect(wire_has(&first, "event: admitted", PATIENCE_MS));
    const long before = threads_of(server.pid);
    struct wire wires[99];
    for (size_t i = 0; i < 99; i++) {
        wires[i] = listen_sse(&server, "alice-token", "");
    }
    cr_expect(stat_becomes(&server, "live_total", 100, PATIENCE_MS));
    cr_expect_eq(threads_of(server.pid), before);
    for (size_t i = 0; i < 99; i++) {
        wire_close(&wires[i]);
    }
    wire_close(&first);
    server_stop(&server);
}
