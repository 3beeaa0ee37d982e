/* Cooldown of a provider (T8). */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(cooldown, .timeout = 10);

Test(cooldown, T8_holds_back_what_is_queued_and_what_comes)
{
    struct fixture f = begin();
    provider(&f, 0, "p", ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    admit_with(&f, 0, A, 1, .provider = "p");
    admit_with(&f, 0, A, 2, .provider = "p");
    cooldown(&f, 1, "p", 10);
    leave(&f, 2, A, 1);
    admit_with(&f, 3, A, 3, .provider = "p");
    expect(&f, granted(A, 1, 0));
    run_to(&f, 11);
    expect(&f, granted(A, 2, 11));
    end(&f);
}

Test(cooldown, T8_extends_and_never_shortens)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 10);
    cooldown(&f, 1, "p", 2);
    admit_with(&f, 2, A, 1, .provider = "p");
    cr_assert(due_at(&f) == 10);
    cooldown(&f, 3, "p", 20);
    cr_assert(due_at(&f) == 23);
    cooldown(&f, 4, "p", 0);
    cr_assert(due_at(&f) == 23);
    run_to(&f, 23);
    expect(&f, granted(A, 1, 21));
    end(&f);
}

Test(cooldown, T8_does_not_touch_what_runs_or_other_providers)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    add_provider(&f, 0, "q");
    admit_with(&f, 0, A, 1, .provider = "p");
    cooldown(&f, 1, "p", 10);
    admit_with(&f, 2, A, 2, .provider = "q");
    admit(&f, 2, A, 3);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0), granted(A, 3, 0));
    cr_assert(books(&f).running == 3);
    end(&f);
}

Test(cooldown, T8_is_kept_while_nothing_of_the_provider_runs_or_waits)
{
    struct fixture f = begin();
    add_provider(&f, 0, "p");
    cooldown(&f, 0, "p", 100);
    cr_assert(due_at(&f) == ADM_NEVER);
    admit_with(&f, 99, A, 1, .provider = "p", .timeout = at_most(0));
    admit_with(&f, 100, A, 2, .provider = "p", .timeout = at_most(0));
    expect(&f, refused(A, 1, ADM_REASON_TIMEOUT, 0), granted(A, 2, 0));
    end(&f);
}

Test(cooldown, T8_of_an_unknown_provider_is_told_to_the_caller)
{
    struct fixture f = begin();
    struct adm_request request = {.type = ADM_REQUEST_COOLDOWN, .handle = B, .id = 77};
    request.of.cooldown.provider = (struct adm_name){.bytes = "nowhere", .length = 7};
    send_request(&f, 0, &request);
    expect(&f, (struct adm_effect){.type = ADM_EFFECT_NO_PROVIDER, .handle = B, .id = 77});
    cr_assert_not(adm_machine_has_provider(f.machine, request.of.cooldown.provider));
    end(&f);
}
