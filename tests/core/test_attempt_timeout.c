/* The attempt timeout, and holders that never leave (T11, T13). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(attempt_timeout, .timeout = 10);

Test(attempt_timeout, T11_counts_from_the_start_and_not_while_queued)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, B, 1, .attempt_timeout_us = 3);
    leave(&f, 10, A, 1);
    expect(&f, granted(A, 1, 0), granted(B, 1, 10));
    run_to(&f, 12);
    expect_nothing(&f);
    run_to(&f, 13);
    expect(&f, aborted(B, 1, ADM_REASON_TIMEOUT, 3));
    end(&f);
}

Test(attempt_timeout, T11_keeps_the_slot_until_leave)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 3);
    admit(&f, 0, B, 1);
    run_to(&f, 9);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_TIMEOUT, 3));
    leave(&f, 10, A, 1);
    expect(&f, granted(B, 1, 10));
    end(&f);
}

Test(attempt_timeout, T11_of_0_is_none)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    expect(&f, granted(A, 1, 0));
    cr_assert(due_at(&f) == ADM_NEVER);
    end(&f);
}

Test(attempt_timeout, T11_is_not_told_after_a_cancel)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 10);
    cancel(&f, 4, A, 1);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_CANCELLED, 4));
    cr_assert(due_at(&f) == ADM_NEVER);
    run_to(&f, 100);
    expect_nothing(&f);
    end(&f);
}

Test(attempt_timeout, T11_a_cancel_is_not_told_after_it)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 10);
    cancel(&f, 10, A, 1); /* (a) comes before the message */
    cancel(&f, 11, A, 1);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_TIMEOUT, 10));
    end(&f);
}

Test(attempt_timeout, T11_a_leave_in_time_leaves_nothing_to_tell)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 10);
    leave(&f, 9, A, 1);
    run_to(&f, 100);
    expect(&f, granted(A, 1, 0));
    end(&f);
}

Test(attempt_timeout, T13_later_tickets_of_a_held_key_wait_under_their_own_timeouts)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .key = "K", .attempt_timeout_us = 5);
    admit_with(&f, 1, B, 1, .key = "K", .timeout = at_most(10));
    run_to(&f, 11);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_TIMEOUT, 5),
           refused(B, 1, ADM_REASON_TIMEOUT, 10));
    end(&f);
}

Test(attempt_timeout, T13_the_holder_shows_as_the_longest_held)
{
    struct fixture f = begin();
    add_provider(&f, 0, "a-provider-with-a-name-of-some-length");
    admit_with(&f, 2, B, 6, .provider = "a-provider-with-a-name-of-some-length", .key = "K",
               .attempt_timeout_us = 5);
    admit(&f, 3, A, 1);
    run_to(&f, 50);
    expect(&f, granted(B, 6, 0), granted(A, 1, 0), aborted(B, 6, ADM_REASON_TIMEOUT, 5));
    struct adm_stats stats = books(&f);
    cr_assert(stats.longest_held_us == 48);
    cr_assert(stats.longest_handle == B && stats.longest_id == 6);
    cr_assert(stats.longest_key.length == 1 && stats.longest_key.bytes[0] == 'K');
    cr_assert(stats.longest_provider.length == 37);

    leave(&f, 60, B, 6);
    stats = books(&f);
    cr_assert(stats.longest_held_us == 57);
    cr_assert(stats.longest_handle == A && stats.longest_id == 1);
    cr_assert(adm_name_is_none(stats.longest_provider));
    cr_assert(adm_name_is_none(stats.longest_key));
    end(&f);
}

Test(attempt_timeout, T13_nothing_is_held_when_nothing_runs)
{
    struct fixture f = begin();
    admit(&f, 2, A, 1);
    leave(&f, 5, A, 1);
    expect(&f, granted(A, 1, 0));
    const struct adm_stats stats = books(&f);
    cr_assert(stats.longest_held_us == 0);
    cr_assert(adm_name_is_none(stats.longest_provider));
    cr_assert(adm_name_is_none(stats.longest_key));
    cr_assert_not_null(stats.longest_provider.bytes);
    cr_assert_not_null(stats.longest_key.bytes);
    end(&f);
}
