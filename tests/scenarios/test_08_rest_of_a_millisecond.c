/* Scenario 8: waiting for the rest of a millisecond (T7).
 * tokio-rs/mio#1614, ceph/ceph#60265, smol-rs/smol#109 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(rest_of_a_millisecond, .timeout = 120);

enum {
    TICKETS = 200,
    CORKED = 64 /* what one message holds, so what arrives in one instant */
};

static const int64_t INTERVAL_US = ADMISSION_MS(20);

static admission_actor_t *start_paced_actor(void)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 1000;
    options.limits.min_interval_us = INTERVAL_US;
    return start_actor_with(&options);
}

static void post_all(admission_client_t *client, uint64_t ids[TICKETS])
{
    admission_client_cork(client);
    for (int i = 0; i < TICKETS; i++) {
        ids[i] = post(client);
    }
    admission_client_uncork(client);
}

/* Of two that arrived together, the waits differ as their starts do, by the actor's clock. */
static void read_all(admission_client_t *client, const uint64_t ids[TICKETS])
{
    int64_t waited_us = 0;
    for (int i = 0; i < TICKETS; i++) {
        const struct admission_event event = read_event(client);
        check(event.type == ADMISSION_EVENT_GRANTED && event.id == ids[i]);
        check(i % CORKED == 0 || event.waited_us - waited_us >= INTERVAL_US);
        waited_us = event.waited_us;
    }
}

Test(rest_of_a_millisecond, T7_two_hundred_paced_starts_neither_come_early_nor_spin)
{
    admission_actor_t *actor = start_paced_actor();
    admission_client_t *h1 = open_client(actor);
    uint64_t ids[TICKETS];
    const int64_t begun_at = now_us();
    const uint64_t wakeups = books(actor).wakeups;
    const int64_t cpu_us = actor_cpu_us(actor);
    post_all(h1, ids);
    read_all(h1, ids);
    check(now_us() - begun_at >= (TICKETS - 1) * INTERVAL_US);
    check(books(actor).wakeups - wakeups < 3 * TICKETS);
    check(actor_cpu_us(actor) - cpu_us < ADMISSION_MS(100));
    admission_client_destroy(&h1);
    end_actor(&actor);
}
