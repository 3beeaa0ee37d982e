/* The loop in a zactor's thread, its commands as strings on the zactor's pipe.
 *
 * Whatever comes, the ready signal goes first and the function returns only on $TERM, with room
 * in the pipe for the signal that czmq sends then: anything else hangs zactor_new() or
 * zactor_destroy(). The host holds nobody up: of its commands only so many are handled in a
 * turn of the loop, and nothing waits for room in the pipe but the very end. */
#include "admission/zactor.h"

#include <czmq.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "actor/loop.h"
#include "actor/zmq_port.h"
#include "api/actor.h"
#include "api/convert.h"
#include "base/memory.h"

enum {
    MAX_COMMANDS = 64 /* in one turn of the loop */
};

struct service {
    struct adm_zmq_port port; /* first: the answers come with it */
    zsock_t *pipe;
    struct adm_loop *loop; /* NULL: it could not start */
    const char *why_not;
    struct admission_actor actor;
};

/* Answers. */

/* Puts an answer into the pipe without waiting: one for which it has no room is dropped. */
static void post(const struct service *service, zmsg_t *reply)
{
    (void)zmsg_send(&reply, service->pipe);
    zmsg_destroy(&reply); /* there still when it was not sent */
}

static void say(const struct service *service, const char *word, const char *more)
{
    zmsg_t *reply = zmsg_new();
    zmsg_addstr(reply, word);
    if (more != NULL) {
        zmsg_addstr(reply, more);
    }
    post(service, reply);
}

/* As zsock_recv() reads the picture p. */
static void say_actor(struct service *service)
{
    const void *actor = service->loop == NULL ? NULL : &service->actor;
    zmsg_t *reply = zmsg_new();
    zmsg_addmem(reply, &actor, sizeof actor);
    post(service, reply);
}

static void say_number(zmsg_t *reply, const char *name, uint64_t number)
{
    zmsg_addstr(reply, name);
    zmsg_addstrf(reply, "%" PRIu64, number);
}

static void say_reasons(zmsg_t *reply, const char *name, const uint64_t *numbers)
{
    for (int reason = ADMISSION_REASON_OVERFLOW; reason < ADMISSION_N_REASONS; reason++) {
        zmsg_addstrf(reply, "%s.%s", name, admission_reason_text((admission_reason_t)reason));
        zmsg_addstrf(reply, "%" PRIu64, numbers[reason]);
    }
}

static void say_stats(zmsg_t *reply, const struct adm_actor_stats *from)
{
    struct admission_stats stats;
    adm_actor_publish_stats(from, &stats);
    const struct {
        const char *name;
        uint64_t number;
    } rows[] = {
        {"running", stats.running},
        {"queued", stats.queued},
        {"listeners", stats.listeners},
        {"principals", stats.principals},
        {"clients", stats.clients},
        {"tickets_granted", stats.tickets_granted},
        {"tickets_left", stats.tickets_left},
        {"tickets_withdrawn", stats.tickets_withdrawn},
        {"listeners_admitted", stats.listeners_admitted},
        {"listeners_superseded", stats.listeners_superseded},
        {"listeners_left", stats.listeners_left},
        {"listeners_closed", stats.listeners_closed},
        {"clients_opened", stats.clients_opened},
        {"clients_destroyed", stats.clients_destroyed},
        {"clients_died", stats.clients_died},
        {"stray_leaves", stats.stray_leaves},
        {"malformed_messages", stats.malformed_messages},
        {"wakeups", stats.wakeups},
        {"longest_held.held_us", (uint64_t)stats.longest_held.held_us},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        say_number(reply, rows[i].name, rows[i].number);
    }
    say_reasons(reply, "tickets_refused", stats.tickets_refused);
    say_reasons(reply, "tickets_aborted", stats.tickets_aborted);
    say_reasons(reply, "listeners_refused", stats.listeners_refused);
}

static const char *text_of(enum adm_answer_word word)
{
    switch (word) {
    case ADM_ANSWER_OK:
        return "ok";
    case ADM_ANSWER_NO_PROVIDER:
        return "unknown-provider";
    case ADM_ANSWER_NOT_DRAINED:
        return "not-drained";
    case ADM_ANSWER_ENDED:
        break; /* $TERM came first: nobody reads it */
    }
    return NULL;
}

static void answer_pipe(struct adm_zmq_port *port, const struct adm_answer *answer)
{
    struct service *service = (struct service *)port;
    const char *text = text_of(answer->word);
    if (text == NULL) {
        return;
    }
    zmsg_t *reply = zmsg_new();
    zmsg_addstr(reply, text);
    if (answer->stats != NULL) {
        say_stats(reply, answer->stats);
    }
    post(service, reply);
}

/* Commands. Each takes the rest of its message, and returns what is wrong with it, or NULL. */

static bool read_number(const char *text, int64_t *number)
{
    if (streq(text, "none")) {
        *number = ADMISSION_NONE;
        return true;
    }
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

struct member {
    const char *name;
    int64_t *value;
};

static const char *read_members(zmsg_t *message, const struct member *members, size_t n)
{
    char *name;
    while ((name = zmsg_popstr(message)) != NULL) {
        char *text = zmsg_popstr(message);
        size_t i = 0;
        while (i < n && !streq(members[i].name, name)) {
            i++;
        }
        const bool is_fine = i < n && text != NULL && read_number(text, members[i].value);
        zstr_free(&name);
        zstr_free(&text);
        if (!is_fine) {
            return i < n ? members[i].name : "unknown name";
        }
    }
    return NULL;
}

static void inject(struct service *service, struct adm_inbound *inbound)
{
    inbound->request.handle = ADM_NOBODY;
    inbound->request.id = ADM_PIPE_CALL;
    adm_loop_inject(service->loop, inbound);
}

static const char *change_limits(struct service *service, zmsg_t *message)
{
    struct admission_limits change = admission_limits_unchanged();
    const struct member members[] = {
        {"max_concurrent", &change.max_concurrent},
        {"min_interval_us", &change.min_interval_us},
        {"queue_capacity", &change.queue_capacity},
        {"admission_timeout_us", &change.admission_timeout_us},
        {"max_listens_per_principal", &change.max_listens_per_principal},
        {"max_listeners", &change.max_listeners},
    };
    const char *wrong = read_members(message, members, sizeof members / sizeof *members);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP};
    if (wrong == NULL && adm_convert_limits(&change, &inbound.request, &wrong)) {
        inject(service, &inbound);
    }
    return wrong;
}

static const char *change_provider(struct service *service, zmsg_t *message)
{
    char *name = zmsg_popstr(message);
    struct admission_provider change = admission_provider_unchanged(name);
    const struct member members[] = {
        {"max_concurrent", &change.max_concurrent},
        {"min_interval_us", &change.min_interval_us},
        {"queue_capacity", &change.queue_capacity},
    };
    const char *wrong = read_members(message, members, sizeof members / sizeof *members);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP};
    if (wrong == NULL && adm_convert_provider(&change, &inbound.request, &wrong)) {
        inject(service, &inbound);
    }
    zstr_free(&name);
    return wrong;
}

static const char *cool_down(struct service *service, zmsg_t *message)
{
    char *provider = zmsg_popstr(message);
    char *delay = zmsg_popstr(message);
    struct adm_inbound inbound = {.type = ADM_INBOUND_STEP,
                                  .request = {.type = ADM_REQUEST_COOLDOWN}};
    int64_t *delay_us = &inbound.request.of.cooldown.delay_us;
    const char *wrong = NULL;
    if (!adm_convert_name(provider, &inbound.request.of.cooldown.provider)) {
        wrong = "provider";
    } else if (delay == NULL || !read_number(delay, delay_us) ||
               !adm_convert_is_duration(*delay_us)) {
        wrong = "delay";
    } else {
        inject(service, &inbound);
    }
    zstr_free(&provider);
    zstr_free(&delay);
    return wrong;
}

static const char *read_stats(struct service *service, zmsg_t *message)
{
    (void)message;
    inject(service, &(struct adm_inbound){.type = ADM_INBOUND_STATS});
    return NULL;
}

static const char *close_actor(struct service *service, zmsg_t *message)
{
    char *drain = zmsg_popstr(message);
    struct adm_inbound inbound = {.type = ADM_INBOUND_CLOSE};
    const bool is_fine =
        drain != NULL && read_number(drain, &inbound.drain_us) && inbound.drain_us >= 0;
    if (is_fine) {
        inject(service, &inbound);
    }
    zstr_free(&drain);
    return is_fine ? NULL : "drain time";
}

/* One for each command of admission/zactor.h. */
static const struct {
    const char *name;
    const char *(*run)(struct service *service, zmsg_t *message);
} commands[] = {
    {"LIMITS", change_limits}, {"PROVIDER", change_provider}, {"COOLDOWN", cool_down},
    {"STATS", read_stats},     {"CLOSE", close_actor},
};

static void run_command(struct service *service, const char *name, zmsg_t *message)
{
    if (streq(name, "$ACTOR")) {
        say_actor(service);
        return;
    }
    if (service->loop == NULL) {
        say(service, service->why_not, NULL);
        return;
    }
    const char *wrong = "unknown command";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (streq(commands[i].name, name)) {
            wrong = commands[i].run(service, message);
            break;
        }
    }
    if (wrong != NULL) {
        say(service, "invalid", wrong);
    }
}

/* Handles one message of the pipe; false on $TERM. */
static bool serve(struct service *service)
{
    zmsg_t *message = zmsg_recv(service->pipe);
    if (message == NULL) {
        return true;
    }
    char *name = zmsg_popstr(message);
    const bool goes_on = name == NULL || !streq(name, "$TERM");
    if (name != NULL && goes_on) {
        run_command(service, name, message);
    }
    zstr_free(&name);
    zmsg_destroy(&message);
    return goes_on;
}

static bool serve_some(struct service *service)
{
    for (int i = 0; i < MAX_COMMANDS && zsock_events(service->pipe) & ZMQ_POLLIN; i++) {
        if (!serve(service)) {
            return false;
        }
    }
    return true;
}

static void start(struct service *service, const struct admission_options *options)
{
    struct admission_options all;
    struct adm_machine *machine;
    if (adm_options_complete(options, &all) != NULL) {
        service->why_not = "invalid";
    } else if (adm_actor_make(&all, &service->actor.hub, &machine) != 0) {
        service->why_not = "no-resources";
    } else {
        adm_zmq_port_init(&service->port, service->actor.hub);
        service->port.pipe = zsock_resolve(service->pipe);
        service->port.answer_pipe = answer_pipe;
        service->loop = adm_loop_new(&service->port.port, machine);
        adm_clock_hold(&service->actor.hub->clock);
        adm_zmq_port_enter();
    }
}

static void run(struct service *service)
{
    while (serve_some(service)) {
        (void)adm_loop_turn(service->loop);
    }
    const struct adm_inbound close = {.type = ADM_INBOUND_CLOSE,
                                      .request = {.handle = ADM_NOBODY}}; /* nobody waits */
    adm_loop_inject(service->loop, &close);
    adm_zmq_port_end(&service->port, &service->loop);
    adm_zmq_port_deinit(&service->port);
    adm_clock_release(&service->actor.hub->clock);
    adm_hub_release(&service->actor.hub);
}

/* Now that all has ended, it may wait: on $TERM the host reads until the last signal comes. */
static void await_room(zsock_t *pipe)
{
    zmq_pollitem_t item = {.socket = zsock_resolve(pipe), .events = ZMQ_POLLOUT};
    while (zmq_poll(&item, 1, -1) < 0 && errno == EINTR) {
    }
}

void admission_actor(zsock_t *pipe, void *options)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    struct service service = {.pipe = pipe};
    start(&service, options);
    zsock_signal(pipe, 0);
    zsock_set_sndtimeo(pipe, 0);
    if (service.loop != NULL) {
        run(&service);
    } else {
        while (serve(&service)) {
        }
    }
    await_room(pipe);
}

admission_actor_t *admission_actor_of(zactor_t *zactor)
{
    void *actor = NULL;
    if (zstr_sendx(zactor, "$ACTOR", NULL) == 0) {
        (void)zsock_recv(zactor, "p", &actor);
    }
    return actor;
}
