/* Values at the ends of their ranges are values like others; and the end of a machine. */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(ranges, .timeout = 10);

Test(ranges, what_a_change_does_not_name_is_not_looked_at)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1, .min_interval_us = -1);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    expect(&f, granted(A, 1, 0));
    end(&f);
}

Test(ranges, the_longest_names_and_the_largest_counts_are_in_range)
{
    struct fixture f = begin();
    static char longest[ADM_NAME_MAX + 1];
    for (int i = 0; i < ADM_NAME_MAX; i++) {
        longest[i] = 'n';
    }
    provider(&f, 0, longest, ADM_PROVIDER_LIMIT_ALL, .max_concurrent = UINT32_MAX - 1,
             .queue_capacity = UINT32_MAX - 1);
    admit_with(&f, 0, A, UINT64_MAX, .provider = longest, .key = longest,
               .timeout = without_end(), .attempt_timeout_us = ADM_NEVER - 1);
    admit_listener_with(&f, 0, A, 0, longest, .max = UINT32_MAX - 1);
    expect(&f, granted(A, UINT64_MAX, 0), admitted(A, 0, 0));
    end(&f);
}

Test(ranges, an_absent_name_may_be_all_zero)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    struct adm_request request = {.type = ADM_REQUEST_TICKET, .handle = A, .id = 1};
    request.of.ticket.timeout_us = ADM_NEVER;
    send_request(&f, 0, &request);
    request.id = 2;
    send_request(&f, 0, &request);
    leave(&f, 1, A, 1);
    expect(&f, granted(A, 1, 0), granted(A, 2, 1));
    end(&f);
}

Test(ranges, destroy_takes_every_handle_down_and_nulls_the_pointer)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit(&f, 0, A, 1);
    admit(&f, 0, B, 1);
    admit_listener(&f, 0, C, 1, "P");
    adm_machine_destroy(&f.machine);
    cr_assert_null(f.machine);
    adm_machine_destroy(&f.machine);
    adm_effects_deinit(&f.effects);
}
