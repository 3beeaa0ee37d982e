/* The ordered inlet: what is sent first is taken first, whoever sends; and a full or an ended
 * inlet loses nothing and hangs nobody. */
#include <criterion/criterion.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "actor/inlet.h"

TestSuite(inlet, .timeout = 60);

struct fixture {
    void *context;
    struct adm_inlet inlet;
};

static void begin(struct fixture *f, int capacity)
{
    f->context = zmq_ctx_new();
    cr_assert(adm_inlet_init(&f->inlet, f->context, capacity) == 0);
}

static void end(struct fixture *f)
{
    adm_inlet_close_receiver(&f->inlet);
    adm_inlet_deinit(&f->inlet);
    cr_assert(zmq_ctx_term(f->context) == 0);
}

static bool send_number(struct adm_inlet *inlet, uint64_t number)
{
    return adm_inlet_send(inlet, &number, sizeof number);
}

static bool take_number(struct adm_inlet *inlet, uint64_t *number)
{
    const uint8_t *bytes;
    size_t size;
    if (!adm_inlet_take(inlet, &bytes, &size)) {
        return false;
    }
    cr_assert(size == sizeof *number);
    memcpy(number, bytes, size);
    return true;
}

Test(inlet, gives_messages_of_any_size_back_as_they_were_sent)
{
    struct fixture f;
    begin(&f, 100);
    static uint8_t large[100000];
    memset(large, 0x5a, sizeof large);
    cr_assert(adm_inlet_send(&f.inlet, "", 0));
    cr_assert(adm_inlet_send(&f.inlet, "abc", 3));
    cr_assert(adm_inlet_send(&f.inlet, large, sizeof large));
    const uint8_t *bytes;
    size_t size;
    cr_assert(adm_inlet_take(&f.inlet, &bytes, &size) && size == 0);
    cr_assert(adm_inlet_take(&f.inlet, &bytes, &size));
    cr_assert(size == 3 && memcmp(bytes, "abc", 3) == 0);
    cr_assert(adm_inlet_take(&f.inlet, &bytes, &size));
    cr_assert(size == sizeof large && memcmp(bytes, large, size) == 0);
    cr_assert(!adm_inlet_take(&f.inlet, &bytes, &size));
    end(&f);
}

Test(inlet, a_message_that_comes_while_the_actor_arms_is_not_lost)
{
    struct fixture f;
    begin(&f, 100);
    uint64_t number;
    cr_assert(!adm_inlet_arm(&f.inlet));
    cr_assert(send_number(&f.inlet, 1));
    cr_assert(adm_inlet_arm(&f.inlet));
    cr_assert(adm_inlet_arm(&f.inlet), "and again, for nobody has taken it");
    cr_assert(send_number(&f.inlet, 2));
    cr_assert(take_number(&f.inlet, &number) && number == 1);
    cr_assert(take_number(&f.inlet, &number) && number == 2);
    cr_assert(!take_number(&f.inlet, &number));
    end(&f);
}

/* Eight threads that agree on an order by a lock of their own. */

enum {
    N_THREADS = 8,
    N_EACH = 20000
};

struct crowd {
    struct adm_inlet *inlet;
    pthread_mutex_t lock;
    uint64_t n_sent;
};

static void *send_many(void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 0; i < N_EACH; i++) {
        pthread_mutex_lock(&crowd->lock);
        (void)send_number(crowd->inlet, crowd->n_sent++);
        pthread_mutex_unlock(&crowd->lock);
    }
    return NULL;
}

static void take_all_in_order(struct adm_inlet *inlet, uint64_t n)
{
    for (uint64_t expected = 0; expected < n;) {
        uint64_t number;
        if (take_number(inlet, &number)) {
            cr_assert(number == expected, "%lu came as number %lu", number, expected);
            expected++;
        } else if (!adm_inlet_arm(inlet)) {
            struct pollfd fd = {.fd = inlet->fd, .events = POLLIN};
            cr_assert(poll(&fd, 1, 10000) == 1, "a message that came woke nobody");
        }
    }
}

static void race(int capacity)
{
    struct fixture f;
    begin(&f, capacity);
    struct crowd crowd = {.inlet = &f.inlet, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, send_many, &crowd) == 0);
    }
    take_all_in_order(&f.inlet, (uint64_t)N_THREADS * N_EACH);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    end(&f);
}

Test(inlet, eight_threads_are_heard_in_the_order_in_which_they_sent)
{
    race(2000);
}

Test(inlet, keeps_the_order_when_every_sender_has_to_wait_for_room)
{
    race(2);
}

/* The end. */

struct hammer {
    struct adm_inlet *inlet;
    atomic_bool is_over;
};

Test(inlet, an_ended_inlet_sends_nothing_and_keeps_what_was_sent)
{
    struct fixture f;
    begin(&f, 100);
    uint64_t number;
    cr_assert(send_number(&f.inlet, 1));
    cr_assert(adm_inlet_try_end(&f.inlet));
    cr_assert(!send_number(&f.inlet, 2));
    cr_assert(take_number(&f.inlet, &number) && number == 1);
    cr_assert(!take_number(&f.inlet, &number));
    end(&f);
}

static void *send_until_it_ends(void *arg)
{
    struct adm_inlet *inlet = arg;
    uint64_t n = 0;
    while (send_number(inlet, n)) {
        n++;
    }
    return (void *)(uintptr_t)n;
}

Test(inlet, once_its_end_has_begun_senders_are_turned_away_at_the_door)
{
    struct fixture f;
    begin(&f, 100);
    cr_assert(send_number(&f.inlet, 1));
    pthread_mutex_lock(&f.inlet.lock); /* as a sender who is inside */
    cr_assert(!adm_inlet_has_ended(&f.inlet) && !adm_inlet_try_end(&f.inlet));
    cr_assert(adm_inlet_has_ended(&f.inlet));
    cr_assert(!send_number(&f.inlet, 2), "nor did it wait for the one who is inside");
    pthread_mutex_unlock(&f.inlet.lock);
    cr_assert(adm_inlet_try_end(&f.inlet));
    uint64_t number;
    cr_assert(take_number(&f.inlet, &number) && number == 1);
    cr_assert(!take_number(&f.inlet, &number));
    end(&f);
}

static void *send_for_ever(void *arg)
{
    struct hammer *hammer = arg;
    while (!atomic_load(&hammer->is_over)) {
        (void)send_number(hammer->inlet, 0);
    }
    return NULL;
}

Test(inlet, senders_that_never_stop_get_no_more_in_than_the_pipe_holds_and_one_is_sending)
{
    enum {
        CAPACITY = 2
    };
    struct fixture f;
    begin(&f, CAPACITY);
    struct hammer hammer = {.inlet = &f.inlet};
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, send_for_ever, &hammer) == 0);
    }
    uint64_t number;
    for (int n_taken = 0; n_taken < 1000;) {
        n_taken += take_number(&f.inlet, &number);
    }
    int n_left = 0;
    while (!adm_inlet_try_end(&f.inlet)) {
        n_left += take_number(&f.inlet, &number);
    }
    while (take_number(&f.inlet, &number)) {
        n_left++;
    }
    cr_assert(n_left <= CAPACITY + 1, "%d", n_left);
    atomic_store(&hammer.is_over, true);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    end(&f);
}

Test(inlet, a_sender_that_waits_for_room_is_let_through_before_the_end)
{
    struct fixture f;
    begin(&f, 2);
    pthread_t sender;
    cr_assert(pthread_create(&sender, NULL, send_until_it_ends, &f.inlet) == 0);
    uint64_t n_taken = 0;
    uint64_t number;
    while (n_taken < 1000 || !adm_inlet_try_end(&f.inlet)) {
        n_taken += take_number(&f.inlet, &number);
    }
    while (take_number(&f.inlet, &number)) {
        n_taken++;
    }
    void *n_sent;
    pthread_join(sender, &n_sent);
    cr_assert((uintptr_t)n_sent == n_taken, "every message that was sent has been taken");
    end(&f);
}
