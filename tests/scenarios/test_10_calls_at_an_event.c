/* Scenario 10: no user code on the actor's thread. There are no callbacks: what happens is an
 * event, and at the place where it is read every call is allowed.
 * dotnet/runtime#85523, dotnet/runtime#90285 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(calls_at_an_event, .timeout = 60);

static void admit_leave_and_ask(admission_client_t *client)
{
    int64_t since = now_us();
    const uint64_t id = hold(client);
    expect_within(since, ADMISSION_MS(100));
    since = now_us();
    leave(client, id);
    expect_within(since, ADMISSION_MS(100));
    since = now_us();
    ask_live(client, "ann");
    expect_within(since, ADMISSION_MS(100));
}

static void *call_when_superseded(void *arg)
{
    admission_client_t *h1 = arg;
    check_ok(admission_client_adopt(h1));
    check(read_event(h1).type == ADMISSION_EVENT_SUPERSEDED);
    admit_leave_and_ask(h1);
    expect_quiet(h1);
    admission_client_destroy(&h1);
    return NULL;
}

Test(calls_at_an_event, L1_one_that_reads_superseded_can_admit_leave_and_ask)
{
    admission_actor_t *actor = start_actor(4, 4);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    admit_listener(h1, "ann", 1, NULL);
    const pthread_t thread = start_thread(call_when_superseded, h1);
    admit_listener(h2, "ann", 1, NULL);
    join_thread(thread);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(calls_at_an_event, T11_one_that_reads_abort_can_admit_leave_and_ask)
{
    admission_actor_t *actor = start_actor(4, 4);
    admission_client_t *h1 = open_client(actor);
    struct admission_ticket ticket = admission_ticket_default();
    ticket.attempt_timeout_us = ADMISSION_MS(10);
    const uint64_t a = hold_with(h1, &ticket);
    expect(h1, aborted(a, ADMISSION_REASON_TIMEOUT));
    admit_leave_and_ask(h1);
    expect_quiet(h1);
    leave(h1, a);
    admission_client_destroy(&h1);
    end_actor(&actor);
}
