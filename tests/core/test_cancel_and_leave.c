/* Cancel and leave of tickets (T9, T10). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(cancel_and_leave, .timeout = 10);

static struct fixture begin_with_one_slot(void)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    expect(&f, granted(A, 1, 0));
    return f;
}

Test(cancel_and_leave, T9_cancel_of_a_queued_ticket_refuses_it)
{
    struct fixture f = begin_with_one_slot();
    admit(&f, 1, A, 2);
    cancel(&f, 4, A, 2);
    expect(&f, refused(A, 2, ADM_REASON_CANCELLED, 3));
    cr_assert(books(&f).queued == 0);
    leave(&f, 5, A, 1);
    end(&f);
}

Test(cancel_and_leave, T9_cancel_of_a_running_ticket_aborts_it_once_and_keeps_its_slot)
{
    struct fixture f = begin_with_one_slot();
    cancel(&f, 3, A, 1);
    cancel(&f, 4, A, 1);
    expect(&f, aborted(A, 1, ADM_REASON_CANCELLED, 3));
    admit_with(&f, 5, A, 2, .timeout = at_most(0));
    expect(&f, refused(A, 2, ADM_REASON_TIMEOUT, 0));
    leave(&f, 6, A, 1);
    admit_with(&f, 7, A, 2, .timeout = at_most(0));
    expect(&f, granted(A, 2, 0));
    end(&f);
}

Test(cancel_and_leave, T9_cancel_of_anything_else_does_nothing)
{
    struct fixture f = begin_with_one_slot();
    admit_listener(&f, 0, A, 7, "P");
    admit(&f, 0, B, 2);
    expect(&f, admitted(A, 7, 0));
    cancel(&f, 1, A, 7); /* a listener */
    cancel(&f, 1, A, 2); /* B's */
    cancel(&f, 1, A, 9); /* never seen */
    cancel(&f, 1, C, 1);
    expect_nothing(&f);
    cr_assert(books(&f).queued == 1 && books(&f).listeners == 1 && books(&f).stray_leaves == 0);
    end(&f);
}

Test(cancel_and_leave, T9_a_cancelled_waiter_lets_nobody_start)
{
    struct fixture f = begin_with_one_slot();
    admit(&f, 1, A, 2);
    admit(&f, 2, B, 2);
    cancel(&f, 3, A, 2);
    expect(&f, refused(A, 2, ADM_REASON_CANCELLED, 2));
    leave(&f, 4, A, 1);
    expect(&f, granted(B, 2, 2));
    end(&f);
}

Test(cancel_and_leave, T10_leave_frees_slot_provider_slot_and_key)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .provider = "p", .key = "K");
    admit_with(&f, 0, B, 1, .provider = "p", .key = "K");
    leave(&f, 5, A, 1);
    expect(&f, granted(A, 1, 0), granted(B, 1, 5));
    end(&f);
}

Test(cancel_and_leave, T10_a_second_leave_frees_nothing)
{
    struct fixture f = begin_with_one_slot();
    admit(&f, 0, B, 2);
    admit(&f, 0, C, 3);
    leave(&f, 1, A, 1);
    leave(&f, 1, A, 1);
    expect(&f, granted(B, 2, 1));
    cr_assert(books(&f).running == 1);
    cr_assert(books(&f).stray_leaves == 1);
    end(&f);
}

Test(cancel_and_leave, T10_leave_of_what_never_ran_frees_nothing)
{
    struct fixture f = begin_with_one_slot();
    admit_with(&f, 0, B, 1, .timeout = at_most(0));
    expect(&f, refused(B, 1, ADM_REASON_TIMEOUT, 0));
    leave(&f, 1, B, 1);
    leave(&f, 1, C, 1);
    cr_assert(books(&f).running == 1);
    cr_assert(books(&f).stray_leaves == 2);
    end(&f);
}

Test(cancel_and_leave, T10_leave_of_a_queued_ticket_is_silent)
{
    struct fixture f = begin_with_one_slot();
    admit_with(&f, 0, A, 2, .timeout = at_most(10));
    leave(&f, 1, A, 2);
    expect_nothing(&f);
    cr_assert(books(&f).queued == 0);
    cr_assert(books(&f).tickets_withdrawn == 1);
    cr_assert(due_at(&f) == ADM_NEVER);
    end(&f);
}

Test(cancel_and_leave, T10_a_refused_twin_frees_no_key_by_its_leave)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_QUEUE_CAPACITY, .queue_capacity = 0);
    admit_with(&f, 0, A, 1, .key = "K");
    admit_with(&f, 0, B, 1, .key = "K");
    leave(&f, 1, B, 1);
    admit_with(&f, 1, B, 2, .key = "K");
    expect(&f, granted(A, 1, 0), refused(B, 1, ADM_REASON_OVERFLOW, 0),
           refused(B, 2, ADM_REASON_OVERFLOW, 0));
    end(&f);
}

Test(cancel_and_leave, T10_two_leaves_start_two_waiters)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    for (uint64_t id = 1; id <= 4; id++) {
        admit(&f, 0, A, id);
    }
    leave(&f, 3, A, 2);
    leave(&f, 3, A, 1);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0), granted(A, 3, 3), granted(A, 4, 3));
    end(&f);
}
