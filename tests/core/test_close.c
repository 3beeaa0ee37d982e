/* Close (K1, K2). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(close, .timeout = 10);

Test(close, K1_refuses_the_queue_then_aborts_what_runs_then_closes_the_listeners)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 2);
    admit_listener(&f, 0, B, 7, "Q");
    admit_listener(&f, 0, A, 7, "P");
    admit(&f, 1, A, 1);
    admit(&f, 2, B, 1);
    admit(&f, 3, B, 2);
    admit(&f, 4, A, 2);
    adm_effects_clear(&f.effects);
    close_machine(&f, 10);
    expect(&f, refused(B, 2, ADM_REASON_CLOSED, 7), refused(A, 2, ADM_REASON_CLOSED, 6),
           aborted(A, 1, ADM_REASON_CLOSED, 9), aborted(B, 1, ADM_REASON_CLOSED, 8),
           closed(B, 7), closed(A, 7));
    end(&f);
}

Test(close, K1_aborts_in_the_order_of_the_starts_and_not_of_the_arrivals)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 5);
    admit_with(&f, 0, A, 1, .provider = "p"); /* arrives first, starts last */
    admit(&f, 1, A, 2);
    run_to(&f, 5);
    expect(&f, granted(A, 2, 0), granted(A, 1, 5));
    close_machine(&f, 6);
    expect(&f, aborted(A, 2, ADM_REASON_CLOSED, 5), aborted(A, 1, ADM_REASON_CLOSED, 1));
    end(&f);
}

Test(close, K1_does_not_tell_again_what_was_aborted)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    admit_with(&f, 0, A, 2, .attempt_timeout_us = 9);
    cancel(&f, 1, A, 1);
    adm_effects_clear(&f.effects);
    close_machine(&f, 2);
    run_to(&f, 20);
    expect(&f, aborted(A, 2, ADM_REASON_CLOSED, 2));
    end(&f);
}

Test(close, K1_refuses_every_admit_after_it)
{
    struct fixture f = begin();
    close_machine(&f, 0);
    admit(&f, 1, A, 1);
    admit_listener(&f, 1, A, 2, "P");
    expect(&f, drained(), refused(A, 1, ADM_REASON_CLOSED, 0),
           refused(A, 2, ADM_REASON_CLOSED, 0));
    cr_assert(adm_machine_held(f.machine, A) == 0);
    end(&f);
}

Test(close, K1_everything_else_goes_on_as_before)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    close_machine(&f, 1);
    adm_effects_clear(&f.effects);
    cancel(&f, 2, A, 1); /* told already */
    ask_live(&f, 2, A, "P");
    cooldown(&f, 2, "p", 1);
    add_provider(&f, 2, "p");
    cooldown(&f, 2, "p", 1);
    leave(&f, 3, B, 1);
    expect(&f, live(A, 0), no_provider());
    cr_assert(books(&f).running == 1 && books(&f).longest_held_us == 3);
    cr_assert(books(&f).stray_leaves == 1);
    end(&f);
}

Test(close, K1_a_second_close_is_nothing)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    close_machine(&f, 1);
    close_machine(&f, 2);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_CLOSED, 1));
    leave(&f, 3, A, 1);
    close_machine(&f, 4);
    expect(&f, drained());
    end(&f);
}

Test(close, K2_drained_comes_once_with_the_last_leave)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    admit(&f, 0, B, 1);
    close_machine(&f, 1);
    adm_effects_clear(&f.effects);
    leave(&f, 2, A, 1);
    expect_nothing(&f);
    leave(&f, 3, B, 1);
    expect(&f, drained());
    leave(&f, 4, B, 1);
    down(&f, 4, B);
    end(&f);
}

Test(close, K2_drained_comes_with_the_last_down)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    close_machine(&f, 1);
    adm_effects_clear(&f.effects);
    down(&f, 2, B);
    expect_nothing(&f);
    down(&f, 3, A);
    expect(&f, drained());
    end(&f);
}

Test(close, K2_drained_comes_at_the_close_when_nothing_runs_after_its_other_events)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit(&f, 0, A, 1);
    admit_listener(&f, 0, A, 2, "P");
    adm_effects_clear(&f.effects);
    close_machine(&f, 1);
    expect(&f, refused(A, 1, ADM_REASON_CLOSED, 1), closed(A, 2), drained());
    end(&f);
}

Test(close, K2_an_empty_machine_that_is_open_is_not_drained)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    leave(&f, 1, A, 1);
    down(&f, 2, A);
    expect(&f, granted(A, 1, 0));
    end(&f);
}
