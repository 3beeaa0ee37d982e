/* A child made by fork(): every function says so or does nothing, ends come to pass, nothing
 * hangs whatever other threads were doing, and the parent goes on unharmed. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

TestSuite(fork, .timeout = 60);

/* Runs `child`, which tells where it went wrong by its result; it has ten seconds. */
static void in_child(int (*child)(admission_actor_t *, admission_client_t *),
                     admission_actor_t *actor, admission_client_t *client)
{
    const pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        alarm(10);
        _exit(child(actor, client));
    }
    int status;
    cr_assert(waitpid(pid, &status, 0) == pid);
    cr_assert(!WIFSIGNALED(status), "signal %d", WTERMSIG(status));
    cr_assert(WEXITSTATUS(status) == 0, "step %d", WEXITSTATUS(status));
}

#define IS_FORKED(step, call)                                                                  \
    if ((call) != ADMISSION_FORKED) {                                                          \
        return (step);                                                                         \
    }

static int use_client(admission_actor_t *actor, admission_client_t *client)
{
    (void)actor;
    const struct admission_listen listen = admission_listen_default("ann");
    struct admission_event event;
    uint64_t id;
    int fd;
    IS_FORKED(1, admission_client_adopt(client));
    IS_FORKED(2, admission_client_request_ticket(client, NULL, &id));
    IS_FORKED(3, admission_client_admit_ticket(client, NULL, &id, &event));
    IS_FORKED(4, admission_client_request_listener(client, &listen, &id));
    IS_FORKED(5, admission_client_admit_listener(client, &listen, &id, &event));
    IS_FORKED(6, admission_client_leave(client, 1));
    IS_FORKED(7, admission_client_leave_principal(client, "ann"));
    IS_FORKED(8, admission_client_cancel(client, 1));
    IS_FORKED(9, admission_client_request_live(client, "ann", &id));
    IS_FORKED(10, admission_client_live(client, "ann", &event));
    IS_FORKED(11, admission_client_next(client, 0, &event));
    IS_FORKED(12, admission_client_next(client, ADMISSION_NONE, &event));
    IS_FORKED(13, admission_client_fd(client, &fd));
    admission_client_cork(client);
    admission_client_uncork(client);
    if (admission_client_number(client) == 0 || admission_client_socket(client) == NULL) {
        return 14;
    }
    admission_client_destroy(&client);
    return client == NULL ? 0 : 15;
}

static int use_actor(admission_actor_t *actor, admission_client_t *client)
{
    (void)client;
    const struct admission_limits limits = admission_limits_unchanged();
    const struct admission_provider provider = admission_provider_unchanged("p");
    struct admission_stats stats;
    admission_client_t *opened = NULL;
    IS_FORKED(1, admission_client_new(&opened, actor));
    IS_FORKED(2, admission_actor_change_limits(actor, &limits, NULL));
    IS_FORKED(3, admission_actor_change_provider(actor, &provider, NULL));
    IS_FORKED(4, admission_actor_has_provider(actor, "p"));
    IS_FORKED(5, admission_actor_cooldown(actor, "p", 1));
    IS_FORKED(6, admission_actor_stats(actor, &stats));
    IS_FORKED(7, admission_actor_close(actor, 0));
    IS_FORKED(8, admission_actor_close(actor, ADMISSION_NONE));
    admission_actor_destroy(&actor);
    return actor == NULL && opened == NULL ? 0 : 9;
}

static int start_anew(admission_actor_t *actor, admission_client_t *client)
{
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    if (admission_actor_new(&actor, NULL, NULL) != ADMISSION_OK) {
        return 1;
    }
    if (admission_client_new(&client, actor) != ADMISSION_OK) {
        return 2;
    }
    if (admission_client_admit_ticket(client, NULL, NULL, NULL) != ADMISSION_OK) {
        return 3;
    }
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return 0;
}

static void expect_unharmed(admission_actor_t *actor, admission_client_t *client)
{
    const uint64_t id = grant_ticket(client);
    expect_quiet(client);
    (void)admission_client_leave(client, id);
    cr_assert(books(actor).clients == 1 && books(actor).malformed_messages == 0);
}

static void fork_and_go_on(int (*child)(admission_actor_t *, admission_client_t *))
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    int fd;
    cr_assert(admission_client_fd(client, &fd) == ADMISSION_OK);
    const uint64_t held = grant_ticket(client);
    (void)ask_ticket(client); /* its word is there to be read */
    (void)admit_listener(client, "ann", 1);
    in_child(child, actor, client);
    cr_assert(read_event(client).type == ADMISSION_EVENT_GRANTED);
    (void)admission_client_leave(client, held);
    expect_unharmed(actor, client);
    close_client(client);
    finish(actor);
}

Test(fork, every_function_of_a_client_says_so)
{
    fork_and_go_on(use_client);
}

Test(fork, every_function_of_an_actor_says_so)
{
    fork_and_go_on(use_actor);
}

Test(fork, a_child_may_start_an_actor_of_its_own)
{
    fork_and_go_on(start_anew);
}

static int end_everything(admission_actor_t *actor, admission_client_t *client)
{
    admission_client_cork(client);
    admission_client_uncork(client);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return 0;
}

static int leave_everything(admission_actor_t *actor, admission_client_t *client)
{
    (void)actor;
    (void)client;
    return 0;
}

Test(fork, a_child_may_just_go)
{
    fork_and_go_on(leave_everything);
}

/* Others are in the middle of everything when the fork comes. */

struct busy {
    admission_actor_t *actor;
    admission_client_t *client;
    atomic_bool is_over;
};

static void *send_without_end(void *arg)
{
    struct busy *busy = arg;
    while (!atomic_load(&busy->is_over)) {
        admission_client_cork(busy->client);
        (void)admission_client_leave(busy->client, 77);
        admission_client_uncork(busy->client);
    }
    return NULL;
}

static void *open_without_end(void *arg)
{
    struct busy *busy = arg;
    while (!atomic_load(&busy->is_over)) {
        admission_client_t *client = NULL;
        whatever(admission_client_new(&client, busy->actor));
        whatever(admission_client_adopt(client));
        admission_client_destroy(&client);
    }
    return NULL;
}

Test(fork, a_child_ends_everything_whatever_other_threads_were_doing)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    struct busy busy = {.actor = actor, .client = client};
    pthread_t sender = run(send_without_end, &busy);
    pthread_t opener = run(open_without_end, &busy);
    for (int i = 0; i < 150; i++) {
        in_child(end_everything, actor, client);
    }
    atomic_store(&busy.is_over, true);
    (void)join(sender);
    (void)join(opener);
    expect_unharmed(actor, client);
    close_client(client);
    finish(actor);
}
