/* What a trace cannot say, A: values out of range (T1, T6, T8).
 * golang/go#80183, golang/sync#7 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "fixture.h"

TestSuite(out_of_range, .timeout = 60);

static void expect_invalid(const struct admission_options *options, const char *culprit)
{
    admission_actor_t *actor = NULL;
    const char *told = NULL;
    const size_t before = n_threads();
    check(admission_actor_new(&actor, options, &told) == ADMISSION_INVALID);
    check(actor == NULL);
    check(strcmp(told, culprit) == 0);
    check(n_threads() == before);
}

/* Each limit in turn takes a value that it cannot have. */
Test(out_of_range, T1_an_actor_with_a_limit_out_of_range_does_not_start)
{
    struct admission_options defaults;
    admission_options_init(&defaults);
    const int64_t too_many = INT64_C(4294967295);
    struct admission_options options = defaults;
    options.limits.max_concurrent = -1;
    expect_invalid(&options, "max_concurrent");
    options.limits.max_concurrent = too_many;
    expect_invalid(&options, "max_concurrent");
    options = defaults;
    options.limits.queue_capacity = -1;
    expect_invalid(&options, "queue_capacity");
    options = defaults;
    options.limits.min_interval_us = -20;
    expect_invalid(&options, "min_interval_us");
    options.limits.min_interval_us = ADMISSION_NONE;
    expect_invalid(&options, "min_interval_us");
    options = defaults;
    options.limits.admission_timeout_us = -1;
    expect_invalid(&options, "admission_timeout_us");
    options = defaults;
    options.limits.max_listens_per_principal = 0;
    expect_invalid(&options, "max_listens_per_principal");
    options = defaults;
    options.limits.max_listeners = too_many;
    expect_invalid(&options, "max_listeners");
    options = defaults;
    options.client_credit = 0;
    expect_invalid(&options, "client_credit");
}

Test(out_of_range, T1_no_slot_at_all_is_in_range_and_starts_nothing)
{
    admission_actor_t *actor = start_actor(0, 1);
    admission_client_t *client = open_client(actor);
    const uint64_t a = post(client);
    expect_quiet(client);
    expect_gauges(actor, .queued = 1);
    leave(client, a);
    admission_client_destroy(&client);
    end_actor(&actor);
}

static admission_status_t request_with_key_of(admission_client_t *client, size_t length)
{
    char *key = calloc(length + 1, 1);
    memset(key, 'k', length);
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = key;
    uint64_t id = 0;
    const admission_status_t status = admission_client_request_ticket(client, &ticket, &id);
    check(id == 0);
    free(key);
    return status;
}

static admission_actor_t *start_actor_with_cooled_provider(void)
{
    const struct admission_provider search = admission_provider_default("search");
    admission_actor_t *actor = start_actor(1, 1);
    check_ok(admission_actor_change_provider(actor, &search, NULL));
    check_ok(admission_actor_cooldown(actor, "search", ADMISSION_S(1000)));
    return actor;
}

Test(out_of_range, T6_T8_a_call_with_a_value_out_of_range_sends_nothing)
{
    admission_actor_t *actor = start_actor_with_cooled_provider();
    admission_client_t *client = open_client(actor);
    struct admission_ticket ticket = ticket_for(-5);
    check(request_with_key_of(client, 0) == ADMISSION_INVALID);
    check(request_with_key_of(client, 256) == ADMISSION_INVALID);
    check(request_with_key_of(client, MIB) == ADMISSION_INVALID);
    check(admission_client_request_ticket(client, &ticket, NULL) == ADMISSION_INVALID);
    check(admission_client_admit_ticket(client, &ticket, NULL, NULL) == ADMISSION_INVALID);
    check(admission_actor_cooldown(actor, "search", -ADMISSION_MS(100)) == ADMISSION_INVALID);
    expect_quiet(client);
    expect_gauges(actor, 0);

    ticket = ticket_for(0);
    ticket.provider = "search";
    const uint64_t cooled = post_with(client, &ticket);
    expect(client, refused(cooled, ADMISSION_REASON_TIMEOUT));

    leave(client, hold(client));
    admission_client_destroy(&client);
    end_actor(&actor);
}
