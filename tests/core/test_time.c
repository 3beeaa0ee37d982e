/* Time: the rules Z1 to Z3. */
#include <criterion/criterion.h>

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

TestSuite(core_time, .timeout = 10);

/* How often anybody in this program has read a clock: these stand before those of libc. */
static int n_clock_reads;

int clock_gettime(clockid_t clock, struct timespec *at)
{
    n_clock_reads++;
    return (int)syscall(SYS_clock_gettime, clock, at);
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    n_clock_reads++;
    return (int)syscall(SYS_gettimeofday, at, zone);
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL) {
        *at = now.tv_sec;
    }
    return now.tv_sec;
}

Test(core_time, Z1_a_cooldown_that_saturates_never_ends)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 5, "p", ADM_NEVER - 1);
    admit_with(&f, 6, A, 1, .provider = "p");
    cr_assert(due_at(&f) == ADM_NEVER);
    run_to(&f, ADM_NEVER);
    expect_nothing(&f);
    end(&f);
}

Test(core_time, Z1_a_deadline_that_saturates_never_comes)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 5, A, 1, .timeout = at_most(ADM_NEVER - 5));
    admit_with(&f, 5, A, 2, .timeout = at_most(ADM_NEVER - 6)); /* the last one that does */
    run_to(&f, ADM_NEVER - 1);
    expect(&f, refused(A, 2, ADM_REASON_TIMEOUT, ADM_NEVER - 6));
    cr_assert(due_at(&f) == ADM_NEVER);
    end(&f);
}

Test(core_time, Z1_an_attempt_deadline_that_saturates_never_comes)
{
    struct fixture f = begin();
    admit_with(&f, 5, A, 1, .attempt_timeout_us = ADM_NEVER - 5);
    admit_with(&f, 5, A, 2, .attempt_timeout_us = ADM_NEVER - 6);
    run_to(&f, ADM_NEVER - 1);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0),
           aborted(A, 2, ADM_REASON_TIMEOUT, ADM_NEVER - 6));
    end(&f);
}

Test(core_time, Z1_a_gap_that_saturates_never_ends)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = ADM_NEVER - 1);
    admit(&f, 1, A, 1);
    admit(&f, 1, A, 2);
    expect(&f, granted(A, 1, 0));
    cr_assert(due_at(&f) == ADM_NEVER);
    be_late(&f, ADM_NEVER - 1);
    expect_nothing(&f);
    end(&f);
}

Test(core_time, Z1_the_time_that_never_comes_is_read_as_the_one_before_it)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    run_to(&f, ADM_NEVER);
    cr_assert(books(&f).longest_held_us == ADM_NEVER - 1);
    expect(&f, granted(A, 1, 0));
    end(&f);
}

Test(core_time, Z2_a_smaller_now_is_read_as_the_last_one)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = 10);
    admit(&f, 100, A, 1);
    admit(&f, 50, A, 2); /* arrives at 100 */
    expect(&f, granted(A, 1, 0));
    cr_assert(due_at(&f) == 110);
    be_late(&f, 109);
    be_late(&f, 0);
    be_late(&f, -7);
    expect_nothing(&f);
    run_to(&f, 110);
    expect(&f, granted(A, 2, 10));
    end(&f);
}

Test(core_time, Z2_a_deadline_counts_from_the_time_that_was_read)
{
    struct fixture f = begin();
    limits(&f, 100, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 40, A, 1, .timeout = at_most(30));
    cr_assert(due_at(&f) == 130);
    run_to(&f, 130);
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 30));
    end(&f);
}

Test(core_time, Z3_no_clock_is_read)
{
    cr_assert(time(NULL) > 0 && n_clock_reads > 0); /* a reader would be seen */
    struct fixture f = begin();
    n_clock_reads = 0;
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL, .max_concurrent = 1,
           .min_interval_us = 3);
    admit_with(&f, 0, A, 1, .key = "K", .attempt_timeout_us = 2);
    admit_with(&f, 0, A, 2, .key = "K", .timeout = at_most(5));
    admit_listener(&f, 1, A, 3, "P");
    run_to(&f, 5);
    down(&f, 6, A);
    close_machine(&f, 7);
    cr_assert(n_clock_reads == 0);
    expect(&f, granted(A, 1, 0), admitted(A, 3, 0), aborted(A, 1, ADM_REASON_TIMEOUT, 2),
           refused(A, 2, ADM_REASON_TIMEOUT, 5), drained());
    end(&f);
}
