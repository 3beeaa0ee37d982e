/* Handles and ids (H1, H2). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(handles, .timeout = 10);

Test(handles, H1_down_frees_everything_before_anything_starts)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .key = "K");
    admit(&f, 0, A, 2); /* must not start when its own handle goes */
    admit_with(&f, 0, B, 1, .key = "K");
    admit_listener(&f, 0, A, 3, "P");
    expect(&f, granted(A, 1, 0), admitted(A, 3, 0));
    cr_assert(adm_machine_held(f.machine, A) == 3);
    down(&f, 5, A);
    expect(&f, granted(B, 1, 5));
    cr_assert(adm_machine_held(f.machine, A) == 0);
    const struct adm_stats stats = books(&f);
    cr_assert(stats.running == 1 && stats.queued == 0 && stats.listeners == 0);
    cr_assert(stats.tickets_left == 1 && stats.tickets_withdrawn == 1);
    cr_assert(stats.listeners_left == 1 && stats.stray_leaves == 0);
    end(&f);
}

Test(handles, H1_down_touches_nothing_of_other_handles)
{
    struct fixture f = begin();
    admit(&f, 0, B, 1);
    admit_listener_with(&f, 0, B, 2, "P", .max = 2);
    admit_listener_with(&f, 0, A, 2, "P", .max = 2);
    adm_effects_clear(&f.effects);
    down(&f, 1, A);
    down(&f, 1, C);
    ask_live(&f, 1, B, "P");
    expect(&f, live(B, 1), listener(B, 2, 0));
    cr_assert(books(&f).running == 1);
    end(&f);
}

Test(handles, H1_a_handle_that_is_down_gets_no_events)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 5);
    admit_with(&f, 0, A, 2, .timeout = at_most(5));
    admit_listener(&f, 0, A, 3, "P");
    adm_effects_clear(&f.effects);
    down(&f, 1, A);
    cr_assert(due_at(&f) == ADM_NEVER);
    admit_listener(&f, 2, B, 1, "P");
    run_to(&f, 10);
    close_machine(&f, 10);
    expect(&f, admitted(B, 1, 1), closed(B, 1), drained());
    end(&f);
}

Test(handles, H1_a_number_given_out_again_is_a_new_handle)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 5);
    admit_listener(&f, 0, A, 2, "P");
    down(&f, 1, A);
    adm_effects_clear(&f.effects);
    admit(&f, 2, A, 1);
    admit_listener(&f, 2, A, 2, "P");
    run_to(&f, 10);
    expect(&f, granted(A, 1, 0), admitted(A, 2, 1));
    cr_assert(adm_machine_held(f.machine, A) == 2);
    end(&f);
}

Test(handles, H2_an_id_that_is_queued_running_or_live_is_a_duplicate)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    admit_listener(&f, 0, A, 3, "P");
    expect(&f, granted(A, 1, 0), admitted(A, 3, 0));
    for (uint64_t id = 1; id <= 3; id++) {
        admit(&f, 1, A, id);
        admit_listener(&f, 1, A, id, "P");
        expect(&f, refused(A, id, ADM_REASON_DUPLICATE, 0),
               refused(A, id, ADM_REASON_DUPLICATE, 0));
    }
    const struct adm_stats stats = books(&f);
    cr_assert(stats.running == 1 && stats.queued == 1 && stats.listeners == 1);
    cr_assert(stats.tickets_refused[ADM_REASON_DUPLICATE] == 3);
    cr_assert(stats.listeners_refused[ADM_REASON_DUPLICATE] == 3);
    end(&f);
}

Test(handles, H2_an_aborted_ticket_still_has_its_id)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    cancel(&f, 1, A, 1);
    admit(&f, 2, A, 1);
    expect(&f, granted(A, 1, 0), aborted(A, 1, ADM_REASON_CANCELLED, 1),
           refused(A, 1, ADM_REASON_DUPLICATE, 0));
    end(&f);
}

Test(handles, H2_an_id_belongs_to_its_handle)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    admit(&f, 0, B, 1);
    leave(&f, 1, B, 1);
    admit(&f, 1, A, 1);
    expect(&f, granted(A, 1, 0), granted(B, 1, 0), refused(A, 1, ADM_REASON_DUPLICATE, 0));
    end(&f);
}

Test(handles, H2_ids_are_64_bits_wide)
{
    struct fixture f = begin();
    const uint64_t far = UINT64_C(1) << 32;
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 1 + far);
    admit(&f, 0, A, UINT64_MAX);
    expect(&f, granted(A, 1, 0), granted(A, 1 + far, 0), granted(A, UINT64_MAX, 0));
    leave(&f, 1, A, 1 + far);
    admit(&f, 1, A, 1);
    expect(&f, refused(A, 1, ADM_REASON_DUPLICATE, 0));
    end(&f);
}

Test(handles, H2_an_id_that_is_gone_may_be_used_again)
{
    struct fixture f = begin();
    admit(&f, 0, A, 1);
    leave(&f, 1, A, 1);
    admit_listener(&f, 1, A, 1, "P");
    admit_listener(&f, 1, B, 1, "P"); /* supersedes it */
    admit(&f, 1, A, 1);
    expect(&f, granted(A, 1, 0), admitted(A, 1, 0), superseded(A, 1), admitted(B, 1, 1),
           granted(A, 1, 0));
    end(&f);
}

Test(handles, H2_a_duplicate_that_would_have_superseded_its_twin_is_refused)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, A, 1, "P");
    expect(&f, admitted(A, 1, 0), refused(A, 1, ADM_REASON_DUPLICATE, 0));
    end(&f);
}

Test(handles, H2_the_first_of_several_causes_counts)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 1,
           .queue_capacity = 0);
    admit(&f, 0, A, 1);
    expect(&f, granted(A, 1, 0));
    admit(&f, 0, A, 2);
    admit_with(&f, 0, A, 2, .timeout = at_most(0));
    admit_with(&f, 0, A, 2, .timeout = at_most(0), .provider = "nowhere");
    admit_with(&f, 0, A, 1, .timeout = at_most(0), .provider = "nowhere");
    expect(&f, refused(A, 2, ADM_REASON_OVERFLOW, 0), refused(A, 2, ADM_REASON_TIMEOUT, 0),
           refused(A, 2, ADM_REASON_UNKNOWN_PROVIDER, 0),
           refused(A, 1, ADM_REASON_DUPLICATE, 0));
    close_machine(&f, 1);
    admit_with(&f, 1, A, 1, .timeout = at_most(0), .provider = "nowhere");
    expect(&f, aborted(A, 1, ADM_REASON_CLOSED, 1), refused(A, 1, ADM_REASON_CLOSED, 0));
    end(&f);
}

Test(handles, H2_the_first_of_several_causes_counts_for_listeners)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener_with(&f, 0, A, 2, "P", .max = 1, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 1, "P", .max = 1, .refuse_when_full = true);
    expect(&f, admitted(A, 1, 0), refused(A, 2, ADM_REASON_OVERFLOW, 0),
           refused(A, 1, ADM_REASON_DUPLICATE, 0));
    admit(&f, 0, A, 3);
    close_machine(&f, 1);
    admit_listener(&f, 1, A, 3, "P");
    expect(&f, granted(A, 3, 0), aborted(A, 3, ADM_REASON_CLOSED, 1), closed(A, 1),
           refused(A, 3, ADM_REASON_CLOSED, 0));
    end(&f);
}
