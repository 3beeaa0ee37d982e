/* Scenario 6: a handle dies, with and without destroy (H1).
 * zeromq/libzmq#3871, zeromq/libzmq#2319 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(owner_death, .timeout = 120);

enum {
    THREADS = 5000,
    WARM_UP = 500,
    UNHEARD = 40 /* descriptors of those whose goodbye the actor has not heard yet */
};

static void *listen_and_hold_then_destroy(void *arg)
{
    admission_client_t *h1 = open_client(arg);
    admit_listener(h1, "ann", 1, NULL);
    hold(h1);
    admission_client_destroy(&h1);
    return NULL;
}

static void *listen_and_post_then_return(void *arg)
{
    admission_client_t *h3 = open_client(arg);
    admit_listener(h3, "bob", 1, NULL);
    post(h3);
    return NULL;
}

/* A thread that holds the slot until it is let go. */
struct holder {
    admission_actor_t *actor;
    sem_t is_holding;
    sem_t may_exit;
};

static void *hold_then_exit(void *arg)
{
    struct holder *holder = arg;
    hold(open_client(holder->actor));
    raise_semaphore(&holder->is_holding);
    wait_for_semaphore(&holder->may_exit);
    pthread_exit(NULL);
}

static void *hold_twice_and_return(void *arg)
{
    hold(open_client(arg));
    admit_listener(open_client(arg), "cid", 1, NULL);
    return NULL;
}

static void *post_at_once_and_return(void *arg)
{
    post_for(open_client(arg), 0);
    return NULL;
}

static void run_thread(void *(*run)(void *), admission_actor_t *actor)
{
    join_thread(start_thread(run, actor));
}

Test(owner_death, H1_destroy_gives_back_listener_and_slot)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h1 = open_client(actor);
    admission_client_t *h2 = open_client(actor);
    admit_listener(h1, "ann", 1, NULL);
    hold(h1);
    const uint64_t b = post(h2);
    expect_quiet(h2);

    admission_client_destroy(&h1);
    expect(h2, granted(b));
    check(ask_live(h2, "ann").n_live == 0);
    expect_gauges(actor, .running = 1);

    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(owner_death, H1_a_thread_that_returns_takes_its_client_along)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h2 = open_client(actor);
    const uint64_t b = hold(h2);

    run_thread(listen_and_post_then_return, actor);
    check(ask_live(h2, "bob").n_live == 0);
    expect_gauges(actor, .running = 1);

    admit_listener(h2, "bob", 1, NULL);
    check(books(actor).listeners_superseded == 0);
    check(books(actor).clients_died == 1);

    leave(h2, b);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(owner_death, H1_a_thread_that_exits_gives_its_slot_to_the_next)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *h2 = open_client(actor);
    leave(h2, hold(h2));
    struct holder holder = {.actor = actor};
    sem_init(&holder.is_holding, 0, 0);
    sem_init(&holder.may_exit, 0, 0);
    const pthread_t thread = start_thread(hold_then_exit, &holder);
    wait_for_semaphore(&holder.is_holding);
    const uint64_t e = post(h2);
    expect_quiet(h2);

    raise_semaphore(&holder.may_exit);
    expect(h2, granted(e));
    join_thread(thread);

    leave(h2, e);
    admission_client_destroy(&h2);
    end_actor(&actor);
}

Test(owner_death, H1_a_thread_that_owns_two_clients_takes_both_along)
{
    admission_actor_t *actor = start_actor(1, 4);
    run_thread(hold_twice_and_return, actor);
    expect_gauges(actor, 0);
    check(books(actor).clients_died == 2);
    end_actor(&actor);
}

Test(owner_death, H1_destroy_then_return_is_one_goodbye)
{
    admission_actor_t *actor = start_actor(1, 4);
    run_thread(listen_and_hold_then_destroy, actor);
    const struct admission_stats stats = books(actor);
    check(stats.clients_destroyed == 1 && stats.clients_died == 0);
    check(stats.tickets_left == 1 && stats.listeners_left == 1);
    end_actor(&actor);
}

Test(owner_death, H1_five_thousand_threads_leave_nothing_behind)
{
    admission_actor_t *actor = start_actor(1, 4);
    size_t descriptors = 0;
    size_t resident = 0;
    for (int i = 0; i < THREADS; i++) {
        run_thread(post_at_once_and_return, actor);
        if (i == WARM_UP) {
            expect_gauges(actor, 0);
            descriptors = n_descriptors();
            resident = resident_bytes();
        }
    }
    expect_gauges(actor, 0);
    check(books(actor).clients_died == THREADS);
    check(n_descriptors() < descriptors + UNHEARD);
    check(!is_memory_telling() || resident_bytes() < resident + MIB);
    end_actor(&actor);
}
