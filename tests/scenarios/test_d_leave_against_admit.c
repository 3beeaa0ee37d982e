/* What a trace cannot say, D: leave against admit over real sockets (T3, T10).
 * haproxy/haproxy#3290, which counted 26 stuck of 4,000 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fixture.h"

TestSuite(leave_against_admit, .timeout = 240);

enum {
    ROUNDS = 4000
};

static void *admit_wait_and_leave(void *arg)
{
    admission_client_t *client = open_client(arg);
    const struct admission_ticket ticket = ticket_for(ADMISSION_S(20));
    unsigned seed = (unsigned)admission_client_number(client);
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t since = now_us();
        const uint64_t id = hold_with(client, &ticket);
        expect_within(since, ADMISSION_MS(100));
        sleep_until(now_us() + rand_r(&seed) % 3000);
        leave(client, id);
    }
    admission_client_destroy(&client);
    return NULL;
}

Test(leave_against_admit, T3_T10_no_admit_is_stuck_where_another_client_leaves)
{
    admission_actor_t *actor = start_actor(1, 1);
    const pthread_t other = start_thread(admit_wait_and_leave, actor);
    admit_wait_and_leave(actor);
    join_thread(other);
    check(books(actor).tickets_granted == 2 * ROUNDS);
    end_actor(&actor);
}
