/* See tool/serve/server.h. Each turn waits for whatever comes first, hears the actor, looks who
 * is gone, reads some of the feed, and then lets libmicrohttpd run until it has nothing to do
 * or has had its share: requests that come without a pause keep nobody else waiting. What a
 * turn asks of the actor goes out as one message.
 *
 * libmicrohttpd, driven from outside, neither counts resumed connections in its timeout nor
 * looks at its listening socket again once it was at a limit, so the loop keeps a note of both
 * and runs it again. */
#include "tool/serve/server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/time.h"
#include "tool/serve/exchange.h"
#include "tool/serve/guests.h"

enum {
    POOL = 8192, /* of one connection: its headers, both ways */
    SPARE_DESCRIPTORS = 64,
    ROUNDS = 8, /* of libmicrohttpd in a turn, and more while the turn is short */
    ROUNDS_US = 2000,
    SEND_BUFFER = 32 * 1024,
    BACKLOG = 4096,
    IDLE_S = 30, /* of a connection without a stream, or one whose client does not read */
    MAX_EVENTS = 16,
    DRAIN_US = 1000000,
    DEMO_US = 1000000,
};

static const int64_t LONGEST_SLEEP_US = INT64_C(3600000000);

struct adm_server {
    struct adm_office office;
    struct adm_guests guests;
    struct adm_topics topics;
    struct adm_principals *principals;
    uint32_t max_connections;
    int poll_fd;
    int signal_fd;
    int listen_fd;
    int64_t now;
    int64_t demo_at;
    int64_t demo_number;
    int64_t drained_at; /* ADM_NEVER: it is not draining */
    bool need_run;
    bool feed_has_more;
    bool http_has_more;
};

static int64_t monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static bool fail(enum adm_exit *status, const char *what, const char *why)
{
    *status = adm_command_fail(ADM_EXIT_FAILED, "%s: %s", what, why);
    return false;
}

/* As many descriptors as there can be, for each stream is one. */
static uint32_t raise_descriptors(void)
{
    struct rlimit limit = {.rlim_cur = 1024, .rlim_max = 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur > UINT32_MAX ? UINT32_MAX : (uint32_t)limit.rlim_cur;
}

static uint32_t limit_of_connections(const struct adm_settings *settings)
{
    const uint32_t descriptors = raise_descriptors();
    const uint32_t most =
        descriptors > 2 * SPARE_DESCRIPTORS ? descriptors - SPARE_DESCRIPTORS : descriptors / 2;
    const uint32_t wanted = settings->max_connections;
    if (wanted > most) {
        fprintf(stderr,
                "admission: --max-connections %" PRIu32 ": the limit of %" PRIu32
                " descriptors leaves %" PRIu32 "\n",
                wanted, descriptors, most);
    }
    return wanted == 0 || wanted > most ? most : wanted;
}

/* One principal alone is never to have more than half of them. */
static bool check_listens(const struct adm_server *server, enum adm_exit *status)
{
    const int64_t max_listens = server->office.settings->max_listens;
    const uint32_t half = server->max_connections / 2;
    if (max_listens > half) {
        *status = adm_command_fail(
            ADM_EXIT_WRONG,
            "--max-listens %" PRId64 ": more than half of the %" PRIu32
            " connections: lower it, or raise --max-connections or the limit of descriptors",
            max_listens, server->max_connections);
        return false;
    }
    return true;
}

static bool open_actor(struct adm_server *server, enum adm_exit *status)
{
    const struct adm_settings *settings = server->office.settings;
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_listens_per_principal = settings->max_listens;
    const admission_status_t answer =
        admission_actor_new(&server->office.actor, &options, NULL);
    if (answer != ADMISSION_OK) {
        return fail(status, "the admission actor", admission_status_text(answer));
    }
    const struct adm_streams_options streams = {
        .max_listens = settings->max_listens,
        .max_ended = (size_t)(server->max_connections / 2 - settings->max_listens),
        .keepalive_us = settings->keepalive_us,
    };
    server->office.streams = adm_streams_new(server->office.actor, &server->topics, &streams);
    return server->office.streams != NULL ||
           fail(status, "the admission client", strerror(errno));
}

static bool open_door(struct adm_server *server, enum adm_exit *status)
{
    const struct adm_settings *settings = server->office.settings;
    struct adm_principals *principals = server->principals;
    if (settings->tokens != NULL && !adm_principals_load(principals, settings->tokens)) {
        *status = ADM_EXIT_WRONG;
        return false;
    }
    if (settings->is_demo) {
        for (size_t i = 0; i < ADM_DOOR_N_DEMO; i++) {
            adm_principals_add(principals, adm_door_demo[i].token, adm_door_demo[i].principal);
        }
        server->demo_at = server->now;
    }
    server->office.door = (struct adm_door){.settings = settings, .principals = principals};
    if (settings->anonymous != NULL) {
        server->office.door.anonymous = adm_principals_named(principals, settings->anonymous);
    }
    return true;
}

static bool open_feed(struct adm_server *server, enum adm_exit *status)
{
    struct adm_office *office = &server->office;
    office->press = (struct adm_press){.topics = &server->topics, .streams = office->streams};
    office->mcp = (struct adm_mcp){
        .press = &office->press,
        .max_listens = office->settings->max_listens,
        .is_conformance = office->settings->is_conformance,
    };
    const char *culprit;
    if (!adm_feed_init(&office->feed, office->settings->feeds, &office->press, &culprit)) {
        *status = adm_command_fail(ADM_EXIT_WRONG, "--feed %s: %s", culprit,
                                   zmq_strerror(zmq_errno()));
        return false;
    }
    return true;
}

static bool open_socket(struct adm_server *server, enum adm_exit *status)
{
    const struct adm_settings *settings = server->office.settings;
    const struct sockaddr *address = (const struct sockaddr *)&settings->address;
    const int one = 1;
    const int send_buffer = SEND_BUFFER;
    const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    server->listen_fd = fd;
    if (fd == -1 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer) != 0 ||
        bind(fd, address, settings->address_length) != 0 || listen(fd, BACKLOG) != 0) {
        *status = adm_command_fail(ADM_EXIT_FAILED, "%s port %u: %s", settings->bind,
                                   settings->port, strerror(errno));
        return false;
    }
    return true;
}

static void note_connection(void *self, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct adm_server *server = self;
    server->need_run = true;
    switch (code) {
    case MHD_CONNECTION_NOTIFY_STARTED:
        adm_guests_come(&server->guests, connection, context);
        break;
    case MHD_CONNECTION_NOTIFY_CLOSED:
        adm_guests_go(&server->guests, context);
        break;
    }
}

/* The call after the last piece of a body says that the request is whole. */
static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *n_upload, void **exchange)
{
    struct adm_server *server = self;
    if (*exchange != NULL && *n_upload == 0) {
        adm_guests_settle(&server->guests, connection);
    }
    return adm_exchange_handle(&server->office, connection, url, method, version, upload,
                               n_upload, exchange);
}

static void complete(void *self, struct MHD_Connection *connection, void **exchange,
                     enum MHD_RequestTerminationCode why)
{
    struct adm_server *server = self;
    adm_exchange_complete(&server->office, connection, exchange, why);
    adm_guests_owe(&server->guests, connection);
}

static bool open_http(struct adm_server *server, enum adm_exit *status)
{
    server->office.daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
        MHD_OPTION_LISTEN_SOCKET, server->listen_fd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)POOL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)server->max_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_NOTIFY_COMPLETED, complete,
        server, MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_END);
    return server->office.daemon != NULL || fail(status, "the HTTP server", strerror(errno));
}

static bool watch(struct adm_server *server, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd == -1 || epoll_ctl(server->poll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* What ends it: an operator, a terminal, a terminal that goes. */
static sigset_t end_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    return signals;
}

static bool open_poll(struct adm_server *server, enum adm_exit *status)
{
    const sigset_t signals = end_signals();
    server->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    const int http_fd =
        MHD_get_daemon_info(server->office.daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    const bool is_open = server->poll_fd != -1 && server->signal_fd != -1 &&
                         watch(server, server->signal_fd) && watch(server, http_fd) &&
                         watch(server, adm_streams_word_fd(server->office.streams)) &&
                         watch(server, adm_streams_watch_fd(server->office.streams)) &&
                         watch(server, adm_feed_fd(&server->office.feed));
    return is_open || fail(status, "epoll", strerror(errno));
}

/* Before any thread begins, so that every one of them leaves the signals to the loop. */
static void block_signals(void)
{
    const sigset_t signals = end_signals();
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    zsys_handler_set(NULL);
}

struct adm_server *adm_server_new(const struct adm_settings *settings, enum adm_exit *status)
{
    block_signals();
    struct adm_server *server = adm_memory_new(1, sizeof *server);
    *server = (struct adm_server){
        .office = {.settings = settings},
        .principals = adm_principals_new(),
        .max_connections = limit_of_connections(settings),
        .poll_fd = -1,
        .signal_fd = -1,
        .listen_fd = -1,
        .now = monotonic_us(),
        .demo_at = ADM_NEVER,
        .drained_at = ADM_NEVER,
    };
    adm_guests_init(&server->guests);
    adm_guests_look(&server->guests, server->now);
    adm_topics_init(&server->topics);
    server->office.topics = &server->topics;
    if (!check_listens(server, status) || !open_door(server, status) ||
        !open_actor(server, status) || !open_feed(server, status) ||
        !open_socket(server, status) || !open_http(server, status) ||
        !open_poll(server, status)) {
        adm_server_destroy(&server);
    }
    return server;
}

/* Has libmicrohttpd something to do right now? */
static bool is_ready(struct adm_server *server)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    return adm_streams_need_run(server->office.streams) || server->need_run ||
           (MHD_get_timeout(server->office.daemon, &timeout_ms) == MHD_YES && timeout_ms == 0);
}

/* Runs libmicrohttpd until it has nothing to do, or its share of the turn is over. */
static void serve(struct adm_server *server)
{
    const int64_t end_at = adm_time_add(monotonic_us(), ROUNDS_US);
    int n = 0;
    do {
        server->need_run = false;
        MHD_run(server->office.daemon);
        server->http_has_more = is_ready(server);
    } while (server->http_has_more && (++n < ROUNDS || monotonic_us() < end_at));
}

static void close_socket(struct adm_server *server)
{
    if (server->listen_fd != -1) {
        if (server->office.daemon != NULL) {
            MHD_quiesce_daemon(server->office.daemon);
        }
        close(server->listen_fd);
        server->listen_fd = -1;
    }
}

/* A daemon must not be stopped while a connection is suspended. */
static void stop_http(struct adm_server *server)
{
    if (server->office.daemon != NULL) {
        adm_streams_drop_all(server->office.streams);
        serve(server);
        MHD_stop_daemon(server->office.daemon);
        server->office.daemon = NULL;
    }
}

static void close_fd(int fd)
{
    if (fd != -1) {
        close(fd);
    }
}

void adm_server_destroy(struct adm_server **at)
{
    struct adm_server *server = *at;
    *at = NULL;
    close_socket(server);
    stop_http(server);
    adm_feed_deinit(&server->office.feed);
    if (server->office.streams != NULL) {
        adm_streams_destroy(&server->office.streams);
    }
    admission_actor_destroy(&server->office.actor);
    adm_guests_deinit(&server->guests);
    adm_topics_deinit(&server->topics);
    adm_principals_destroy(&server->principals);
    close_fd(server->poll_fd);
    close_fd(server->signal_fd);
    free(server);
}

unsigned adm_server_port(const struct adm_server *server)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    getsockname(server->listen_fd, (struct sockaddr *)&address, &length);
    const in_port_t port = address.ss_family == AF_INET6
                               ? ((struct sockaddr_in6 *)&address)->sin6_port
                               : ((struct sockaddr_in *)&address)->sin_port;
    return ntohs(port);
}

/* No new connection, and the actor's last word to every stream. */
static void begin_drain(struct adm_server *server)
{
    struct signalfd_siginfo signal;
    if (read(server->signal_fd, &signal, sizeof signal) != sizeof signal ||
        server->drained_at != ADM_NEVER) {
        return;
    }
    server->drained_at = server->now + DRAIN_US;
    close_socket(server);
    const admission_status_t status = admission_actor_close(server->office.actor, 0);
    if (status != ADMISSION_OK) {
        fprintf(stderr, "admission: the end of the actor: %s\n", admission_status_text(status));
    }
}

static bool is_drained(const struct adm_server *server)
{
    return server->drained_at != ADM_NEVER &&
           (adm_streams_counts(server->office.streams)->n_open == 0 ||
            server->now >= server->drained_at);
}

static void publish_demo(struct adm_server *server)
{
    if (server->now < server->demo_at) {
        return;
    }
    char body[64];
    snprintf(body, sizeof body, "tick %lld", (long long)++server->demo_number);
    adm_press_publish(&server->office.press, adm_text_of("clock"), adm_text_of(body));
    server->demo_at = adm_time_later(server->demo_at + DEMO_US, server->now);
}

/* How long to sleep until something is due, in milliseconds, rounded up. */
static int timeout_ms(const struct adm_server *server)
{
    MHD_UNSIGNED_LONG_LONG http_ms;
    int64_t at = adm_time_earlier(adm_streams_due_at(server->office.streams), server->demo_at);
    at = adm_time_earlier(at, server->drained_at);
    at = adm_time_earlier(at, adm_guests_due_at(&server->guests));
    at = adm_time_earlier(at, adm_time_add(server->now, LONGEST_SLEEP_US));
    if (MHD_get_timeout(server->office.daemon, &http_ms) == MHD_YES &&
        http_ms < LONGEST_SLEEP_US / 1000) {
        at = adm_time_earlier(at, server->now + (int64_t)http_ms * 1000);
    }
    if (server->feed_has_more || server->http_has_more || at <= server->now) {
        return 0;
    }
    return (int)((at - server->now + 999) / 1000);
}

static void take_turn(struct adm_server *server)
{
    struct adm_streams *streams = server->office.streams;
    struct epoll_event events[MAX_EVENTS];
    const int n = epoll_wait(server->poll_fd, events, MAX_EVENTS, timeout_ms(server));
    server->now = monotonic_us();
    server->office.turn++;
    adm_streams_set_now(streams, server->now);
    for (int i = 0; i < n; i++) {
        if (events[i].data.fd == server->signal_fd) {
            begin_drain(server);
        }
    }
    adm_streams_begin_turn(streams);
    adm_streams_hear(streams);
    adm_streams_look(streams);
    server->feed_has_more = adm_feed_read(&server->office.feed);
    publish_demo(server);
    adm_streams_keep_alive(streams);
    adm_guests_look(&server->guests, server->now);
}

void adm_server_run(struct adm_server *server)
{
    struct adm_streams *streams = server->office.streams;
    while (!is_drained(server)) {
        take_turn(server);
        serve(server);
        adm_streams_drop_late(streams);
        server->http_has_more |= adm_streams_need_run(streams);
        adm_streams_end_turn(streams);
    }
}
