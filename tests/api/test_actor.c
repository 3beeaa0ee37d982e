/* The actor handle: each of its functions, and each of its results. */
#include <criterion/criterion.h>
#include <string.h>

#include "steps.h"

TestSuite(actor, .timeout = 30);

Test(actor, starts_with_defaults_and_ends_with_the_pointer_nulled)
{
    admission_actor_t *actor = NULL;
    const char *culprit = "untouched";
    cr_assert(admission_actor_new(&actor, NULL, &culprit) == ADMISSION_OK && actor != NULL);
    cr_assert_str_eq(culprit, "untouched");
    admission_actor_destroy(&actor);
    cr_assert(actor == NULL);
    admission_actor_destroy(&actor);
    admission_actor_destroy(NULL);
}

Test(actor, many_start_and_end_one_after_the_other_and_leave_no_descriptor)
{
    finish(start());
    const int before = n_descriptors();
    for (int i = 0; i < 100; i++) {
        finish(start());
    }
    cr_assert(n_descriptors() == before);
}

Test(actor, several_know_nothing_of_each_other)
{
    admission_actor_t *one = start();
    admission_actor_t *other = start();
    limit_running(one, 1);
    admission_client_t *a = open_client(one);
    admission_client_t *b = open_client(other);
    (void)grant_ticket(a);
    (void)grant_ticket(b);
    (void)grant_ticket(b);
    cr_assert(books(one).running == 1 && books(other).running == 2);
    cr_assert(admission_client_number(a) == admission_client_number(b));
    close_client(a);
    close_client(b);
    finish(one);
    finish(other);
}

/* Limits. */

Test(actor, changes_the_limits_that_are_named_and_no_other_R1)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    limit_running(actor, 1);
    struct admission_limits change = admission_limits_unchanged();
    change.queue_capacity = 1;
    cr_assert(admission_actor_change_limits(actor, &change, NULL) == ADMISSION_OK);
    const uint64_t running = grant_ticket(client);
    const uint64_t queued = ask_ticket(client);
    expect_refusal(client, ask_ticket(client), ADMISSION_REASON_OVERFLOW);
    limit_running(actor, 2);
    expect_event(client, ADMISSION_EVENT_GRANTED, queued);
    (void)admission_client_leave(client, running);
    (void)admission_client_leave(client, queued);
    close_client(client);
    finish(actor);
}

Test(actor, a_change_that_is_out_of_range_changes_nothing_and_names_the_culprit)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    struct admission_limits change = admission_limits_unchanged();
    change.max_concurrent = 0;
    change.max_listeners = -1;
    const char *culprit = NULL;
    cr_assert(admission_actor_change_limits(actor, &change, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, "max_listeners");
    cr_assert(admission_actor_change_limits(actor, &change, NULL) == ADMISSION_INVALID);
    (void)grant_ticket(client); /* it is not paused */
    close_client(client);
    finish(actor);
}

Test(actor, a_limit_of_0_pauses_and_another_goes_on_T1)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    limit_running(actor, 0);
    const uint64_t id = ask_ticket(client);
    expect_quiet(client);
    limit_running(actor, ADMISSION_NONE);
    expect_event(client, ADMISSION_EVENT_GRANTED, id);
    close_client(client);
    finish(actor);
}

/* Providers. */

Test(actor, adds_a_provider_and_changes_only_what_is_named)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    cr_assert(admission_actor_has_provider(actor, "p") == ADMISSION_UNKNOWN_PROVIDER);
    struct admission_provider change = admission_provider_unchanged("p");
    change.queue_capacity = 1;
    cr_assert(admission_actor_change_provider(actor, &change, NULL) == ADMISSION_OK);
    cr_assert(admission_actor_has_provider(actor, "p") == ADMISSION_OK);
    (void)grant_with(client, (struct ask){.provider = "p"}); /* no limit yet */
    change = admission_provider_unchanged("p");
    change.max_concurrent = 1;
    cr_assert(admission_actor_change_provider(actor, &change, NULL) == ADMISSION_OK);
    (void)ask_with(client, (struct ask){.provider = "p"});
    const uint64_t third = ask_with(client, (struct ask){.provider = "p"});
    expect_refusal(client, third, ADMISSION_REASON_OVERFLOW); /* the capacity is as it was */
    close_client(client);
    finish(actor);
}

Test(actor, a_change_of_a_provider_that_is_out_of_range_adds_none)
{
    admission_actor_t *actor = start();
    const char *culprit = NULL;
    struct admission_provider change = admission_provider_unchanged("p");
    change.min_interval_us = -1;
    cr_assert(admission_actor_change_provider(actor, &change, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, "min_interval_us");
    cr_assert(admission_actor_has_provider(actor, "p") == ADMISSION_UNKNOWN_PROVIDER);
    change = admission_provider_unchanged("");
    cr_assert(admission_actor_change_provider(actor, &change, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, "name");
    finish(actor);
}

Test(actor, names_of_providers_are_checked_before_anything_is_asked)
{
    admission_actor_t *actor = start();
    static char huge[1024 * 1024 + 1];
    memset(huge, 'p', sizeof huge - 1);
    char at_most[256];
    memset(at_most, 'p', 255);
    at_most[255] = '\0';
    const char *const wrong[] = {NULL, "", huge, huge + sizeof huge - 1 - 256};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert(admission_actor_has_provider(actor, wrong[i]) == ADMISSION_INVALID);
        cr_assert(admission_actor_cooldown(actor, wrong[i], 1) == ADMISSION_INVALID);
    }
    cr_assert(admission_actor_has_provider(actor, at_most) == ADMISSION_UNKNOWN_PROVIDER);
    add_provider(actor, at_most, 1);
    cr_assert(admission_actor_has_provider(actor, at_most) == ADMISSION_OK);
    finish(actor);
}

Test(actor, a_cooldown_holds_its_provider_back_and_no_other_T8)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    add_provider(actor, "p", ADMISSION_NONE);
    add_provider(actor, "q", ADMISSION_NONE);
    cr_assert(admission_actor_cooldown(actor, "none", 1) == ADMISSION_UNKNOWN_PROVIDER);
    cr_assert(admission_actor_cooldown(actor, "p", -ADMISSION_MS(100)) == ADMISSION_INVALID);
    cr_assert(admission_actor_cooldown(actor, "p", ADMISSION_NONE) == ADMISSION_INVALID);
    cr_assert(admission_actor_cooldown(actor, "p", ADMISSION_DEFAULT) == ADMISSION_INVALID);
    (void)grant_with(client, (struct ask){.provider = "p"}); /* nothing of it had an effect */
    const int64_t before = monotonic_us();
    cr_assert(admission_actor_cooldown(actor, "p", ADMISSION_MS(50)) == ADMISSION_OK);
    cr_assert(admission_actor_cooldown(actor, "p", 0) == ADMISSION_OK); /* shortens nothing */
    const uint64_t held_back = ask_with(client, (struct ask){.provider = "p"});
    (void)grant_with(client, (struct ask){.provider = "q"});
    expect_event(client, ADMISSION_EVENT_GRANTED, held_back);
    cr_assert(monotonic_us() - before >= ADMISSION_MS(50));
    cr_assert(admission_actor_cooldown(actor, "p", ADMISSION_NONE - 1) == ADMISSION_OK);
    expect_refusal(client, ask_with(client, (struct ask){.provider = "p", .timeout_us = 1}),
                   ADMISSION_REASON_TIMEOUT);
    close_client(client);
    finish(actor);
}

/* The books. */

Test(actor, counts_what_has_happened)
{
    admission_actor_t *actor = start();
    add_provider(actor, "p", 1);
    admission_client_t *a = open_client(actor);
    admission_client_t *b = open_client(actor);
    const uint64_t held = grant_with(a, (struct ask){.provider = "p", .key = "k"});
    (void)ask_with(b, (struct ask){.provider = "p"});
    const uint64_t withdrawn = ask_with(b, (struct ask){.provider = "p"});
    expect_refusal(b, ask_with(b, (struct ask){.provider = "p", .timeout_us = -1}),
                   ADMISSION_REASON_TIMEOUT);
    expect_refusal(b, ask_with(b, (struct ask){.provider = "q"}),
                   ADMISSION_REASON_UNKNOWN_PROVIDER);
    (void)admit_listener(a, "ann", 1);
    (void)admit_listener(b, "ann", 1);
    (void)admit_listener(b, "bob", 1);
    (void)admission_client_leave(b, withdrawn);
    (void)admission_client_leave(b, withdrawn); /* stray */
    (void)admission_client_cancel(a, held);
    const struct admission_stats stats = books(actor);
    cr_assert(stats.running == 1 && stats.queued == 1);
    cr_assert(stats.listeners == 2 && stats.principals == 2 && stats.clients == 2);
    cr_assert(stats.tickets_granted == 1 && stats.tickets_withdrawn == 1);
    cr_assert(stats.tickets_refused[ADMISSION_REASON_TIMEOUT] == 1);
    cr_assert(stats.tickets_refused[ADMISSION_REASON_UNKNOWN_PROVIDER] == 1);
    cr_assert(stats.tickets_aborted[ADMISSION_REASON_CANCELLED] == 1);
    cr_assert(stats.listeners_admitted == 3 && stats.listeners_superseded == 1);
    cr_assert(stats.stray_leaves == 1 && stats.malformed_messages == 0);
    cr_assert(stats.waits[0] == 1 && stats.clients_opened == 2);
    close_client(a);
    close_client(b);
    finish(actor);
}

Test(actor, names_the_ticket_that_has_been_held_longest_T13)
{
    admission_actor_t *actor = start();
    char key[256];
    memset(key, 'k', 255);
    key[255] = '\0';
    add_provider(actor, "search", ADMISSION_NONE);
    admission_client_t *other = open_client(actor);
    admission_client_t *client = open_client(actor);
    const struct admission_stats before = books(actor);
    cr_assert(before.longest_held.held_us == 0 && before.longest_held.owner == 0);
    cr_assert(before.longest_held.provider[0] == '\0' && before.longest_held.key[0] == '\0');
    const uint64_t first = grant_with(client, (struct ask){.provider = "search", .key = key});
    const uint64_t second = grant_ticket(other);
    const struct admission_stats stats = books(actor);
    cr_assert(stats.longest_held.held_us > 0);
    cr_assert(stats.longest_held.owner == admission_client_number(client));
    cr_assert(stats.longest_held.id == first);
    cr_assert_str_eq(stats.longest_held.provider, "search");
    cr_assert_str_eq(stats.longest_held.key, key);
    (void)admission_client_leave(client, first);
    const struct admission_stats after = books(actor);
    cr_assert(after.longest_held.owner == admission_client_number(other));
    cr_assert(after.longest_held.id == second && after.longest_held.key[0] == '\0');
    close_client(client);
    close_client(other);
    finish(actor);
}

/* Close. */

Test(actor, close_refuses_aborts_tells_and_refuses_ever_after_K1)
{
    admission_actor_t *actor = start();
    limit_running(actor, 1);
    admission_client_t *client = open_client(actor);
    const uint64_t running = grant_ticket(client);
    const uint64_t queued = ask_ticket(client);
    const uint64_t listener = admit_listener(client, "ann", 1);
    cr_assert(admission_actor_close(actor, 0) == ADMISSION_NOT_DRAINED);
    expect_refusal(client, queued, ADMISSION_REASON_CLOSED);
    expect_abort(client, running, ADMISSION_REASON_CLOSED);
    expect_event(client, ADMISSION_EVENT_CLOSED, listener);
    struct admission_event event;
    cr_assert(admission_client_admit_ticket(client, NULL, NULL, &event) == ADMISSION_REFUSED);
    cr_assert(event.reason == ADMISSION_REASON_CLOSED);
    const struct admission_listen listen = admission_listen_default("bob");
    cr_assert(admission_client_admit_listener(client, &listen, NULL, &event) ==
              ADMISSION_REFUSED);
    cr_assert(event.reason == ADMISSION_REASON_CLOSED);
    cr_assert(admission_actor_close(actor, 0) == ADMISSION_NOT_DRAINED);
    (void)admission_client_leave(client, running);
    cr_assert(admission_actor_close(actor, 0) == ADMISSION_OK);
    cr_assert(admission_actor_close(actor, ADMISSION_NONE) == ADMISSION_OK);
    close_client(client);
    finish(actor);
}

Test(actor, close_with_a_negative_time_closes_nothing)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    cr_assert(admission_actor_close(actor, -1) == ADMISSION_INVALID);
    cr_assert(admission_actor_close(actor, ADMISSION_DEFAULT) == ADMISSION_INVALID);
    (void)grant_ticket(client);
    close_client(client);
    finish(actor);
}

Test(actor, close_gives_up_after_its_drain_time_and_not_before_K2)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    (void)grant_ticket(client);
    const int64_t before = monotonic_us();
    cr_assert(admission_actor_close(actor, ADMISSION_MS(30)) == ADMISSION_NOT_DRAINED);
    cr_assert(monotonic_us() - before >= ADMISSION_MS(30));
    cr_assert(books(actor).wakeups > 0, "it slept meanwhile");
    close_client(client);
    cr_assert(admission_actor_close(actor, 0) == ADMISSION_OK);
    finish(actor);
}

struct closer {
    admission_actor_t *actor;
    admission_status_t status;
};

static void *close_for_ever(void *arg)
{
    struct closer *closer = arg;
    closer->status = admission_actor_close(closer->actor, ADMISSION_NONE);
    return NULL;
}

Test(actor, threads_that_close_at_once_all_hear_when_the_last_ticket_has_left_K2)
{
    enum {
        N = 4
    };
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    const uint64_t id = grant_ticket(client);
    struct closer closers[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        closers[i] = (struct closer){.actor = actor, .status = ADMISSION_EMPTY};
        threads[i] = run(close_for_ever, &closers[i]);
    }
    expect_abort(client, id, ADMISSION_REASON_CLOSED);
    (void)admission_client_leave(client, id);
    for (int i = 0; i < N; i++) {
        (void)join(threads[i]);
        cr_assert(closers[i].status == ADMISSION_OK);
    }
    close_client(client);
    finish(actor);
}

/* Texts. */

Test(actor, every_status_type_and_reason_has_a_text_of_its_own)
{
    for (int i = ADMISSION_OK; i <= ADMISSION_NO_RESOURCES; i++) {
        const char *text = admission_status_text((admission_status_t)i);
        cr_assert(strlen(text) > 0 && strcmp(text, "not a status") != 0);
        for (int j = ADMISSION_OK; j < i; j++) {
            cr_assert(strcmp(text, admission_status_text((admission_status_t)j)) != 0);
        }
    }
    const char *const types[] = {"granted",    "refused", "abort", "admitted",
                                 "superseded", "closed",  "live"};
    for (int i = 0; i < 7; i++) {
        cr_assert_str_eq(admission_event_type_text((admission_event_type_t)(i + 1)), types[i]);
    }
    const char *const reasons[] = {"none",   "overflow",         "timeout",  "cancelled",
                                   "closed", "unknown-provider", "duplicate"};
    for (int i = 0; i < ADMISSION_N_REASONS; i++) {
        cr_assert_str_eq(admission_reason_text((admission_reason_t)i), reasons[i]);
    }
    cr_assert_str_eq(admission_version(), ADMISSION_VERSION);
    cr_assert_str_eq(admission_status_text((admission_status_t)99), "not a status");
    cr_assert_str_eq(admission_event_type_text((admission_event_type_t)99),
                     "not an event type");
    cr_assert_str_eq(admission_reason_text((admission_reason_t)99), "not a reason");
}
