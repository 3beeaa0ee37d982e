/* Options: what they are when nothing is said, and that each that is out of range is named. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>

#include "steps.h"

TestSuite(options, .timeout = 20);

static void expect_culprit(const struct admission_options *options, const char *name)
{
    const char *culprit = NULL;
    cr_assert(admission_options_check(options, &culprit) == ADMISSION_INVALID, "%s passed",
              name);
    cr_assert_str_eq(culprit, name);
    cr_assert(admission_options_check(options, NULL) == ADMISSION_INVALID);
    admission_actor_t *actor = NULL;
    culprit = NULL;
    cr_assert(admission_actor_new(&actor, options, &culprit) == ADMISSION_INVALID);
    cr_assert_str_eq(culprit, name);
    cr_assert(actor == NULL);
}

static void expect_valid(const struct admission_options *options)
{
    const char *culprit = "untouched";
    cr_assert(admission_options_check(options, &culprit) == ADMISSION_OK, "%s", culprit);
    cr_assert_str_eq(culprit, "untouched");
}

Test(options, defaults_are_those_of_the_header)
{
    struct admission_options options;
    memset(&options, 0xa5, sizeof options);
    unsetenv("ADMISSION_SPIN");
    admission_options_init(&options);
    cr_assert(options.size == sizeof options);
    cr_assert(options.limits.max_concurrent == ADMISSION_NONE);
    cr_assert(options.limits.min_interval_us == 0);
    cr_assert(options.limits.queue_capacity == 1024);
    cr_assert(options.limits.admission_timeout_us == ADMISSION_NONE);
    cr_assert(options.limits.max_listens_per_principal == 1);
    cr_assert(options.limits.max_listeners == ADMISSION_NONE);
    cr_assert(options.providers == NULL && options.n_providers == 0);
    cr_assert(options.client_credit == 1048576 && options.max_clients == 10000);
    cr_assert(options.inlet_capacity == 2000 && options.spin == ADMISSION_SPIN_ADAPTIVE);
    expect_valid(&options);
}

Test(options, how_to_wait_is_the_environments_to_say)
{
    const struct {
        const char *text;
        admission_spin_t spin;
    } rows[] = {
        {"always", ADMISSION_SPIN_ALWAYS},     {"never", ADMISSION_SPIN_NEVER},
        {"adaptive", ADMISSION_SPIN_ADAPTIVE}, {"sometimes", ADMISSION_SPIN_ADAPTIVE},
        {"", ADMISSION_SPIN_ADAPTIVE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct admission_options options;
        setenv("ADMISSION_SPIN", rows[i].text, 1);
        admission_options_init(&options);
        cr_assert(options.spin == rows[i].spin, "%s", rows[i].text);
    }
}

Test(options, providers_without_limits_and_without_changes)
{
    const struct admission_provider plain = admission_provider_default("search");
    cr_assert_str_eq(plain.name, "search");
    cr_assert(plain.max_concurrent == ADMISSION_NONE && plain.min_interval_us == 0);
    cr_assert(plain.queue_capacity == ADMISSION_NONE);
    const struct admission_provider change = admission_provider_unchanged("search");
    cr_assert(change.max_concurrent == ADMISSION_DEFAULT);
    cr_assert(change.min_interval_us == ADMISSION_DEFAULT);
    cr_assert(change.queue_capacity == ADMISSION_DEFAULT);
}

/* Each limit: its name, its smallest value, and whether there may be none. */
static const struct row {
    const char *name;
    size_t at;
    int64_t least;
    int64_t most;
    bool may_be_none;
} limits[] = {
    {"max_concurrent", offsetof(struct admission_limits, max_concurrent), 0, 4294967294, true},
    {"min_interval_us", offsetof(struct admission_limits, min_interval_us), 0,
     ADMISSION_NONE - 1, false},
    {"queue_capacity", offsetof(struct admission_limits, queue_capacity), 0, 4294967294, true},
    {"admission_timeout_us", offsetof(struct admission_limits, admission_timeout_us), 0,
     ADMISSION_NONE - 1, true},
    {"max_listens_per_principal", offsetof(struct admission_limits, max_listens_per_principal),
     1, 4294967294, false},
    {"max_listeners", offsetof(struct admission_limits, max_listeners), 0, 4294967294, true},
};

enum {
    N_LIMITS = sizeof limits / sizeof *limits
};

static struct admission_options with_limit(const struct row *row, int64_t value)
{
    struct admission_options options;
    admission_options_init(&options);
    memcpy((char *)&options.limits + row->at, &value, sizeof value);
    return options;
}

Test(options, each_limit_that_is_out_of_range_is_named)
{
    for (size_t i = 0; i < N_LIMITS; i++) {
        const int64_t wrong[] = {limits[i].least - 1, -1, -ADMISSION_S(5), INT64_MIN + 1};
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            const struct admission_options options = with_limit(&limits[i], wrong[j]);
            expect_culprit(&options, limits[i].name);
        }
        if (limits[i].most < ADMISSION_NONE - 1) {
            const struct admission_options options = with_limit(&limits[i], limits[i].most + 1);
            expect_culprit(&options, limits[i].name);
        }
        if (!limits[i].may_be_none) {
            const struct admission_options options = with_limit(&limits[i], ADMISSION_NONE);
            expect_culprit(&options, limits[i].name);
        }
    }
}

Test(options, each_limit_may_be_at_either_end_of_its_range)
{
    for (size_t i = 0; i < N_LIMITS; i++) {
        const struct admission_options least = with_limit(&limits[i], limits[i].least);
        const struct admission_options most = with_limit(&limits[i], limits[i].most);
        const struct admission_options none = with_limit(&limits[i], ADMISSION_NONE);
        const struct admission_options unsaid = with_limit(&limits[i], ADMISSION_DEFAULT);
        expect_valid(&least);
        expect_valid(&most);
        expect_valid(&unsaid);
        if (limits[i].may_be_none) {
            expect_valid(&none);
        }
    }
}

Test(options, the_first_of_several_culprits_is_named)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.queue_capacity = -1;
    options.limits.max_listeners = -1;
    options.max_clients = 0;
    expect_culprit(&options, "queue_capacity");
}

Test(options, the_options_beside_the_limits_have_their_ranges)
{
    const struct {
        const char *name;
        size_t at;
        int64_t least;
        int64_t most;
    } rows[] = {
        {"client_credit", offsetof(struct admission_options, client_credit), 1, 4294967294},
        {"max_clients", offsetof(struct admission_options, max_clients), 1, 1000000},
        {"inlet_capacity", offsetof(struct admission_options, inlet_capacity), 2, 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t wrong[] = {rows[i].least - 1, rows[i].most + 1, -1, ADMISSION_NONE,
                                 ADMISSION_DEFAULT};
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            struct admission_options options;
            admission_options_init(&options);
            memcpy((char *)&options + rows[i].at, &wrong[j], sizeof wrong[j]);
            expect_culprit(&options, rows[i].name);
        }
        struct admission_options options;
        admission_options_init(&options);
        memcpy((char *)&options + rows[i].at, &rows[i].least, sizeof rows[i].least);
        expect_valid(&options);
        memcpy((char *)&options + rows[i].at, &rows[i].most, sizeof rows[i].most);
        expect_valid(&options);
    }
}

Test(options, a_policy_of_waiting_that_is_none_is_named)
{
    struct admission_options options;
    admission_options_init(&options);
    const int wrong = 3;
    memcpy(&options.spin, &wrong, sizeof wrong);
    expect_culprit(&options, "spin");
}

Test(options, a_struct_of_a_size_that_no_version_had_is_refused)
{
    struct admission_options options;
    admission_options_init(&options);
    options.size++;
    expect_culprit(&options, "size");
    options.size = 0;
    expect_culprit(&options, "size");
}

Test(options, a_caller_who_knows_fewer_members_gets_the_defaults_for_the_rest)
{
    struct admission_options options;
    memset(&options, 0x55, sizeof options);
    const size_t known = offsetof(struct admission_options, clock);
    admission_options_init_sized(&options, known);
    cr_assert(options.size == known);
    cr_assert((uintptr_t)options.clock == (uintptr_t)0x5555555555555555,
              "what the caller does not know is not written");
    cr_assert(admission_options_check(&options, NULL) == ADMISSION_OK);
}

/* Providers. */

static struct admission_options with_providers(const struct admission_provider *providers,
                                               size_t n)
{
    struct admission_options options;
    admission_options_init(&options);
    options.providers = providers;
    options.n_providers = n;
    return options;
}

Test(options, a_provider_needs_a_name_of_1_to_255_bytes)
{
    char long_name[257];
    memset(long_name, 'n', sizeof long_name);
    long_name[256] = '\0';
    const char *const names[] = {NULL, "", long_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct admission_provider provider = admission_provider_default(names[i]);
        const struct admission_options options = with_providers(&provider, 1);
        expect_culprit(&options, "name");
    }
    long_name[255] = '\0';
    const struct admission_provider provider = admission_provider_default(long_name);
    const struct admission_options options = with_providers(&provider, 1);
    expect_valid(&options);
}

Test(options, limits_of_a_provider_that_are_out_of_range_are_named)
{
    struct admission_provider provider = admission_provider_default("p");
    const struct admission_options options = with_providers(&provider, 1);
    provider.max_concurrent = -1;
    expect_culprit(&options, "max_concurrent");
    provider = admission_provider_default("p");
    provider.min_interval_us = ADMISSION_NONE;
    expect_culprit(&options, "min_interval_us");
    provider = admission_provider_default("p");
    provider.queue_capacity = 4294967295;
    expect_culprit(&options, "queue_capacity");
}

Test(options, a_provider_that_is_named_twice_is_refused)
{
    const struct admission_provider providers[] = {
        admission_provider_default("a"),
        admission_provider_default("b"),
        admission_provider_default("a"),
    };
    const struct admission_options twice = with_providers(providers, 3);
    const struct admission_options once = with_providers(providers, 2);
    expect_culprit(&twice, "name");
    expect_valid(&once);
}

Test(options, providers_that_are_counted_but_not_there_are_refused)
{
    const struct admission_options options = with_providers(NULL, 1);
    expect_culprit(&options, "providers");
}

Test(options, what_an_actor_starts_with_is_copied)
{
    char name[] = "search";
    struct admission_provider provider = admission_provider_default(name);
    provider.max_concurrent = 1;
    struct admission_options options = with_providers(&provider, 1);
    options.limits.max_concurrent = 2;
    admission_actor_t *actor = NULL;
    cr_assert(admission_actor_new(&actor, &options, NULL) == ADMISSION_OK);
    memset(name, 'x', sizeof name - 1);
    memset(&provider, 0, sizeof provider);
    memset(&options, 0, sizeof options);
    cr_assert(admission_actor_has_provider(actor, "search") == ADMISSION_OK);
    admission_client_t *client = open_client(actor);
    const uint64_t first = grant_with(client, (struct ask){.provider = "search"});
    (void)ask_with(client, (struct ask){.provider = "search"});
    (void)grant_ticket(client);
    (void)ask_ticket(client);
    expect_quiet(client);
    cr_assert(books(actor).queued == 2);
    cr_assert(admission_client_leave(client, first) == ADMISSION_OK);
    close_client(client);
    finish(actor);
}
