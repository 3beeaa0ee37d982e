/* The client handle: each of its functions, and each of its results but those that need a fork,
 * another thread or the actor's end, which have files of their own. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

TestSuite(client, .timeout = 30);

struct fixture {
    admission_actor_t *actor;
    admission_client_t *a;
    admission_client_t *b;
};

static struct fixture begin(void)
{
    struct fixture f = {.actor = start()};
    f.a = open_client(f.actor);
    f.b = open_client(f.actor);
    return f;
}

static void end(struct fixture *f)
{
    close_client(f->a);
    close_client(f->b);
    finish(f->actor);
}

Test(client, opens_with_a_number_and_ends_with_the_pointer_nulled)
{
    struct fixture f = begin();
    cr_assert(admission_client_number(f.a) != admission_client_number(f.b));
    admission_client_t *client = open_client(f.actor);
    const uint64_t number = admission_client_number(client);
    admission_client_destroy(&client);
    cr_assert(client == NULL);
    admission_client_destroy(&client);
    admission_client_destroy(NULL);
    client = open_client(f.actor);
    cr_assert(admission_client_number(client) != number);
    close_client(client);
    end(&f);
}

Test(client, destroying_gives_everything_back_H1)
{
    struct fixture f = begin();
    limit_running(f.actor, 1);
    admission_client_t *client = open_client(f.actor);
    (void)grant_ticket(client);
    (void)ask_ticket(client);
    (void)admit_listener(client, "ann", 1);
    const uint64_t next = ask_ticket(f.b);
    expect_quiet(f.b);
    close_client(client);
    expect_event(f.b, ADMISSION_EVENT_GRANTED, next);
    cr_assert(count_live(f.b, "ann") == 0);
    end(&f);
}

/* Tickets. */

Test(client, ids_are_never_0_and_never_used_twice)
{
    struct fixture f = begin();
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t id = i % 2 == 0 ? ask_ticket(f.a) : ask_listener(f.a, "ann", 1);
        cr_assert(id > last);
        last = id;
        (void)admission_client_leave(f.a, id);
    }
    end(&f);
}

Test(client, the_id_and_the_event_may_be_left_out)
{
    struct fixture f = begin();
    const struct admission_listen listen = admission_listen_default("ann");
    cr_assert(admission_client_request_ticket(f.a, NULL, NULL) == ADMISSION_OK);
    cr_assert(admission_client_admit_ticket(f.a, NULL, NULL, NULL) == ADMISSION_OK);
    cr_assert(admission_client_request_listener(f.a, &listen, NULL) == ADMISSION_OK);
    cr_assert(admission_client_admit_listener(f.a, &listen, NULL, NULL) == ADMISSION_OK);
    cr_assert(admission_client_request_live(f.a, "ann", NULL) == ADMISSION_OK);
    const struct admission_stats stats = books(f.actor);
    cr_assert(stats.running == 2 && stats.listeners == 1);
    end(&f);
}

Test(client, a_blocking_admit_returns_granted_or_refused_and_leaves_the_rest_to_be_read)
{
    struct fixture f = begin();
    limit_running(f.actor, 2);
    const uint64_t asked = ask_ticket(f.a);
    const uint64_t granted = grant_ticket(f.a);
    struct admission_event event;
    const struct admission_ticket at_once = ticket_of((struct ask){.timeout_us = -1});
    uint64_t id = 0;
    cr_assert(admission_client_admit_ticket(f.a, &at_once, &id, &event) == ADMISSION_REFUSED);
    cr_assert(event.type == ADMISSION_EVENT_REFUSED && event.id == id);
    cr_assert(event.reason == ADMISSION_REASON_TIMEOUT && event.waited_us == 0);
    expect_event(f.a, ADMISSION_EVENT_GRANTED, asked);
    expect_quiet(f.a);
    (void)admission_client_leave(f.a, granted);
    end(&f);
}

Test(client, a_blocking_admit_waits_for_the_actors_clock_and_not_its_own_T6)
{
    struct fixture f = begin();
    limit_running(f.actor, 0);
    const struct admission_ticket soon =
        ticket_of((struct ask){.timeout_us = ADMISSION_MS(20)});
    struct admission_event event;
    cr_assert(admission_client_admit_ticket(f.a, &soon, NULL, &event) == ADMISSION_REFUSED);
    cr_assert(event.reason == ADMISSION_REASON_TIMEOUT);
    cr_assert(event.waited_us >= ADMISSION_MS(20));
    struct admission_limits change = admission_limits_unchanged();
    change.admission_timeout_us = ADMISSION_MS(5);
    cr_assert(admission_actor_change_limits(f.actor, &change, NULL) == ADMISSION_OK);
    cr_assert(admission_client_admit_ticket(f.a, NULL, NULL, &event) == ADMISSION_REFUSED);
    cr_assert(event.waited_us >= ADMISSION_MS(5));
    const uint64_t patient =
        ask_with(f.a, (struct ask){.timeout_us = ADMISSION_NONE}); /* none beats the limit */
    limit_running(f.actor, 1);
    expect_event(f.a, ADMISSION_EVENT_GRANTED, patient);
    end(&f);
}

Test(client, tickets_of_one_key_run_one_at_a_time_T1)
{
    struct fixture f = begin();
    for (int i = 0; i < 10; i++) {
        settle(f.a); /* so that its ids are not those of the other */
    }
    const uint64_t first = grant_with(f.a, (struct ask){.key = "k"});
    const uint64_t second = ask_with(f.b, (struct ask){.key = "k"});
    (void)grant_with(f.b, (struct ask){.key = "other"});
    expect_quiet(f.b);
    (void)admission_client_leave(f.b, first); /* a stranger's: nothing happens */
    expect_quiet(f.b);
    (void)admission_client_leave(f.a, first);
    expect_event(f.b, ADMISSION_EVENT_GRANTED, second);
    cr_assert(books(f.actor).stray_leaves == 1);
    end(&f);
}

Test(client, cancel_refuses_what_is_queued_and_aborts_what_runs_once_T9)
{
    struct fixture f = begin();
    limit_running(f.actor, 1);
    const uint64_t running = grant_ticket(f.a);
    const uint64_t queued = ask_ticket(f.b);
    (void)admission_client_cancel(f.a, queued + 1000); /* nothing of ours */
    cr_assert(admission_client_cancel(f.b, queued) == ADMISSION_OK);
    expect_refusal(f.b, queued, ADMISSION_REASON_CANCELLED);
    cr_assert(admission_client_cancel(f.a, running) == ADMISSION_OK);
    cr_assert(admission_client_cancel(f.a, running) == ADMISSION_OK);
    expect_abort(f.a, running, ADMISSION_REASON_CANCELLED);
    expect_quiet(f.a);
    cr_assert(books(f.actor).running == 1, "it keeps its slot");
    (void)admission_client_leave(f.a, running);
    (void)admission_client_leave(f.a, running);
    cr_assert(books(f.actor).running == 0);
    end(&f);
}

Test(client, an_attempt_that_takes_too_long_is_aborted_and_keeps_its_slot_T11)
{
    struct fixture f = begin();
    const uint64_t id = grant_with(f.a, (struct ask){.attempt_us = ADMISSION_MS(10)});
    const struct admission_event event = read_event(f.a);
    cr_assert(event.type == ADMISSION_EVENT_ABORT && event.id == id);
    cr_assert(event.reason == ADMISSION_REASON_TIMEOUT);
    cr_assert(event.ran_us >= ADMISSION_MS(10) && event.waited_us == 0);
    cr_assert(books(f.actor).running == 1);
    (void)admission_client_leave(f.a, id);
    end(&f);
}

Test(client, an_unknown_provider_is_refused_by_the_actor_T12)
{
    struct fixture f = begin();
    expect_refusal(f.a, ask_with(f.a, (struct ask){.provider = "misspelt"}),
                   ADMISSION_REASON_UNKNOWN_PROVIDER);
    end(&f);
}

/* Listeners. */

Test(client, a_newer_listener_supersedes_the_oldest_of_its_principal_L1)
{
    struct fixture f = begin();
    const uint64_t first = admit_listener(f.a, "ann", 2);
    const uint64_t second = admit_listener(f.b, "ann", 2);
    (void)admit_listener(f.b, "bob", 1);
    expect_quiet(f.a);
    const uint64_t third = admit_listener(f.b, "ann", 2);
    expect_event(f.a, ADMISSION_EVENT_SUPERSEDED, first);
    struct admission_event event;
    cr_assert(admission_client_live(f.a, "ann", &event) == ADMISSION_OK);
    cr_assert(event.type == ADMISSION_EVENT_LIVE && event.n_live == 2);
    cr_assert(event.live[0].id == second && event.live[1].id == third);
    cr_assert(event.live[0].owner == admission_client_number(f.b));
    cr_assert(event.live[0].order == 1 && event.live[1].order == 3);
    end(&f);
}

Test(client, a_listener_may_rather_be_refused_than_supersede_L6)
{
    struct fixture f = begin();
    (void)admit_listener(f.a, "ann", 1);
    struct admission_listen listen = admission_listen_default("ann");
    listen.refuse_when_full = true;
    struct admission_event event;
    cr_assert(admission_client_admit_listener(f.b, &listen, NULL, &event) == ADMISSION_REFUSED);
    cr_assert(event.reason == ADMISSION_REASON_OVERFLOW);
    expect_quiet(f.a);
    end(&f);
}

Test(client, max_is_the_limits_to_say_where_the_admit_names_none_L2)
{
    struct fixture f = begin();
    const struct admission_listen listen = admission_listen_default("ann");
    cr_assert(listen.max == ADMISSION_DEFAULT && !listen.refuse_when_full);
    const uint64_t first = admit_listener(f.a, "ann", ADMISSION_DEFAULT);
    (void)admit_listener(f.b, "ann", ADMISSION_DEFAULT);
    expect_event(f.a, ADMISSION_EVENT_SUPERSEDED, first);
    struct admission_limits change = admission_limits_unchanged();
    change.max_listens_per_principal = 3;
    cr_assert(admission_actor_change_limits(f.actor, &change, NULL) == ADMISSION_OK);
    (void)admit_listener(f.a, "ann", ADMISSION_DEFAULT);
    (void)admit_listener(f.a, "ann", ADMISSION_DEFAULT);
    expect_quiet(f.b);
    cr_assert(count_live(f.a, "ann") == 3);
    end(&f);
}

Test(client, leaves_one_listener_or_all_its_own_of_a_principal_L4)
{
    struct fixture f = begin();
    const uint64_t first = admit_listener(f.a, "ann", 9);
    (void)admit_listener(f.a, "ann", 9);
    (void)admit_listener(f.a, "ann", 9);
    (void)admit_listener(f.a, "bob", 9);
    (void)admit_listener(f.b, "ann", 9);
    cr_assert(admission_client_leave(f.a, first) == ADMISSION_OK);
    cr_assert(count_live(f.a, "ann") == 3);
    cr_assert(admission_client_leave_principal(f.a, "ann") == ADMISSION_OK);
    cr_assert(count_live(f.a, "ann") == 1 && count_live(f.a, "bob") == 1);
    cr_assert(admission_client_leave_principal(f.a, "ann") == ADMISSION_OK);
    cr_assert(count_live(f.a, "ann") == 1);
    expect_quiet(f.a);
    end(&f);
}

/* Bad input. */

Test(client, a_name_has_1_to_255_bytes_wherever_it_stands)
{
    struct fixture f = begin();
    static char huge[1024 * 1024 + 1];
    memset(huge, 'n', sizeof huge - 1);
    const char *const wrong[] = {"", huge, huge + sizeof huge - 1 - 256};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct admission_ticket key = {.key = wrong[i], .timeout_us = 0};
        const struct admission_ticket provider = {.provider = wrong[i], .timeout_us = 0};
        const struct admission_listen listen = admission_listen_default(wrong[i]);
        struct admission_event event = {.id = 77};
        uint64_t id = 77;
        cr_assert(admission_client_request_ticket(f.a, &key, &id) == ADMISSION_INVALID);
        cr_assert(admission_client_request_ticket(f.a, &provider, &id) == ADMISSION_INVALID);
        cr_assert(admission_client_admit_ticket(f.a, &key, &id, &event) == ADMISSION_INVALID);
        cr_assert(admission_client_request_listener(f.a, &listen, &id) == ADMISSION_INVALID);
        cr_assert(admission_client_admit_listener(f.a, &listen, &id, &event) ==
                  ADMISSION_INVALID);
        cr_assert(admission_client_request_live(f.a, wrong[i], &id) == ADMISSION_INVALID);
        cr_assert(admission_client_live(f.a, wrong[i], &event) == ADMISSION_INVALID);
        cr_assert(admission_client_leave_principal(f.a, wrong[i]) == ADMISSION_INVALID);
        cr_assert(id == 77 && event.id == 77, "outputs are untouched");
    }
    const struct admission_listen nobody = admission_listen_default(NULL);
    cr_assert(admission_client_request_listener(f.a, &nobody, NULL) == ADMISSION_INVALID);
    cr_assert(admission_client_request_live(f.a, NULL, NULL) == ADMISSION_INVALID);
    cr_assert(admission_client_leave_principal(f.a, NULL) == ADMISSION_INVALID);
    const struct admission_stats stats = books(f.actor);
    cr_assert(stats.running == 0 && stats.queued == 0 && stats.listeners == 0);
    (void)grant_ticket(f.a); /* and one goes on from there */
    end(&f);
}

Test(client, names_of_255_bytes_of_any_kind_are_kept_apart)
{
    struct fixture f = begin();
    char one[256];
    char other[256];
    memset(one, 0xff, 255);
    memset(other, 0xff, 255);
    other[254] = 0x01;
    one[255] = other[255] = '\0';
    add_provider(f.actor, one, ADMISSION_NONE);
    (void)grant_with(f.a, (struct ask){.key = one, .provider = one});
    (void)grant_with(f.a, (struct ask){.key = other, .provider = one});
    (void)ask_with(f.a, (struct ask){.key = one});
    (void)admit_listener(f.a, one, 1);
    (void)admit_listener(f.a, other, 1);
    expect_quiet(f.a);
    cr_assert(books(f.actor).queued == 1 && count_live(f.a, one) == 1);
    end(&f);
}

Test(client, durations_and_counts_out_of_range_are_refused_by_the_call)
{
    struct fixture f = begin();
    const int64_t negative[] = {-1, -5, -ADMISSION_S(5), INT64_MIN + 1};
    for (size_t i = 0; i < sizeof negative / sizeof *negative; i++) {
        const struct admission_ticket timeout = {.timeout_us = negative[i]};
        const struct admission_ticket attempt = {.attempt_timeout_us = negative[i]};
        struct admission_listen listen = admission_listen_default("ann");
        listen.max = negative[i];
        struct admission_event event;
        cr_assert(admission_client_request_ticket(f.a, &timeout, NULL) == ADMISSION_INVALID);
        cr_assert(admission_client_request_ticket(f.a, &attempt, NULL) == ADMISSION_INVALID);
        cr_assert(admission_client_request_listener(f.a, &listen, NULL) == ADMISSION_INVALID);
        cr_assert(admission_client_next(f.a, negative[i], &event) == ADMISSION_INVALID);
    }
    const struct admission_ticket endless = {.attempt_timeout_us = ADMISSION_NONE};
    cr_assert(admission_client_request_ticket(f.a, &endless, NULL) == ADMISSION_INVALID);
    const int64_t counts[] = {0, 4294967295, 4294967297, ADMISSION_NONE};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct admission_listen listen = admission_listen_default("ann");
        listen.max = counts[i];
        cr_assert(admission_client_request_listener(f.a, &listen, NULL) == ADMISSION_INVALID);
    }
    struct admission_event event;
    cr_assert(admission_client_next(f.a, ADMISSION_DEFAULT, &event) == ADMISSION_INVALID);
    cr_assert(books(f.actor).tickets_granted == 0 && books(f.actor).listeners == 0);
    (void)admit_listener(f.a, "ann", 4294967294);
    end(&f);
}

/* Reading. */

Test(client, next_looks_or_waits_as_long_as_it_is_told)
{
    struct fixture f = begin();
    struct admission_event event;
    cr_assert(admission_client_next(f.a, 0, &event) == ADMISSION_EMPTY);
    const int64_t before = monotonic_us();
    cr_assert(admission_client_next(f.a, ADMISSION_MS(30), &event) == ADMISSION_EMPTY);
    cr_assert(monotonic_us() - before >= ADMISSION_MS(30));
    const uint64_t id = ask_ticket(f.a);
    cr_assert(admission_client_next(f.a, ADMISSION_NONE, &event) == ADMISSION_OK);
    cr_assert(event.type == ADMISSION_EVENT_GRANTED && event.id == id);
    const uint64_t other = ask_ticket(f.a);
    settle(f.a);
    cr_assert(admission_client_next(f.a, 0, NULL) == ADMISSION_OK, "a word may go unread");
    cr_assert(admission_client_next(f.a, 0, &event) == ADMISSION_EMPTY);
    (void)admission_client_leave(f.a, other);
    end(&f);
}

Test(client, the_live_listeners_that_were_shown_stay_until_the_next_read)
{
    struct fixture f = begin();
    enum {
        N = 200
    };
    for (int i = 0; i < N; i++) {
        (void)admit_listener(f.b, "ann", N);
    }
    struct admission_event event;
    cr_assert(admission_client_live(f.a, "ann", &event) == ADMISSION_OK);
    const uint64_t granted = ask_ticket(f.a); /* sends, and reads nothing */
    cr_assert(event.n_live == N);
    for (size_t i = 0; i < N; i++) {
        cr_assert(event.live[i].order == i);
        cr_assert(event.live[i].owner == admission_client_number(f.b));
    }
    expect_event(f.a, ADMISSION_EVENT_GRANTED, granted);
    uint64_t question = 0;
    cr_assert(admission_client_request_live(f.a, "ann", &question) == ADMISSION_OK);
    event = read_event(f.a);
    cr_assert(event.type == ADMISSION_EVENT_LIVE && event.id == question && event.n_live == N);
    cr_assert(count_live(f.a, "bob") == 0);
    end(&f);
}

Test(client, events_say_how_long_and_when_and_nothing_that_they_do_not_have)
{
    struct fixture f = begin();
    limit_running(f.actor, 1);
    const int64_t before = wall_us();
    const uint64_t first = grant_ticket(f.a);
    const int64_t asked_at = monotonic_us();
    const uint64_t second = ask_with(f.b, (struct ask){.attempt_us = ADMISSION_S(100)});
    expect_quiet(f.b);
    while (monotonic_us() - asked_at < ADMISSION_MS(5)) {
    }
    (void)admission_client_leave(f.a, first);
    struct admission_event event = read_event(f.b);
    cr_assert(event.type == ADMISSION_EVENT_GRANTED && event.id == second);
    cr_assert(event.reason == ADMISSION_REASON_NONE && event.order == 0);
    cr_assert(event.waited_us > 0 && event.waited_us <= monotonic_us() - asked_at);
    cr_assert(event.ran_us == 0 && event.live == NULL && event.n_live == 0);
    cr_assert(event.stamped_at_us >= before && event.stamped_at_us <= wall_us());
    (void)admission_client_cancel(f.b, second);
    event = read_event(f.b);
    cr_assert(event.type == ADMISSION_EVENT_ABORT && event.waited_us == 0);
    cr_assert(event.ran_us >= 0 && event.ran_us <= monotonic_us() - asked_at);
    (void)admit_listener(f.a, "ann", 1);
    const uint64_t listener = ask_listener(f.a, "ann", 2);
    event = read_event(f.a);
    cr_assert(event.type == ADMISSION_EVENT_ADMITTED && event.id == listener);
    cr_assert(event.order == 1 && event.waited_us == 0 && event.ran_us == 0);
    end(&f);
}

Test(client, an_actor_keeps_the_pace_that_it_is_given_T7)
{
    struct fixture f = begin();
    limit_pace(f.actor, ADMISSION_MS(4));
    const int64_t before = monotonic_us();
    for (int i = 0; i < 10; i++) {
        (void)ask_ticket(f.a);
    }
    for (int i = 0; i < 10; i++) {
        cr_assert(read_event(f.a).type == ADMISSION_EVENT_GRANTED);
    }
    cr_assert(monotonic_us() - before >= 9 * ADMISSION_MS(4));
    end(&f);
}

/* Credit. */

static admission_actor_t *start_with_credit(int64_t credit)
{
    struct admission_options options;
    admission_options_init(&options);
    options.client_credit = credit;
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    return actor;
}

Test(client, is_busy_when_its_credit_is_used_up_and_no_longer_when_it_has_read)
{
    struct fixture f = {.actor = start_with_credit(10)};
    f.a = open_client(f.actor);
    f.b = open_client(f.actor);
    const struct admission_ticket at_once = ticket_of((struct ask){.timeout_us = -1});
    limit_running(f.actor, 0);
    uint64_t id = 0;
    for (int i = 0; i < 10; i++) {
        cr_assert(admission_client_request_ticket(f.a, &at_once, &id) == ADMISSION_OK);
    }
    const uint64_t last = id;
    struct admission_event event;
    const struct admission_listen listen = admission_listen_default("ann");
    for (int round = 0; round < 2; round++) { /* before and after the actor has answered */
        cr_assert(admission_client_request_ticket(f.a, &at_once, &id) == ADMISSION_BUSY);
        cr_assert(admission_client_admit_ticket(f.a, NULL, &id, &event) == ADMISSION_BUSY);
        cr_assert(admission_client_request_listener(f.a, &listen, &id) == ADMISSION_BUSY);
        cr_assert(admission_client_request_live(f.a, "ann", &id) == ADMISSION_BUSY);
        cr_assert(admission_client_live(f.a, "ann", &event) == ADMISSION_BUSY);
        cr_assert(id == last, "outputs are untouched");
        settle(f.b);
        settle(f.b);
    }
    (void)admission_client_leave(f.a, 1); /* these are never refused */
    (void)admission_client_cancel(f.a, 1);
    (void)admission_client_leave_principal(f.a, "ann");
    cr_assert(admission_client_request_ticket(f.b, &at_once, NULL) == ADMISSION_OK);
    (void)read_event(f.a);
    cr_assert(admission_client_request_ticket(f.a, &at_once, NULL) == ADMISSION_OK);
    cr_assert(admission_client_request_ticket(f.a, &at_once, NULL) == ADMISSION_BUSY);
    for (int i = 0; i < 10; i++) {
        (void)read_event(f.a);
    }
    settle(f.a);
    end(&f);
}

Test(client, what_it_holds_counts_against_its_credit_until_it_leaves)
{
    struct fixture f = {.actor = start_with_credit(4)};
    f.a = open_client(f.actor);
    f.b = open_client(f.actor);
    uint64_t ids[4];
    for (int i = 0; i < 2; i++) {
        ids[i] = grant_ticket(f.a);
    }
    for (int i = 2; i < 4; i++) {
        ids[i] = admit_listener(f.a, "ann", 9);
    }
    cr_assert(admission_client_request_ticket(f.a, NULL, NULL) == ADMISSION_BUSY);
    for (int i = 0; i < 4; i++) {
        (void)admission_client_leave(f.a, ids[i]);
        settle(f.b);
        settle(f.b);
        cr_assert(admission_client_request_ticket(f.a, NULL, NULL) == ADMISSION_OK);
        cr_assert(read_event(f.a).type == ADMISSION_EVENT_GRANTED);
        cr_assert(admission_client_request_ticket(f.a, NULL, NULL) == ADMISSION_BUSY);
    }
    end(&f);
}

/* Batches. */

Test(client, what_is_held_back_goes_in_order_when_it_is_let_go)
{
    struct fixture f = begin();
    admission_client_cork(f.a);
    const uint64_t first = ask_listener(f.a, "ann", 1);
    const uint64_t second = ask_listener(f.a, "ann", 1);
    (void)admission_client_leave(f.a, second);
    const uint64_t third = ask_listener(f.a, "ann", 1);
    cr_assert(count_live(f.b, "ann") == 0, "it has not been sent");
    cr_assert(books(f.actor).listeners_admitted == 0);
    const uint64_t before = admit_listener(f.b, "ann", 1); /* so others come before it */
    admission_client_uncork(f.a);
    expect_event(f.b, ADMISSION_EVENT_SUPERSEDED, before);
    expect_event(f.a, ADMISSION_EVENT_ADMITTED, first);
    expect_event(f.a, ADMISSION_EVENT_SUPERSEDED, first);
    expect_event(f.a, ADMISSION_EVENT_ADMITTED, second);
    expect_event(f.a, ADMISSION_EVENT_ADMITTED, third);
    expect_quiet(f.a);
    admission_client_uncork(f.a); /* twice is nothing */
    end(&f);
}

Test(client, a_call_that_waits_sends_what_is_held_back_first)
{
    struct fixture f = begin();
    struct admission_event event;
    admission_client_cork(f.a);
    const uint64_t first = ask_ticket(f.a);
    cr_assert(admission_client_next(f.a, 0, &event) == ADMISSION_EMPTY);
    cr_assert(books(f.actor).running == 0, "looking is not waiting");
    expect_event(f.a, ADMISSION_EVENT_GRANTED, first);
    const uint64_t second = ask_ticket(f.a);
    const uint64_t third = grant_ticket(f.a);
    cr_assert(third > second);
    expect_event(f.a, ADMISSION_EVENT_GRANTED, second);
    const uint64_t fourth = ask_listener(f.a, "ann", 1);
    cr_assert(count_live(f.a, "ann") == 1);
    expect_event(f.a, ADMISSION_EVENT_ADMITTED, fourth);
    (void)ask_ticket(f.a); /* it is still holding back */
    cr_assert(books(f.actor).running == 3);
    end(&f);
}

Test(client, no_more_than_64_requests_are_held_back)
{
    struct fixture f = begin();
    admission_client_cork(f.a);
    for (int i = 0; i < 63; i++) {
        (void)ask_ticket(f.a);
    }
    cr_assert(books(f.actor).running == 0);
    (void)ask_ticket(f.a);
    cr_assert(books(f.actor).running == 64);
    for (int i = 0; i < 10; i++) {
        (void)ask_ticket(f.a);
    }
    cr_assert(books(f.actor).running == 64);
    end(&f);
}

Test(client, no_more_than_4_KiB_are_held_back)
{
    struct fixture f = begin();
    char key[256];
    memset(key, 'k', 255);
    key[255] = '\0';
    add_provider(f.actor, key, ADMISSION_NONE);
    admission_client_cork(f.a);
    for (int i = 0; i < 16; i++) { /* of more than 512 bytes each */
        key[0] = (char)('A' + i);
        (void)ask_with(f.a, (struct ask){.key = key});
        (void)ask_with(f.a, (struct ask){.key = key});
    }
    cr_assert(books(f.actor).tickets_granted + books(f.actor).queued >= 16);
    end(&f);
}

Test(client, a_client_that_ends_corked_takes_what_it_held_back_with_it)
{
    struct fixture f = begin();
    admission_client_t *client = open_client(f.actor);
    admission_client_cork(client);
    (void)ask_ticket(client);
    close_client(client);
    cr_assert(books(f.actor).tickets_granted == 0);
    end(&f);
}
