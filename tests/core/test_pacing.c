/* Pacing: the gap between starts (T7). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(pacing, .timeout = 10);

Test(pacing, T7_starts_are_min_interval_apart_whenever_they_arrive)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    for (uint64_t id = 0; id < 3; id++) {
        admit(&f, (int64_t)id * 4, A, id);
    }
    run_to(&f, 30);
    expect(&f, granted(A, 0, 0), granted(A, 1, 6), granted(A, 2, 12));
    end(&f);
}

Test(pacing, T7_idle_time_earns_no_burst)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 0, A, 0);
    admit(&f, 1000, A, 1);
    admit(&f, 1000, A, 2);
    run_to(&f, 1010);
    expect(&f, granted(A, 0, 0), granted(A, 1, 0), granted(A, 2, 10));
    end(&f);
}

Test(pacing, T7_the_gap_counts_from_a_late_start)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 5);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    admit(&f, 0, A, 3);
    be_late(&f, 20); /* one starts, not three */
    expect(&f, granted(A, 1, 0), granted(A, 2, 20));
    cr_assert(due_at(&f) == 25);
    run_to(&f, 25);
    expect(&f, granted(A, 3, 25));
    end(&f);
}

Test(pacing, T7_a_provider_has_a_gap_of_its_own)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit_with(&f, 0, A, 2, .provider = "p");
    admit(&f, 1, A, 3);
    run_to(&f, 10);
    expect(&f, granted(A, 1, 0), granted(A, 3, 0), granted(A, 2, 10));
    end(&f);
}

Test(pacing, T7_starts_of_any_ticket_count_for_the_common_gap_only)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 3);
    provider(&f, 0, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .provider = "p"); /* waits for the common gap only */
    run_to(&f, 3);
    expect(&f, granted(A, 1, 0), granted(A, 2, 3));
    end(&f);
}

Test(pacing, T7_a_leave_does_not_end_the_gap)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 0, A, 1);
    leave(&f, 1, A, 1);
    admit_with(&f, 2, A, 2, .timeout = at_most(0));
    expect(&f, granted(A, 1, 0), refused(A, 2, ADM_REASON_TIMEOUT, 0));
    end(&f);
}

Test(pacing, T7_a_refused_ticket_delays_nobody)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 0, A, 1);
    admit_with(&f, 1, A, 2, .timeout = at_most(3));
    admit(&f, 2, A, 3);
    run_to(&f, 10);
    expect(&f, granted(A, 1, 0), refused(A, 2, ADM_REASON_TIMEOUT, 3), granted(A, 3, 8));
    end(&f);
}
