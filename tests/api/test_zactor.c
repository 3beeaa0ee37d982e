/* The actor as a zactor: each command of admission/zactor.h, and what bad ones get. */
#include <criterion/criterion.h>
#include <czmq.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "admission/zactor.h"
#include "steps.h"

TestSuite(zactor, .timeout = 60);

static zactor_t *begin(void)
{
    zsys_handler_set(NULL);
    zactor_t *zactor = zactor_new(admission_actor, NULL);
    cr_assert(zactor != NULL);
    return zactor;
}

/* The first word of the answer, and the second when there is one. */
static void expect_answer(zactor_t *zactor, const char *word, const char *more)
{
    zmsg_t *message = zmsg_recv(zactor);
    cr_assert(message != NULL);
    char *first = zmsg_popstr(message);
    char *second = zmsg_popstr(message);
    cr_assert_str_eq(first, word);
    cr_assert(more == NULL || (second != NULL && streq(second, more)), "%s", second);
    zstr_free(&first);
    zstr_free(&second);
    zmsg_destroy(&message);
}

/* One number of the books, by its name; -1 when there is none. */
static int64_t stat_of(zactor_t *zactor, const char *wanted)
{
    cr_assert(zstr_sendx(zactor, "STATS", NULL) == 0);
    zmsg_t *message = zmsg_recv(zactor);
    cr_assert(message != NULL);
    char *word = zmsg_popstr(message);
    cr_assert_str_eq(word, "ok");
    zstr_free(&word);
    int64_t found = -1;
    while (zmsg_size(message) > 0) {
        char *name = zmsg_popstr(message);
        char *number = zmsg_popstr(message);
        cr_assert(number != NULL);
        if (streq(name, wanted)) {
            found = atoll(number);
        }
        zstr_free(&name);
        zstr_free(&number);
    }
    zmsg_destroy(&message);
    return found;
}

Test(zactor, starts_and_ends)
{
    for (int i = 0; i < 20; i++) {
        zactor_t *zactor = begin();
        zactor_destroy(&zactor);
        cr_assert(zactor == NULL);
    }
}

Test(zactor, gives_a_handle_that_clients_are_opened_with)
{
    zactor_t *zactor = begin();
    admission_actor_t *actor = admission_actor_of(zactor);
    cr_assert(actor != NULL && admission_actor_of(zactor) == actor);
    admission_client_t *client = open_client(actor);
    (void)grant_ticket(client);
    cr_assert(books(actor).running == 1);
    close_client(client);
    zactor_destroy(&zactor);
}

Test(zactor, LIMITS_changes_limits)
{
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "4", "queue_capacity", "none", NULL);
    expect_answer(zactor, "ok", NULL);
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "0", "min_interval_us", "0",
               "admission_timeout_us", "none", "max_listens_per_principal", "2",
               "max_listeners", "10", NULL);
    expect_answer(zactor, "ok", NULL);
    const uint64_t id = ask_ticket(client);
    expect_quiet(client);
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "none", NULL);
    expect_answer(zactor, "ok", NULL);
    expect_event(client, ADMISSION_EVENT_GRANTED, id);
    zstr_sendx(zactor, "LIMITS", NULL);
    expect_answer(zactor, "ok", NULL);
    close_client(client);
    zactor_destroy(&zactor);
}

Test(zactor, PROVIDER_adds_and_changes_and_COOLDOWN_holds_back)
{
    zactor_t *zactor = begin();
    admission_actor_t *actor = admission_actor_of(zactor);
    admission_client_t *client = open_client(actor);
    zstr_sendx(zactor, "COOLDOWN", "search", "1500000", NULL);
    expect_answer(zactor, "unknown-provider", NULL);
    zstr_sendx(zactor, "PROVIDER", "search", "max_concurrent", "2", NULL);
    expect_answer(zactor, "ok", NULL);
    cr_assert(admission_actor_has_provider(actor, "search") == ADMISSION_OK);
    zstr_sendx(zactor, "COOLDOWN", "search", "30000", NULL);
    expect_answer(zactor, "ok", NULL);
    const uint64_t id = ask_with(client, (struct ask){.provider = "search"});
    expect_quiet(client);
    expect_event(client, ADMISSION_EVENT_GRANTED, id);
    close_client(client);
    zactor_destroy(&zactor);
}

Test(zactor, what_is_wrong_with_a_command_is_said)
{
    zactor_t *zactor = begin();
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "-1", NULL);
    expect_answer(zactor, "invalid", "max_concurrent");
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "4x", NULL);
    expect_answer(zactor, "invalid", "max_concurrent");
    zstr_sendx(zactor, "LIMITS", "max_concurrent", "", NULL);
    expect_answer(zactor, "invalid", "max_concurrent");
    zstr_sendx(zactor, "LIMITS", "queue_capacity", NULL);
    expect_answer(zactor, "invalid", "queue_capacity");
    zstr_sendx(zactor, "LIMITS", "max_concurrant", "4", NULL);
    expect_answer(zactor, "invalid", "unknown name");
    zstr_sendx(zactor, "LIMITS", "min_interval_us", "99999999999999999999", NULL);
    expect_answer(zactor, "invalid", "min_interval_us");
    zstr_sendx(zactor, "PROVIDER", NULL);
    expect_answer(zactor, "invalid", "name");
    zstr_sendx(zactor, "PROVIDER", "", "max_concurrent", "1", NULL);
    expect_answer(zactor, "invalid", "name");
    zstr_sendx(zactor, "COOLDOWN", NULL);
    expect_answer(zactor, "invalid", "provider");
    zstr_sendx(zactor, "COOLDOWN", "search", NULL);
    expect_answer(zactor, "invalid", "delay");
    zstr_sendx(zactor, "COOLDOWN", "search", "-1", NULL);
    expect_answer(zactor, "invalid", "delay");
    zstr_sendx(zactor, "COOLDOWN", "search", "none", NULL);
    expect_answer(zactor, "invalid", "delay");
    zstr_sendx(zactor, "CLOSE", NULL);
    expect_answer(zactor, "invalid", "drain time");
    zstr_sendx(zactor, "CLOSE", "-1", NULL);
    expect_answer(zactor, "invalid", "drain time");
    zstr_sendx(zactor, "limits", NULL);
    expect_answer(zactor, "invalid", "unknown command");
    zstr_sendx(zactor, "", NULL);
    expect_answer(zactor, "invalid", "unknown command");
    cr_assert(stat_of(zactor, "running") == 0, "and it goes on");
    zactor_destroy(&zactor);
}

Test(zactor, STATS_tells_the_books_by_their_names)
{
    static const char *const names[] = {"running",
                                        "queued",
                                        "listeners",
                                        "principals",
                                        "clients",
                                        "tickets_granted",
                                        "tickets_left",
                                        "tickets_withdrawn",
                                        "listeners_admitted",
                                        "listeners_superseded",
                                        "listeners_left",
                                        "listeners_closed",
                                        "clients_opened",
                                        "clients_destroyed",
                                        "clients_died",
                                        "stray_leaves",
                                        "malformed_messages",
                                        "wakeups",
                                        "tickets_refused.overflow",
                                        "tickets_aborted.timeout",
                                        "listeners_refused.closed"};
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    (void)grant_ticket(client);
    (void)grant_ticket(client);
    (void)admit_listener(client, "ann", 1);
    cr_assert(stat_of(zactor, "running") == 2 && stat_of(zactor, "listeners") == 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert(stat_of(zactor, names[i]) >= 0, "%s", names[i]);
    }
    close_client(client);
    zactor_destroy(&zactor);
}

Test(zactor, CLOSE_waits_for_what_runs_at_most_as_long_as_it_is_told_K2)
{
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    const uint64_t id = grant_ticket(client);
    zstr_sendx(zactor, "CLOSE", "0", NULL);
    expect_answer(zactor, "not-drained", NULL);
    expect_abort(client, id, ADMISSION_REASON_CLOSED);
    zstr_sendx(zactor, "CLOSE", "20000", NULL);
    expect_answer(zactor, "not-drained", NULL);
    zstr_sendx(zactor, "CLOSE", "none", NULL);
    cr_assert(stat_of(zactor, "running") == 1, "others are answered meanwhile");
    (void)admission_client_leave(client, id);
    expect_answer(zactor, "ok", NULL);
    close_client(client);
    zactor_destroy(&zactor);
}

Test(zactor, is_destroyed_while_it_waits_for_what_runs)
{
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    (void)grant_ticket(client);
    zstr_sendx(zactor, "CLOSE", "none", NULL);
    cr_assert(read_event(client).type == ADMISSION_EVENT_ABORT);
    zactor_destroy(&zactor);
    struct admission_event event;
    cr_assert(admission_client_next(client, ADMISSION_S(10), &event) == ADMISSION_CLOSED);
    close_client(client);
}

Test(zactor, clients_may_live_longer)
{
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    const uint64_t id = grant_ticket(client);
    zactor_destroy(&zactor);
    expect_abort(client, id, ADMISSION_REASON_CLOSED);
    struct admission_event event;
    cr_assert(admission_client_admit_ticket(client, NULL, NULL, &event) == ADMISSION_CLOSED);
    (void)admission_client_leave(client, id);
    close_client(client);
}

Test(zactor, takes_options_and_says_when_they_are_invalid)
{
    zsys_handler_set(NULL);
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 0;
    zactor_t *zactor = zactor_new(admission_actor, &options);
    options.limits.max_concurrent = -1; /* it has been read */
    admission_client_t *client = open_client(admission_actor_of(zactor));
    (void)ask_ticket(client);
    expect_quiet(client);
    close_client(client);
    zactor_destroy(&zactor);
    zactor = zactor_new(admission_actor, &options);
    cr_assert(zactor != NULL, "it does not hang");
    cr_assert(admission_actor_of(zactor) == NULL);
    const char *const commands[] = {"LIMITS", "PROVIDER", "COOLDOWN", "STATS", "CLOSE", "?"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        zstr_sendx(zactor, commands[i], NULL);
        expect_answer(zactor, "invalid", NULL);
    }
    zactor_destroy(&zactor);
}

Test(zactor, survives_signals_for_its_thread_blocks_them)
{
    zactor_t *zactor = begin();
    signal(SIGUSR1, SIG_IGN);
    for (int i = 0; i < 20; i++) {
        kill(getpid(), SIGUSR1);
        cr_assert(stat_of(zactor, "running") == 0);
    }
    sigset_t mask;
    sigemptyset(&mask);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    cr_assert(sigismember(&mask, SIGUSR1) == 0, "the host's own mask is untouched");
    zactor_destroy(&zactor);
}

enum {
    FLOOD = 10000
};

static void set_max_concurrent(zactor_t *zactor, int max)
{
    char number[16];
    snprintf(number, sizeof number, "%d", max);
    cr_assert(zstr_sendx(zactor, "LIMITS", "max_concurrent", number, NULL) == 0);
}

/* Sends FLOOD commands, reads no answer, and waits until the last one has been carried out. */
static void flood(zactor_t *zactor, admission_actor_t *actor)
{
    for (int i = 1; i <= FLOOD; i++) {
        set_max_concurrent(zactor, i);
    }
    while (books(actor).max_concurrent != FLOOD) {
        sched_yield();
    }
}

/* After a flood. czmq sends $TERM without waiting, and drops it when libzmq thinks the pipe
 * full; a command that waits for room makes libzmq look. */
static void end(zactor_t *zactor)
{
    cr_assert(zstr_sendx(zactor, "?", NULL) == 0);
    zactor_destroy(&zactor);
}

Test(zactor, a_host_that_reads_no_answer_holds_nobody_up)
{
    zactor_t *zactor = begin();
    admission_actor_t *actor = admission_actor_of(zactor);
    admission_client_t *client = open_client(actor);
    flood(zactor, actor);
    (void)grant_ticket(client);
    close_client(client);
    end(zactor);
}

/* One whose pipe holds `n` messages at either end, in either direction. */
static zactor_t *begin_with_marks(size_t n)
{
    zsys_handler_set(NULL);
    zsys_set_pipehwm(n);
    zsys_set_rcvhwm(n);
    return zactor_new(admission_actor, NULL);
}

Test(zactor, unread_answers_are_kept_up_to_the_marks_of_the_pipe_and_the_others_are_dropped)
{
    zactor_t *zactor = begin_with_marks(10);
    flood(zactor, admission_actor_of(zactor));
    int n_kept = 0;
    while (stat_of(zactor, "running") != 0) {
        n_kept++; /* it was an answer from before */
    }
    cr_assert(n_kept >= 10 && n_kept <= 20, "%d", n_kept);
    end(zactor);
}

Test(zactor, is_destroyed_with_a_pipe_full_of_answers)
{
    zactor_t *zactor = begin_with_marks(10);
    flood(zactor, admission_actor_of(zactor));
    end(zactor);
}

struct flood {
    zactor_t *zactor;
    atomic_bool has_begun;
    atomic_bool is_over;
};

/* Not near a multiple of the marks of the pipe, where libzmq could think it full: see end(). */
static bool is_far_from_marks(int n_sent)
{
    return n_sent % 1000 == 500;
}

static void *send_without_end(void *argument)
{
    struct flood *flood = argument;
    for (int n_sent = 0; !atomic_load(&flood->is_over) || !is_far_from_marks(n_sent);
         n_sent++) {
        cr_expect(zstr_sendx(flood->zactor, "STATS", NULL) == 0);
        atomic_store(&flood->has_begun, true);
    }
    return NULL;
}

Test(zactor, a_host_that_sends_faster_than_the_actor_reads_holds_nobody_up)
{
    zactor_t *zactor = begin();
    admission_client_t *client = open_client(admission_actor_of(zactor));
    struct flood flood = {.zactor = zactor};
    pthread_t thread;
    cr_assert(pthread_create(&thread, NULL, send_without_end, &flood) == 0);
    while (!atomic_load(&flood.has_begun)) {
        sched_yield();
    }
    for (int i = 0; i < 100; i++) {
        admission_client_leave(client, grant_ticket(client));
    }
    atomic_store(&flood.is_over, true);
    pthread_join(thread, NULL);
    close_client(client);
    end(zactor);
}
