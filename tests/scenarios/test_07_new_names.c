/* Scenario 7: a new handle is a new name (H1, H2).
 * zeromq/libzmq#2010, zeromq/libzmq#2892, zeromq/libzmq#4503
 *
 * A client has no label, so there is nothing that two could share: what they might share is the
 * place of a former one in the actor. */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(new_names, .timeout = 240);

enum {
    TURNS = 1000,
    LIVES = 10000,
    WARM_UP = 1000,
    THREADS = 4,
    UNHEARD = 40 /* descriptors of those whose goodbye the actor has not heard yet */
};

Test(new_names, H1_a_client_that_opens_in_the_place_of_another_is_heard)
{
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *first = open_client(actor);
    const uint64_t number = admission_client_number(first);
    leave(first, hold(first));
    admission_client_destroy(&first);

    const int64_t since = now_us();
    admission_client_t *second = open_client(actor);
    const uint64_t b = hold(second);
    expect_within(since, ADMISSION_MS(50));
    check(admission_client_number(second) != number);

    leave(second, b);
    admission_client_destroy(&second);
    end_actor(&actor);
}

static void *take_turns(void *arg)
{
    admission_client_t *client = open_client(arg);
    for (int i = 0; i < TURNS; i++) {
        leave(client, hold(client));
    }
    expect_quiet(client);
    admission_client_destroy(&client);
    return NULL;
}

/* Both count their ids from the same number, so a word that went astray would fit. */
Test(new_names, H2_two_clients_with_the_same_ids_read_their_own_answers)
{
    admission_actor_t *actor = start_actor(1, 4);
    const pthread_t other = start_thread(take_turns, actor);
    take_turns(actor);
    join_thread(other);
    check(books(actor).tickets_granted == 2 * TURNS);
    end_actor(&actor);
}

static void live_once(admission_actor_t *actor)
{
    admission_client_t *client = open_client(actor);
    leave(client, hold(client));
    admission_client_destroy(&client);
}

static void *live_often(void *arg)
{
    for (int i = 0; i < LIVES; i++) {
        live_once(arg);
    }
    return NULL;
}

Test(new_names, H1_forty_thousand_clients_use_up_neither_sockets_nor_memory)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 4);
    for (int i = 0; i < WARM_UP; i++) {
        live_once(actor);
    }
    const size_t descriptors = n_descriptors();
    const size_t resident = resident_bytes();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = start_thread(live_often, actor);
    }
    for (int i = 0; i < THREADS; i++) {
        join_thread(threads[i]);
    }
    check(n_descriptors() < descriptors + UNHEARD);
    check(!is_memory_telling() || resident_bytes() < resident + MIB);
    check(books(actor).clients_destroyed == WARM_UP + THREADS * LIVES);
    end_actor(&actor);
}
