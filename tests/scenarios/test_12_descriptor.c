/* Scenario 12: waiting on the handle's file descriptor (L1).
 * zeromq/libzmq#1434, AliceO2Group/AliceO2#4804 */
#include <criterion/criterion.h>

#include <poll.h>

#include "fixture.h"

TestSuite(descriptor, .timeout = 60);

static bool is_readable(admission_client_t *client, int timeout_ms)
{
    struct pollfd fd = {.events = POLLIN};
    check_ok(admission_client_fd(client, &fd.fd));
    const int n = poll(&fd, 1, timeout_ms);
    check(n >= 0);
    return n == 1 && (fd.revents & POLLIN) != 0;
}

static void *supersede_both(void *arg)
{
    admission_client_t *h2 = arg;
    check_ok(admission_client_adopt(h2));
    sleep_until(now_us() + ADMISSION_MS(20)); /* so that h1 is in poll() by then, mostly */
    admit_listener(h2, "ann", 2, NULL);
    admit_listener(h2, "ann", 2, NULL);
    admission_client_destroy(&h2);
    return NULL;
}

Test(descriptor, L1_it_is_readable_as_long_as_there_is_an_event)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *h1 = open_client(actor);
    const uint64_t s1 = admit_listener(h1, "ann", 2, NULL);
    const uint64_t s2 = admit_listener(h1, "ann", 2, NULL);
    check(!is_readable(h1, 0));
    const pthread_t thread = start_thread(supersede_both, open_client(actor));

    check(is_readable(h1, 10000));
    expect(h1, superseded(s1));
    join_thread(thread);
    check(is_readable(h1, 200));
    check(is_readable(h1, 200));
    expect(h1, superseded(s2));
    check(!is_readable(h1, 50));

    admission_client_destroy(&h1);
    end_actor(&actor);
}

/* Both in one message: the second event lies in the client, and in no socket. */
Test(descriptor, L1_it_is_readable_also_for_what_came_in_one_message)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    const uint64_t s1 = admit_listener(h1, "ann", 2, NULL);
    const uint64_t s2 = admit_listener(h1, "ann", 2, NULL);
    admission_client_cork(h2);
    post_listener(h2, "ann", 2);
    post_listener(h2, "ann", 2);
    admission_client_uncork(h2);

    check(is_readable(h1, 10000));
    expect(h1, superseded(s1));
    check(is_readable(h1, 200));
    expect(h1, superseded(s2));
    check(!is_readable(h1, 50));

    admission_client_destroy(&h1);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(descriptor, it_is_readable_for_what_a_blocking_call_has_passed_over)
{
    admission_actor_t *actor = start_actor(1, 0);
    admission_client_t *h1 = open_client(actor);
    check(!is_readable(h1, 0));
    const uint64_t a = post(h1);
    ask_live(h1, "ann");
    check(is_readable(h1, 0));
    expect(h1, granted(a));
    check(!is_readable(h1, 0));
    leave(h1, a);
    admission_client_destroy(&h1);
    end_actor(&actor);
}
