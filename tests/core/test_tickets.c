/* Tickets: limits, eligibility, the queue and its deadlines (T1 to T6, T12). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(tickets, .timeout = 10);

Test(tickets, T1_no_more_than_max_concurrent_run)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    admit(&f, 0, A, 3);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    leave(&f, 4, A, 2);
    expect(&f, granted(A, 3, 4));
    end(&f);
}

Test(tickets, T1_no_more_of_a_provider_than_its_own_max_concurrent_run)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    add_provider(&f, 0, "q");
    admit_with(&f, 0, A, 1, .provider = "p");
    admit_with(&f, 0, A, 2, .provider = "p");
    admit_with(&f, 0, A, 3, .provider = "q");
    admit(&f, 0, A, 4);
    expect(&f, granted(A, 1, 0), granted(A, 3, 0), granted(A, 4, 0));
    end(&f);
}

Test(tickets, T1_one_of_a_key_runs_whatever_its_provider_and_its_handle)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    admit_with(&f, 0, A, 1, .key = "K");
    admit_with(&f, 0, B, 1, .key = "K", .provider = "p");
    admit_with(&f, 0, B, 2, .key = "L", .provider = "p");
    expect(&f, granted(A, 1, 0), granted(B, 2, 0));
    leave(&f, 1, A, 1);
    expect(&f, granted(B, 1, 1));
    end(&f);
}

Test(tickets, T1_a_ticket_without_a_key_is_no_twin_of_another)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    end(&f);
}

Test(tickets, T1_a_key_and_a_provider_of_one_name_are_two_things)
{
    struct fixture f = begin();
    provider(&f, 0, "x", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .key = "x");
    admit_with(&f, 0, A, 2, .provider = "x");
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    end(&f);
}

Test(tickets, T1_max_concurrent_0_is_a_pause)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit(&f, 0, A, 1);
    run_to(&f, 1000000);
    expect_nothing(&f);
    limits(&f, 1000000, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = ADM_NO_LIMIT);
    expect(&f, granted(A, 1, 1000000));
    end(&f);
}

Test(tickets, T1_max_concurrent_0_of_a_provider_pauses_only_it)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit(&f, 0, A, 2);
    expect(&f, granted(A, 2, 0));
    end(&f);
}

Test(tickets, T2_the_first_start_waits_for_no_interval)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 1000);
    provider(&f, 0, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 1000);
    admit_with(&f, 0, A, 1, .provider = "p");
    expect(&f, granted(A, 1, 0));
    end(&f);
}

Test(tickets, T2_all_conditions_must_hold_at_once)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL, .max_concurrent = 2,
           .min_interval_us = 3);
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL, .max_concurrent = 1,
             .min_interval_us = 7);
    admit_with(&f, 0, A, 1, .provider = "p", .key = "K");
    admit_with(&f, 0, A, 2, .provider = "p", .key = "K");
    cooldown(&f, 0, "p", 9);
    expect(&f, granted(A, 1, 0));
    leave(&f, 1, A, 1); /* key and slots are free; the gap, the provider's gap, the cooldown */
    run_to(&f, 8);
    expect_nothing(&f);
    run_to(&f, 9);
    expect(&f, granted(A, 2, 9));
    end(&f);
}

Test(tickets, T3_the_earliest_eligible_ticket_starts)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit(&f, 1, B, 1);
    admit(&f, 2, A, 2);
    admit(&f, 3, B, 2);
    leave(&f, 4, A, 1);
    leave(&f, 5, B, 1);
    leave(&f, 6, A, 2);
    expect(&f, granted(A, 1, 0), granted(B, 1, 3), granted(A, 2, 3), granted(B, 2, 3));
    end(&f);
}

Test(tickets, T3_a_blocked_ticket_never_blocks_another)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    provider(&f, 0, "full", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    add_provider(&f, 0, "cool");
    cooldown(&f, 0, "cool", 100);
    admit_with(&f, 0, A, 1, .provider = "full", .key = "K");
    admit(&f, 0, A, 2);
    admit_with(&f, 0, B, 1, .provider = "full"); /* blocked by its provider */
    admit_with(&f, 0, B, 2, .key = "K");         /* by its key */
    admit_with(&f, 0, B, 3, .provider = "cool"); /* by a cooldown */
    admit(&f, 0, B, 4);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    leave(&f, 1, A, 2);
    expect(&f, granted(B, 4, 1));
    end(&f);
}

Test(tickets, T3_every_ticket_that_can_start_starts_at_once)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    for (uint64_t id = 1; id <= 4; id++) {
        admit(&f, 0, A, id);
    }
    limits(&f, 5, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 3);
    expect(&f, granted(A, 1, 5), granted(A, 2, 5), granted(A, 3, 5));
    end(&f);
}

Test(tickets, T3_only_a_running_ticket_blocks_its_key)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    add_provider(&f, 0, "q");
    cooldown(&f, 0, "p", 10);
    admit_with(&f, 0, A, 1, .key = "K", .provider = "p"); /* queued behind the cooldown */
    admit_with(&f, 1, A, 2, .key = "K", .provider = "q");
    expect(&f, granted(A, 2, 0));
    run_to(&f, 10);
    expect_nothing(&f);
    leave(&f, 12, A, 2);
    expect(&f, granted(A, 1, 12));
    end(&f);
}

Test(tickets, T3_a_key_that_is_freed_goes_to_the_earliest_whose_provider_is_open)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    add_provider(&f, 0, "q");
    admit_with(&f, 0, A, 1, .key = "K");
    admit_with(&f, 1, A, 2, .key = "K", .provider = "p");
    admit_with(&f, 2, A, 3, .key = "K", .provider = "q");
    cooldown(&f, 3, "p", 10);
    leave(&f, 4, A, 1);
    expect(&f, granted(A, 1, 0), granted(A, 3, 2));
    end(&f);
}

Test(tickets, T4_a_newcomer_that_can_start_needs_no_place_in_a_full_queue)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_QUEUE_CAPACITY, .queue_capacity = 1);
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit(&f, 0, A, 2);
    expect(&f, granted(A, 2, 0));
    end(&f);
}

Test(tickets, T4_a_newcomer_never_passes_one_that_could_start)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 5);
    admit(&f, 0, A, 1);
    admit(&f, 1, A, 2);
    admit_with(&f, 5, B, 1, .timeout = at_most(0)); /* A 2 has just started */
    expect(&f, granted(A, 1, 0), granted(A, 2, 4), refused(B, 1, ADM_REASON_TIMEOUT, 0));
    end(&f);
}

Test(tickets, T5_timeout_0_starts_at_once_or_is_refused)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .timeout = at_most(0));
    admit_with(&f, 0, A, 2, .timeout = at_most(0));
    expect(&f, granted(A, 1, 0), refused(A, 2, ADM_REASON_TIMEOUT, 0));
    end(&f);
}

Test(tickets, T5_a_full_queue_refuses_overflow)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 0,
           .queue_capacity = 2);
    admit(&f, 0, A, 1);
    admit(&f, 0, B, 1);
    admit(&f, 0, A, 2);
    expect(&f, refused(A, 2, ADM_REASON_OVERFLOW, 0));
    leave(&f, 1, B, 1);
    admit(&f, 1, A, 2);
    expect_nothing(&f);
    cr_assert(books(&f).queued == 2);
    end(&f);
}

Test(tickets, T5_the_queue_of_a_provider_can_be_full_alone)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY,
             .max_concurrent = 0, .queue_capacity = 1);
    provider(&f, 0, "q", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit_with(&f, 0, A, 2, .provider = "p");
    admit_with(&f, 0, A, 3, .provider = "q");
    expect(&f, refused(A, 2, ADM_REASON_OVERFLOW, 0));
    cr_assert(books(&f).queued == 2);
    end(&f);
}

Test(tickets, T5_with_queue_capacity_0_nothing_ever_waits)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 1,
           .queue_capacity = 0);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .timeout = without_end());
    expect(&f, granted(A, 1, 0), refused(A, 2, ADM_REASON_OVERFLOW, 0));
    end(&f);
}

Test(tickets, T6_a_queued_ticket_is_refused_at_its_deadline)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit_with(&f, 2, A, 2, .timeout = at_most(5));
    run_to(&f, 6);
    expect(&f, granted(A, 1, 0));
    leave(&f, 7, A, 1); /* too late for it */
    expect(&f, refused(A, 2, ADM_REASON_TIMEOUT, 5));
    end(&f);
}

Test(tickets, T6_a_ticket_starts_at_its_deadline_by_what_opens_by_itself)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 5);
    admit(&f, 0, A, 1);
    admit_with(&f, 2, A, 2, .timeout = at_most(3));
    run_to(&f, 5);
    expect(&f, granted(A, 1, 0), granted(A, 2, 3));
    end(&f);
}

Test(tickets, T6_a_late_machine_refuses_what_is_past_its_deadline)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 3);
    admit_with(&f, 0, A, 1, .provider = "p", .timeout = at_most(5));
    admit_with(&f, 0, A, 2, .provider = "p", .timeout = at_most(6));
    be_late(&f, 6);
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 6), granted(A, 2, 6));
    end(&f);
}

Test(tickets, T6_a_ticket_that_names_no_timeout_takes_the_limit_of_its_arrival)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_ADMISSION_TIMEOUT, .max_concurrent = 0,
           .admission_timeout_us = 5);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .timeout = without_end());
    limits(&f, 1, ADM_LIMIT_ADMISSION_TIMEOUT, .admission_timeout_us = 1);
    run_to(&f, 4);
    expect_nothing(&f);
    run_to(&f, 100);
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 5));
    cr_assert(books(&f).queued == 1);
    end(&f);
}

Test(tickets, T6_an_admission_timeout_of_0_refuses_what_names_none)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_ADMISSION_TIMEOUT, .max_concurrent = 0,
           .admission_timeout_us = 0);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .timeout = at_most(1));
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 0));
    end(&f);
}

Test(tickets, T6_the_deadline_ends_with_the_start)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .timeout = at_most(5));
    leave(&f, 4, A, 1);
    run_to(&f, 100);
    expect(&f, granted(A, 1, 0), granted(A, 2, 4));
    end(&f);
}

Test(tickets, T12_an_unknown_provider_is_refused_before_anything_is_queued)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .provider = "p");
    expect(&f, refused(A, 1, ADM_REASON_UNKNOWN_PROVIDER, 0));
    cr_assert(books(&f).queued == 0);
    add_provider(&f, 0, "p");
    admit_with(&f, 0, A, 1, .provider = "p");
    expect_nothing(&f);
    cr_assert(books(&f).queued == 1);
    end(&f);
}
