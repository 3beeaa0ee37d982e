/* Broken promises: who makes a request has checked its ranges, and the machine asserts them
 * (core/request.h). A value that slipped through would corrupt the books in silence: -1 read as
 * four billion passes every limit. */
#include <criterion/criterion.h>

#include <signal.h>

#include "fixture.h"

TestSuite(promises, .timeout = 10);

Test(promises, a_negative_timeout_that_is_not_the_default_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .timeout = at_most(-5));
}

Test(promises, a_negative_attempt_timeout_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = -1);
}

Test(promises, a_negative_cooldown_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", -100);
}

Test(promises, a_listener_without_a_principal_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, "");
}

Test(promises, a_max_of_none_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, A, 1, "P", .max = UINT32_MAX);
}

Test(promises, a_provider_without_a_name_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    add_provider(&f, 0, "");
}

Test(promises, max_listens_per_principal_0_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL, .max_listens_per_principal = 0);
}

Test(promises, a_negative_interval_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MIN_INTERVAL, .min_interval_us = -1);
}

Test(promises, a_negative_admission_timeout_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_ADMISSION_TIMEOUT, .admission_timeout_us = -1);
}

Test(promises, a_negative_interval_of_a_provider_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MIN_INTERVAL, .min_interval_us = -1);
}

Test(promises, a_machine_of_limits_out_of_range_is_a_bug, .signal = SIGABRT)
{
    struct adm_limits given = adm_limits_default();
    given.min_interval_us = -1;
    const struct adm_hash_key key = {{0}};
    adm_machine_new(&given, &key);
}

Test(promises, a_handle_that_no_driver_gives_out_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    admit(&f, 0, ADM_HANDLES_MAX, 1);
}

Test(promises, a_leave_of_no_principal_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    leave_principal(&f, 0, A, "");
}

Test(promises, a_question_about_no_principal_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    ask_live(&f, 0, A, "");
}

Test(promises, a_cooldown_of_no_provider_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    cooldown(&f, 0, "", 1);
}

Test(promises, a_change_of_a_limit_that_is_not_there_is_a_bug, .signal = SIGABRT)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_ALL + 1, .max_concurrent = 1);
}
