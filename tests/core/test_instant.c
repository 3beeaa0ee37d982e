/* One instant, and when the machine wants to be stepped (I1, I2). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(instant, .timeout = 10);

Test(instant, I1_aborts_then_past_deadlines_then_starts_then_deadlines_then_the_message)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 9);
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 10);
    admit_with(&f, 0, B, 1, .provider = "p", .timeout = at_most(9));
    admit_with(&f, 0, B, 2, .provider = "p", .timeout = at_most(10));
    admit_with(&f, 0, B, 3, .provider = "p", .timeout = at_most(10));
    admit(&f, 0, A, 2);
    leave(&f, 1, A, 2); /* leaves one slot free; the queue waits for the cooldown */
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    adm_machine_step(f.machine, 10,
                     &(struct adm_request){.type = ADM_REQUEST_CANCEL, .handle = B, .id = 2},
                     &f.effects);
    expect(&f, aborted(A, 1, ADM_REASON_TIMEOUT, 10), refused(B, 1, ADM_REASON_TIMEOUT, 10),
           granted(B, 2, 10), refused(B, 3, ADM_REASON_TIMEOUT, 10),
           aborted(B, 2, ADM_REASON_CANCELLED, 0));
    end(&f);
}

Test(instant, I1_a_goes_by_deadline_then_by_start_order)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 2);
    admit_with(&f, 0, A, 1, .provider = "p", .attempt_timeout_us = 6); /* starts at 2: 8 */
    admit_with(&f, 0, A, 2, .attempt_timeout_us = 9);                  /* 9 */
    admit_with(&f, 1, A, 3, .attempt_timeout_us = 7);                  /* 8, started first */
    run_to(&f, 2);
    expect(&f, granted(A, 2, 0), granted(A, 3, 0), granted(A, 1, 2));
    be_late(&f, 20);
    expect(&f, aborted(A, 3, ADM_REASON_TIMEOUT, 19), aborted(A, 1, ADM_REASON_TIMEOUT, 18),
           aborted(A, 2, ADM_REASON_TIMEOUT, 20));
    end(&f);
}

Test(instant, I1_b_goes_by_deadline_then_by_arrival)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .timeout = at_most(9));
    admit_with(&f, 0, A, 2, .timeout = at_most(5));
    admit_with(&f, 1, A, 3, .timeout = at_most(4));
    be_late(&f, 20);
    expect(&f, refused(A, 2, ADM_REASON_TIMEOUT, 20), refused(A, 3, ADM_REASON_TIMEOUT, 19),
           refused(A, 1, ADM_REASON_TIMEOUT, 20));
    end(&f);
}

Test(instant, I1_d_goes_by_arrival)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .timeout = at_most(5));
    admit_with(&f, 1, A, 2, .timeout = at_most(4));
    admit_with(&f, 2, A, 3, .timeout = at_most(3));
    run_to(&f, 5);
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 5), refused(A, 2, ADM_REASON_TIMEOUT, 4),
           refused(A, 3, ADM_REASON_TIMEOUT, 3));
    end(&f);
}

Test(instant, I1_what_the_past_deadlines_free_counts_for_the_message)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 0,
           .queue_capacity = 1);
    admit_with(&f, 0, A, 1, .timeout = at_most(5));
    admit(&f, 5, A, 1); /* the place and the id are free again */
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 5));
    cr_assert(books(&f).queued == 1);
    end(&f);
}

Test(instant, I1_a_second_step_to_the_same_instant_tells_nothing)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 5);
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 5);
    admit_with(&f, 0, A, 2, .timeout = at_most(5));
    admit_with(&f, 0, A, 3, .timeout = at_most(5));
    run_to(&f, 5);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_TIMEOUT, 5), granted(A, 2, 5),
           refused(A, 3, ADM_REASON_TIMEOUT, 5));
    run_to(&f, 5);
    expect_nothing(&f);
    end(&f);
}

Test(instant, I2_nothing_is_due_in_an_idle_machine)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 10);
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 0, A, 1);
    admit_listener(&f, 0, A, 2, "P");
    expect(&f, granted(A, 1, 0), admitted(A, 2, 0));
    cr_assert(due_at(&f) == ADM_NEVER);
    end(&f);
}

Test(instant, I2_the_earliest_of_the_three_kinds_is_due)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 20);
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 30);
    cr_assert(due_at(&f) == 30); /* an attempt deadline */
    admit(&f, 1, A, 2);
    cr_assert(due_at(&f) == 20); /* the end of a gap */
    admit_with(&f, 2, A, 3, .timeout = at_most(5));
    cr_assert(due_at(&f) == 7); /* a queue deadline */
    adm_effects_clear(&f.effects);
    end(&f);
}

/* From a report against golang/go: the timer of a cancelled head must give way to the next. */
Test(instant, I2_a_cancelled_head_hands_the_timer_to_the_next)
{
    struct fixture f = begin();
    add_provider(&f, 0, "search");
    add_provider(&f, 0, "mail");
    cooldown(&f, 0, "search", 100000);
    cooldown(&f, 0, "mail", 200000);
    admit_with(&f, 0, A, 1, .provider = "search");
    admit_with(&f, 0, A, 2, .provider = "mail");
    cr_assert(due_at(&f) == 100000);
    cancel(&f, 50000, A, 1);
    expect(&f, refused(A, 1, ADM_REASON_CANCELLED, 50000));
    cr_assert(due_at(&f) == 200000);
    end(&f);
}

/* From a report against uwiger/jobs: a due time in the past would make the actor spin. */
Test(instant, I2_a_gap_that_ends_while_the_slots_are_full_is_not_due)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL, .max_concurrent = 1,
           .min_interval_us = 10000);
    admit(&f, 0, A, 1);
    admit(&f, 1000, A, 2);
    cr_assert(due_at(&f) == ADM_NEVER);
    run_to(&f, 10000);
    cr_assert(due_at(&f) == ADM_NEVER);
    run_to(&f, 10001);
    cr_assert(due_at(&f) == ADM_NEVER);
    leave(&f, 1000000, A, 1);
    expect(&f, granted(A, 1, 0), granted(A, 2, 999000));
    end(&f);
}

Test(instant, I2_a_ticket_behind_a_busy_key_or_provider_is_not_due)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL, .max_concurrent = 1,
             .min_interval_us = 10);
    add_provider(&f, 0, "q");
    admit_with(&f, 0, A, 1, .provider = "p", .key = "K");
    admit_with(&f, 0, A, 2, .provider = "p");
    cooldown(&f, 0, "q", 10);
    admit_with(&f, 0, A, 3, .provider = "q", .key = "K");
    expect(&f, granted(A, 1, 0));
    cr_assert(due_at(&f) == ADM_NEVER);
    leave(&f, 3, A, 1);
    cr_assert(due_at(&f) == 10);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(instant, I2_after_every_step_the_next_due_time_lies_ahead)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 3);
    for (uint64_t id = 0; id < 20; id++) {
        admit_with(&f, 0, A, id, .timeout = at_most(30), .attempt_timeout_us = 2);
    }
    int64_t now = 0;
    while (due_at(&f) != ADM_NEVER) {
        cr_assert(due_at(&f) > now);
        now = due_at(&f);
        be_late(&f, now);
    }
    cr_assert(now == 32); /* the abort of what started at its deadline */
    cr_assert(books(&f).tickets_granted == 11 && books(&f).queued == 0);
    adm_effects_clear(&f.effects);
    end(&f);
}
