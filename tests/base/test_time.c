/* Saturating time: rule Z1 at its edges. */
#include <criterion/criterion.h>

#include "base/time.h"

TestSuite(time, .timeout = 10);

Test(time, Z1_a_duration_is_added)
{
    cr_assert(adm_time_add(0, 0) == 0);
    cr_assert(adm_time_add(5, 0) == 5);
    cr_assert(adm_time_add(0, 5) == 5);
    cr_assert(adm_time_add(1000, 234) == 1234);
}

Test(time, Z1_the_last_sum_that_fits_is_exact)
{
    cr_assert(adm_time_add(ADM_NEVER - 1, 0) == ADM_NEVER - 1);
    cr_assert(adm_time_add(ADM_NEVER - 6, 5) == ADM_NEVER - 1);
    cr_assert(adm_time_add(5, ADM_NEVER - 6) == ADM_NEVER - 1);
    cr_assert(adm_time_add(ADM_NEVER - 5, 5) == ADM_NEVER);
}

Test(time, Z1_a_sum_that_does_not_fit_saturates)
{
    cr_assert(adm_time_add(ADM_NEVER - 5, 6) == ADM_NEVER);
    cr_assert(adm_time_add(1, ADM_NEVER) == ADM_NEVER);
    cr_assert(adm_time_add(ADM_NEVER, 1) == ADM_NEVER);
    cr_assert(adm_time_add(ADM_NEVER, ADM_NEVER) == ADM_NEVER);
    cr_assert(adm_time_add(ADM_NEVER - 1, ADM_NEVER - 1) == ADM_NEVER);
}

Test(time, earlier_and_later_choose)
{
    cr_assert(adm_time_later(3, 7) == 7);
    cr_assert(adm_time_later(7, 3) == 7);
    cr_assert(adm_time_later(7, 7) == 7);
    cr_assert(adm_time_earlier(3, ADM_NEVER) == 3);
    cr_assert(adm_time_earlier(ADM_NEVER, 3) == 3);
    cr_assert(adm_time_earlier(0, 0) == 0);
}
