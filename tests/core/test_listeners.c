/* Listeners (L1 to L7). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(listeners, .timeout = 10);

Test(listeners, L1_order_numbers_run_over_all_principals)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, B, 1, "Q");
    admit_listener(&f, 0, A, 2, "R");
    expect(&f, admitted(A, 1, 0), admitted(B, 1, 1), admitted(A, 2, 2));
    end(&f);
}

Test(listeners, L1_the_oldest_is_superseded_before_the_newcomer_is_told)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, A, 1, "P", .max = 2);
    admit_listener_with(&f, 0, B, 1, "P", .max = 2);
    admit_listener_with(&f, 0, C, 1, "P", .max = 2);
    expect(&f, admitted(A, 1, 0), admitted(B, 1, 1), superseded(A, 1), admitted(C, 1, 2));
    admit_listener_with(&f, 0, C, 2, "P", .max = 2);
    expect(&f, superseded(B, 1), admitted(C, 2, 3));
    end(&f);
}

Test(listeners, L1_several_are_superseded_oldest_first_whoever_owns_them)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, C, 1, "P", .max = 9);
    admit_listener_with(&f, 0, A, 1, "P", .max = 9);
    admit_listener_with(&f, 0, B, 1, "P", .max = 9);
    admit_listener_with(&f, 0, A, 2, "P", .max = 1);
    expect(&f, admitted(C, 1, 0), admitted(A, 1, 1), admitted(B, 1, 2), superseded(C, 1),
           superseded(A, 1), superseded(B, 1), admitted(A, 2, 3));
    end(&f);
}

Test(listeners, L1_one_principal_never_supersedes_another)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, A, 2, "Q");
    admit_listener(&f, 0, A, 3, "P");
    expect(&f, admitted(A, 1, 0), admitted(A, 2, 1), superseded(A, 1), admitted(A, 3, 2));
    end(&f);
}

Test(listeners, L1_what_was_superseded_is_superseded_once)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, A, 2, "P");
    leave(&f, 1, A, 1); /* no longer live: nothing */
    admit_listener(&f, 1, A, 3, "P");
    expect(&f, admitted(A, 1, 0), superseded(A, 1), admitted(A, 2, 1), superseded(A, 2),
           admitted(A, 3, 2));
    cr_assert(books(&f).stray_leaves == 1);
    end(&f);
}

Test(listeners, L1_takes_no_slot_and_waits_for_none)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 0,
           .queue_capacity = 0);
    admit_listener(&f, 0, A, 1, "P");
    expect(&f, admitted(A, 1, 0));
    end(&f);
}

Test(listeners, L2_max_comes_with_each_admit_and_is_not_remembered)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, A, 1, "P", .max = 1);
    admit_listener_with(&f, 0, A, 2, "P", .max = 3);
    admit_listener_with(&f, 0, A, 3, "P", .max = 3);
    expect(&f, admitted(A, 1, 0), admitted(A, 2, 1), admitted(A, 3, 2));
    admit_listener_with(&f, 0, A, 4, "P", .max = 2);
    expect(&f, superseded(A, 1), superseded(A, 2), admitted(A, 4, 3));
    end(&f);
}

Test(listeners, L2_the_limit_is_the_max_of_an_admit_that_names_none)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL, .max_listens_per_principal = 2);
    for (uint64_t id = 0; id < 3; id++) {
        admit_listener(&f, 0, A, id, "P");
    }
    expect(&f, admitted(A, 0, 0), admitted(A, 1, 1), superseded(A, 0), admitted(A, 2, 2));
    end(&f);
}

Test(listeners, L3_a_burst_never_has_more_live_than_its_max)
{
    struct fixture f = begin();
    for (uint64_t id = 0; id < 1000; id++) {
        admit_listener_with(&f, 0, (uint32_t)(id % 3), id, "P", .max = 4);
        cr_assert(books(&f).listeners <= 4);
    }
    adm_effects_clear(&f.effects);
    ask_live(&f, 0, A, "P");
    expect(&f, live(A, 4), listener(996 % 3, 996, 996), listener(997 % 3, 997, 997),
           listener(998 % 3, 998, 998), listener(999 % 3, 999, 999));
    end(&f);
}

Test(listeners, L4_leave_of_one_is_silent)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    leave(&f, 1, A, 1);
    expect(&f, admitted(A, 1, 0));
    cr_assert(books(&f).listeners == 0 && books(&f).principals == 0);
    cr_assert(books(&f).listeners_left == 1 && books(&f).stray_leaves == 0);
    end(&f);
}

Test(listeners, L4_leave_of_a_principal_takes_only_what_the_handle_owns)
{
    struct fixture f = begin();
    for (uint64_t id = 0; id < 4; id++) {
        admit_listener_with(&f, 0, id % 2 == 0 ? A : B, id, "P", .max = 9);
    }
    admit_listener(&f, 0, A, 9, "Q");
    adm_effects_clear(&f.effects);
    leave_principal(&f, 1, A, "P");
    ask_live(&f, 1, C, "P");
    ask_live(&f, 1, C, "Q");
    expect(&f, live(C, 2), listener(B, 1, 1), listener(B, 3, 3), live(C, 1), listener(A, 9, 4));
    cr_assert(books(&f).listeners_left == 2);
    end(&f);
}

Test(listeners, L4_leave_of_none_does_nothing)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    expect(&f, admitted(A, 1, 0));
    leave_principal(&f, 1, B, "P");
    leave_principal(&f, 1, A, "Q");
    leave(&f, 1, B, 1);
    expect_nothing(&f);
    cr_assert(books(&f).listeners == 1 && books(&f).stray_leaves == 3);
    end(&f);
}

Test(listeners, L5_live_tells_the_oldest_first_to_whoever_asks)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, B, 7, "P", .max = 3);
    admit_listener_with(&f, 0, A, 7, "P", .max = 3);
    adm_effects_clear(&f.effects);
    ask_live(&f, 1, C, "P");
    ask_live(&f, 1, C, "Nobody");
    expect(&f, live(C, 2), listener(B, 7, 0), listener(A, 7, 1), live(C, 0));
    end(&f);
}

Test(listeners, L5_the_answer_carries_the_id_of_the_question)
{
    struct fixture f = begin();
    struct adm_request request = {.type = ADM_REQUEST_LIVE, .handle = B, .id = 41};
    request.of.principal = (struct adm_name){.bytes = "P", .length = 1};
    send_request(&f, 0, &request);
    expect(&f, (struct adm_effect){.type = ADM_EFFECT_LIVE, .handle = B, .id = 41});
    end(&f);
}

Test(listeners, L6_when_full_refuse_refuses_the_newcomer_and_uses_no_order_number)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, A, 1, "P", .max = 2, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 2, "P", .max = 2, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 3, "P", .max = 2, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 3, "P", .max = 1, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 3, "P", .max = 3, .refuse_when_full = true);
    expect(&f, admitted(A, 1, 0), admitted(A, 2, 1), refused(A, 3, ADM_REASON_OVERFLOW, 0),
           refused(A, 3, ADM_REASON_OVERFLOW, 0), admitted(A, 3, 2));
    end(&f);
}

Test(listeners, L7_max_listeners_counts_after_the_superseding)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENERS, .max_listeners = 2);
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, A, 2, "Q");
    admit_listener(&f, 0, A, 3, "R");
    admit_listener(&f, 0, A, 4, "P");
    expect(&f, admitted(A, 1, 0), admitted(A, 2, 1), refused(A, 3, ADM_REASON_OVERFLOW, 0),
           superseded(A, 1), admitted(A, 4, 2));
    end(&f);
}

Test(listeners, L7_a_refused_newcomer_supersedes_nothing)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "P");
    admit_listener(&f, 0, A, 2, "Q");
    admit_listener(&f, 0, A, 3, "R");
    adm_effects_clear(&f.effects);
    limits(&f, 1, ADM_LIMIT_MAX_LISTENERS, .max_listeners = 2);
    admit_listener(&f, 1, B, 1, "P"); /* one would go, three would be live */
    ask_live(&f, 1, B, "P");
    expect(&f, refused(B, 1, ADM_REASON_OVERFLOW, 0), live(B, 1), listener(A, 1, 0));
    end(&f);
}

Test(listeners, L7_holds_for_when_full_refuse_too)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENERS, .max_listeners = 1);
    admit_listener_with(&f, 0, A, 1, "P", .max = 5, .refuse_when_full = true);
    admit_listener_with(&f, 0, A, 2, "P", .max = 5, .refuse_when_full = true);
    expect(&f, admitted(A, 1, 0), refused(A, 2, ADM_REASON_OVERFLOW, 0));
    end(&f);
}

Test(listeners, L7_of_0_admits_no_listener)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENERS, .max_listeners = 0);
    admit_listener(&f, 0, A, 1, "P");
    expect(&f, refused(A, 1, ADM_REASON_OVERFLOW, 0));
    end(&f);
}
