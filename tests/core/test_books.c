/* The books: gauges, counters and the histogram of waits (core/stats.h). */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>

#include "fixture.h"

TestSuite(books, .timeout = 10);

Test(books, count_every_refusal_by_its_reason)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_QUEUE_CAPACITY, .max_concurrent = 0,
           .queue_capacity = 2);
    admit_with(&f, 0, A, 1, .timeout = at_most(4)); /* times out */
    admit(&f, 0, A, 2);                             /* is cancelled */
    admit(&f, 0, A, 3);                             /* overflows */
    admit_with(&f, 0, A, 4, .provider = "nowhere");
    admit(&f, 0, A, 1); /* a duplicate */
    admit_with(&f, 0, A, 5, .timeout = at_most(0));
    cancel(&f, 1, A, 2);
    admit(&f, 5, A, 6); /* is queued at the close */
    close_machine(&f, 6);
    admit(&f, 7, A, 7);
    const struct adm_stats stats = books(&f);
    cr_assert(stats.tickets_refused[ADM_REASON_NONE] == 0);
    cr_assert(stats.tickets_refused[ADM_REASON_OVERFLOW] == 1);
    cr_assert(stats.tickets_refused[ADM_REASON_TIMEOUT] == 2);
    cr_assert(stats.tickets_refused[ADM_REASON_CANCELLED] == 1);
    cr_assert(stats.tickets_refused[ADM_REASON_CLOSED] == 2);
    cr_assert(stats.tickets_refused[ADM_REASON_UNKNOWN_PROVIDER] == 1);
    cr_assert(stats.tickets_refused[ADM_REASON_DUPLICATE] == 1);
    cr_assert(stats.tickets_granted == 0 && stats.tickets_withdrawn == 0);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(books, count_every_abort_by_its_cause)
{
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .attempt_timeout_us = 1);
    admit(&f, 0, A, 2);
    admit(&f, 0, A, 3);
    admit(&f, 0, A, 4);
    cancel(&f, 2, A, 2);
    cancel(&f, 2, A, 2);
    close_machine(&f, 3);
    leave(&f, 4, A, 1);
    const struct adm_stats stats = books(&f);
    cr_assert(stats.tickets_aborted[ADM_REASON_TIMEOUT] == 1);
    cr_assert(stats.tickets_aborted[ADM_REASON_CANCELLED] == 1);
    cr_assert(stats.tickets_aborted[ADM_REASON_CLOSED] == 2);
    cr_assert(stats.tickets_granted == 4 && stats.tickets_left == 1 && stats.running == 3);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(books, count_what_becomes_of_listeners)
{
    struct fixture f = begin();
    admit_listener_with(&f, 0, A, 1, "P", .max = 3);
    admit_listener_with(&f, 0, A, 2, "P", .max = 3);
    admit_listener_with(&f, 0, B, 3, "P", .max = 3);
    admit_listener_with(&f, 0, B, 4, "P", .max = 3);                           /* supersedes */
    admit_listener_with(&f, 0, B, 5, "P", .max = 1, .refuse_when_full = true); /* overflows */
    admit_listener(&f, 0, C, 6, "Q");
    cr_assert(books(&f).listeners == 4 && books(&f).principals == 2);
    leave(&f, 1, A, 2);
    down(&f, 1, B);
    cr_assert(books(&f).listeners == 1 && books(&f).principals == 1);
    close_machine(&f, 2);
    const struct adm_stats stats = books(&f);
    cr_assert(stats.listeners == 0 && stats.principals == 0);
    cr_assert(stats.listeners_admitted == 5 && stats.listeners_superseded == 1);
    cr_assert(stats.listeners_left == 3 && stats.listeners_closed == 1);
    cr_assert(stats.listeners_refused[ADM_REASON_OVERFLOW] == 1);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(books, sort_waits_into_powers_of_two)
{
    static const int64_t waits[] = {0, 1, 2, 3, 4, 7, 8, 1023, 1024, ADM_NEVER - 1};
    static const int classes[] = {0, 1, 2, 2, 3, 3, 4, 10, 11, 63};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        struct fixture f = begin();
        limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
        if (waits[i] == 0) {
            limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
        }
        admit(&f, 0, A, 1);
        limits(&f, waits[i], ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
        expect(&f, granted(A, 1, waits[i]));
        const struct adm_stats stats = books(&f);
        for (int class = 0; class < ADM_N_WAITS; class ++) {
            cr_assert(stats.waits[class] == (class == classes[i] ? 1u : 0u),
                      "a wait of %" PRId64 " us in class %d", waits[i], class);
        }
        end(&f);
    }
}

Test(books, tell_what_each_handle_holds)
{
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    cr_assert(adm_machine_held(f.machine, A) == 0);
    admit(&f, 0, A, 1);
    admit(&f, 0, A, 2);
    admit(&f, 0, B, 1);
    admit_listener(&f, 0, A, 3, "P");
    admit(&f, 0, A, 1); /* a duplicate holds nothing */
    cr_assert(adm_machine_held(f.machine, A) == 3);
    cr_assert(adm_machine_held(f.machine, B) == 1);
    cr_assert(adm_machine_held(f.machine, 1000) == 0);
    admit_listener(&f, 0, B, 3, "P"); /* supersedes A's */
    cancel(&f, 0, A, 1);              /* keeps its slot */
    cr_assert(adm_machine_held(f.machine, A) == 2);
    cr_assert(adm_machine_held(f.machine, B) == 2);
    leave(&f, 1, A, 1);
    cancel(&f, 1, B, 1);
    cr_assert(adm_machine_held(f.machine, A) == 1);
    cr_assert(adm_machine_held(f.machine, B) == 1);
    adm_effects_clear(&f.effects);
    end(&f);
}

Test(books, forget_principals_and_keys_that_are_gone)
{
    struct fixture f = begin();
    size_t bytes_then = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "seen-once-%" PRIu64, i);
        admit_listener(&f, (int64_t)i, A, 2 * i, name);
        admit_with(&f, (int64_t)i, A, 2 * i + 1, .key = name);
        leave(&f, (int64_t)i, A, 2 * i);
        leave(&f, (int64_t)i, A, 2 * i + 1);
        adm_effects_clear(&f.effects);
        bytes_then = i == 1000 ? adm_machine_bytes(f.machine) : bytes_then;
    }
    cr_assert(adm_machine_bytes(f.machine) == bytes_then);
    end(&f);
}
