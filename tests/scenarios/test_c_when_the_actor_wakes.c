/* What a trace cannot say, C: when the actor wakes (I2, T7, T8).
 * golang/go#37852, uwiger/jobs#28 */
#include <criterion/criterion.h>

#include "fixture.h"
#include "seam.h"

TestSuite(when_the_actor_wakes, .timeout = 60);

Test(when_the_actor_wakes, I2_T8_a_cancelled_waiter_no_longer_wakes_the_actor)
{
    struct adm_limits limits = adm_limits_default();
    limits.max_concurrent = 1;
    limits.queue_capacity = 4;
    struct seam seam;
    seam_begin(&seam, &limits);
    seam_add_provider(&seam, "search");
    seam_add_provider(&seam, "mail");
    seam_cooldown(&seam, "search", ADMISSION_MS(100));
    seam_cooldown(&seam, "mail", ADMISSION_MS(200));
    seam_admit(&seam, 0, 1, "search", ADM_NEVER);
    seam_admit(&seam, 0, 2, "mail", ADM_NEVER);
    check(seam.due_at == ADMISSION_MS(100));

    seam_cancel(&seam, ADMISSION_MS(50), 1);
    seam_expect(&seam, ADM_EVENT_REFUSED, 1, 0);
    check(seam.due_at == ADMISSION_MS(200));

    seam_run_to(&seam, ADMISSION_MS(200));
    seam_expect(&seam, ADM_EVENT_GRANTED, 2, 0);
    check(seam.due_at == ADM_NEVER);
    seam_end(&seam);
}

Test(when_the_actor_wakes, I2_T7_nothing_is_due_where_only_a_leave_can_help)
{
    struct adm_limits limits = adm_limits_default();
    limits.max_concurrent = 1;
    limits.queue_capacity = 4;
    limits.min_interval_us = ADMISSION_MS(10);
    struct seam seam;
    seam_begin(&seam, &limits);
    seam_admit(&seam, 0, 1, NULL, ADM_NEVER);
    seam_expect(&seam, ADM_EVENT_GRANTED, 1, 0);
    seam_admit(&seam, ADMISSION_MS(1), 2, NULL, ADM_NEVER);
    check(seam.due_at == ADM_NEVER);
    seam_run_to(&seam, ADMISSION_MS(10));
    check(seam.due_at == ADM_NEVER);
    seam_run_to(&seam, ADMISSION_MS(500));
    check(seam.due_at == ADM_NEVER);

    seam_leave(&seam, ADMISSION_MS(1000), 1);
    seam_expect(&seam, ADM_EVENT_GRANTED, 2, 0);
    seam_end(&seam);
}

Test(when_the_actor_wakes, T7_a_real_actor_sleeps_until_the_leave)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 1;
    options.limits.queue_capacity = 4;
    options.limits.min_interval_us = ADMISSION_MS(10);
    admission_actor_t *actor = start_actor_with(&options);
    admission_client_t *client = open_client(actor);
    const uint64_t one = hold(client);
    const uint64_t two = post(client);
    sleep_until(now_us() + ADMISSION_MS(10));
    const uint64_t wakeups = books(actor).wakeups;
    const int64_t cpu_us = actor_cpu_us(actor);
    sleep_until(now_us() + ADMISSION_MS(990));
    check(actor_cpu_us(actor) - cpu_us < ADMISSION_MS(20));
    check(books(actor).wakeups - wakeups <= 1); /* for the question itself */

    leave(client, one);
    expect(client, granted(two));
    leave(client, two);
    admission_client_destroy(&client);
    end_actor(&actor);
}
