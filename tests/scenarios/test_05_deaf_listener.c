/* Scenario 5: the superseded one does not read (L1, L4).
 * emqx/emqx#6030 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

TestSuite(deaf_listener, .timeout = 120);

enum {
    PRINCIPALS = 3001,
    STRAYS = 10
};

static uint64_t listen_to_number(admission_client_t *client, int number)
{
    char principal[16];
    snprintf(principal, sizeof principal, "u%d", number);
    const int64_t since = now_us();
    const uint64_t id = admit_listener(client, principal, 1, NULL);
    expect_within(since, ADMISSION_MS(50));
    return id;
}

Test(deaf_listener, L1_L4_one_that_does_not_read_holds_up_nobody_and_misses_nothing)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    uint64_t ids[PRINCIPALS];
    for (int i = 0; i < PRINCIPALS; i++) {
        ids[i] = listen_to_number(h1, i);
    }
    for (int i = 1; i < PRINCIPALS; i++) {
        listen_to_number(h2, i);
    }
    const uint64_t last = listen_to_number(h2, 0);
    const struct admission_event live = ask_live(h2, "u0");
    check(live.n_live == 1 && live.live[0].id == last);
    check(live.live[0].owner == admission_client_number(h2));

    for (int i = 1; i < PRINCIPALS; i++) {
        expect(h1, superseded(ids[i]));
    }
    expect(h1, superseded(ids[0]));
    expect_quiet(h1);

    for (int i = 0; i < STRAYS; i++) {
        leave(h1, ids[i * 300]);
    }
    expect_gauges(actor, .listeners = PRINCIPALS, .principals = PRINCIPALS);
    check(books(actor).stray_leaves == STRAYS);
    expect_quiet(h1);
    expect_quiet(h2);

    admission_client_destroy(&h1);
    admission_client_destroy(&h2);
    end_actor(&actor);
}
