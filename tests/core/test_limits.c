/* Changing limits on the live machine (R1). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(limits, .timeout = 10);

Test(limits, R1_a_lower_max_concurrent_takes_no_slot_away)
{
    struct fixture f = begin();
    for (uint64_t id = 1; id <= 3; id++) {
        admit(&f, 0, A, id);
    }
    adm_effects_clear(&f.effects);
    limits(&f, 1, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    admit(&f, 1, B, 1);
    expect_nothing(&f);
    leave(&f, 2, A, 1); /* 2 run: not below 2 */
    expect_nothing(&f);
    leave(&f, 3, A, 2);
    expect(&f, granted(B, 1, 2));
    end(&f);
}

Test(limits, R1_a_lower_queue_capacity_throws_nobody_out)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    limits(&f, 1, ADM_LIMIT_QUEUE_CAPACITY, .queue_capacity = 1);
    admit(&f, 1, A, 3);
    expect(&f, refused(A, 3, ADM_REASON_OVERFLOW, 0));
    limits(&f, 2, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 9);
    expect(&f, granted(A, 1, 2), granted(A, 2, 2));
    end(&f);
}

Test(limits, R1_lower_limits_of_listeners_take_none_away)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL, .max_listens_per_principal = 3);
    for (uint64_t id = 1; id <= 3; id++) {
        admit_listener(&f, 0, A, id, "P");
    }
    adm_effects_clear(&f.effects);
    limits(&f, 1, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL | ADM_LIMIT_MAX_LISTENERS,
           .max_listens_per_principal = 1, .max_listeners = 1);
    ask_live(&f, 1, B, "P");
    expect(&f, live(B, 3), listener(A, 1, 0), listener(A, 2, 1), listener(A, 3, 2));
    admit_listener(&f, 2, A, 4, "P");
    expect(&f, superseded(A, 1), superseded(A, 2), superseded(A, 3), admitted(A, 4, 3));
    end(&f);
}

Test(limits, R1_a_raised_limit_lets_tickets_start_at_once)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit_with(&f, 0, A, 2, .provider = "p");
    admit_with(&f, 0, A, 3, .provider = "p");
    provider(&f, 5, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    expect(&f, granted(A, 1, 0), granted(A, 2, 5));
    provider(&f, 6, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = ADM_NO_LIMIT);
    expect(&f, granted(A, 3, 6));
    end(&f);
}

Test(limits, R1_only_what_is_named_changes)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    limits(&f, 0, ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 9, .queue_capacity = 1);
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    provider(&f, 0, "p", ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 9, .queue_capacity = 0);
    provider(&f, 0, "p", 0, .max_concurrent = 9, .queue_capacity = 9);
    admit_with(&f, 0, A, 1, .provider = "p"); /* its provider is paused and has no queue */
    admit(&f, 0, A, 2);
    admit(&f, 0, A, 3);
    admit(&f, 0, A, 4);
    expect(&f, refused(A, 1, ADM_REASON_OVERFLOW, 0), granted(A, 2, 0),
           refused(A, 4, ADM_REASON_OVERFLOW, 0));
    end(&f);
}

Test(limits, R1_a_changed_min_interval_counts_from_the_last_start)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    limits(&f, 5, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 6, A, 2);
    expect(&f, granted(A, 1, 0));
    cr_assert(due_at(&f) == 10);
    limits(&f, 7, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 8);
    cr_assert(due_at(&f) == 8);
    limits(&f, 7, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 7);
    expect(&f, granted(A, 2, 1));
    end(&f);
}

Test(limits, R1_a_changed_min_interval_of_a_provider_counts_from_its_last_start)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    admit_with(&f, 0, A, 1, .provider = "p");
    admit(&f, 3, A, 2);
    provider(&f, 5, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit_with(&f, 6, A, 3, .provider = "p");
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    cr_assert(due_at(&f) == 10);
    provider(&f, 7, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 0);
    expect(&f, granted(A, 3, 1));
    end(&f);
}

Test(limits, R1_a_provider_can_be_added_with_defaults)
{
    struct fixture f = begin();
    const struct adm_name p = {.bytes = "p", .length = 1};
    cr_assert_not(adm_machine_has_provider(f.machine, p));
    add_provider(&f, 0, "p");
    cr_assert(adm_machine_has_provider(f.machine, p));
    for (uint64_t id = 0; id < 100; id++) {
        admit_with(&f, 0, A, id, .provider = "p");
    }
    cr_assert(books(&f).running == 100);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(limits, R1_a_new_machine_takes_the_limits_it_is_given)
{
    struct adm_limits given = adm_limits_default();
    given.max_concurrent = 1;
    given.queue_capacity = 0;
    const struct adm_hash_key key = {{0}};
    struct fixture f = {.machine = adm_machine_new(&given, &key)};
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    expect(&f, granted(A, 1, 0), refused(A, 2, ADM_REASON_OVERFLOW, 0));
    end(&f);
}
