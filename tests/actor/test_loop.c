/* The loop over a simulated port: who is told what, when, and what bad input gets. */
#include <criterion/criterion.h>

#include "base/memory.h"
#include "records.h"
#include "sim.h"

TestSuite(loop, .timeout = 10);

enum {
    A,
    B,
    C
};

#define expect(log, text) cr_assert_str_eq((log), (text))

static void begin(struct sim *sim)
{
    sim_init(sim);
    sim_open(sim, A);
    sim_open(sim, B);
    (void)sim_turn(sim);
}

Test(loop, tells_each_handle_its_own_words_in_order_and_in_one_message_a_batch)
{
    struct sim sim;
    begin(&sim);
    sim.wall_us = 1700000000000000;
    sim_say(&sim, max_concurrent(7, 1));
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, ticket(B, 1));
    sim_say(&sim, ticket_with(A, 2, .timeout_us = -1));
    sim_say(&sim, listener(B, 2, "ann", 1));
    sim_say(&sim, listener(A, 3, "ann", 1));
    expect(sim_turn(&sim), "answer 7: ok\n"
                           "to 0: granted 1, refused 2 timeout, admitted 3 #1"
                           " [asked 3, words 3, held 2]\n"
                           "to 1: admitted 2 #0, superseded 2 [asked 2, words 2, held 1]\n");
    expect(sim_turn(&sim), "wait for ever\n");
    sim.elapsed_us = 50;
    sim_say(&sim, leave(A, 1));
    expect(sim_turn(&sim), "to 1: granted 1 after 50us [asked 2, words 3, held 1]\n"
                           "to 0: nothing [asked 3, words 3, held 1]\n");
    sim_deinit(&sim);
}

Test(loop, tells_the_owners_of_live_listeners_by_their_public_numbers_L5)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, listener(B, 5, "ann", 9));
    sim_say(&sim, listener(A, 6, "ann", 9));
    sim_say(&sim, live(A, 7, "ann"));
    sim_say(&sim, live(A, 8, "bob"));
    expect(sim_turn(&sim), "to 1: admitted 5 #0 [asked 1, words 1, held 1]\n"
                           "to 0: admitted 6 #1, live 7 0:2:5 1:1:6, live 8"
                           " [asked 3, words 5, held 1]\n");
    sim_deinit(&sim);
}

Test(loop, wakes_for_the_next_due_time_and_steps_it_though_nobody_speaks)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, max_concurrent(1, 0));
    sim_say(&sim, ticket_with(A, 1, .timeout_us = 500));
    (void)sim_turn(&sim);
    expect(sim_turn(&sim), "wait until 500\n");
    sim.elapsed_us = 499; /* it may return early */
    expect(sim_turn(&sim), "wait until 500\n");
    sim.elapsed_us = 500;
    expect(sim_turn(&sim), "to 0: refused 1 timeout after 500us"
                           " [asked 1, words 1, held 0]\nwait for ever\n");
    sim_deinit(&sim);
}

Test(loop, a_jump_of_the_clock_refuses_what_should_have_started_before_T6)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, min_interval(1, 100));
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, ticket_with(A, 2, .timeout_us = 300));
    sim_say(&sim, ticket(A, 3));
    (void)sim_turn(&sim);
    sim.elapsed_us = 1000000;
    expect(sim_turn(&sim), "to 0: refused 2 timeout after 1000000us,"
                           " granted 3 after 1000000us [asked 3, words 3, held 2]\n"
                           "wait for ever\n");
    sim_deinit(&sim);
}

Test(loop, a_clock_that_goes_back_is_read_as_the_last_time_Z2)
{
    struct sim sim;
    begin(&sim);
    sim.elapsed_us = 1000;
    sim_say(&sim, min_interval(1, 100));
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, ticket(A, 2));
    (void)sim_turn(&sim);
    sim.elapsed_us = 10;
    sim_say(&sim, ticket_with(A, 3, .timeout_us = -1));
    expect(sim_turn(&sim), "to 0: refused 3 timeout [asked 3, words 2, held 2]\n");
    sim.elapsed_us = 1100;
    expect(sim_turn(&sim), "to 0: granted 2 after 100us [asked 3, words 3, held 2]\n"
                           "wait for ever\n");
    sim_deinit(&sim);
}

Test(loop, the_wall_clock_only_stamps_Z3)
{
    struct sim sim;
    begin(&sim);
    sim.wall_us = 1700000000000000;
    sim_say(&sim, min_interval(1, 100000));
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, leave(A, 1));
    sim_say(&sim, ticket_with(A, 2, .timeout_us = 500000));
    (void)sim_turn(&sim);
    sim.wall_us -= INT64_C(3600000000);
    sim.elapsed_us = 99999;
    expect(sim_turn(&sim), "wait until 100000\n");
    sim.elapsed_us = 100000;
    expect(sim_turn(&sim), "to 0: granted 2 after 100000us [asked 2, words 2, held 1]\n"
                           "wait for ever\n");
    sim_deinit(&sim);
}

/* Budgets. */

Test(loop, endless_traffic_does_not_starve_a_timer)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, max_concurrent(1, 0));
    sim_say(&sim, ticket_with(A, 1, .timeout_us = 1000));
    (void)sim_turn(&sim);
    /* Nothing in it makes the machine step by itself. */
    const struct sim_message noise = {.bytes = (uint8_t[]){0xff}, .size = 1};
    sim.for_ever = &noise;
    sim.elapsed_us = 999;
    expect(sim_turn(&sim), "");
    sim.elapsed_us = 1000;
    expect(sim_turn(&sim), "to 0: refused 1 timeout after 1000us"
                           " [asked 1, words 1, held 0]\n");
    sim_deinit(&sim);
}

Test(loop, timers_that_are_always_due_do_not_starve_traffic)
{
    struct sim sim;
    begin(&sim);
    sim.is_restless = true;
    sim_say(&sim, min_interval(1, 1));
    for (uint64_t id = 1; id <= 50; id++) {
        sim_say(&sim, ticket(A, id));
    }
    (void)sim_turn(&sim);
    sim.elapsed_step_us = 1;
    for (uint64_t id = 101; id <= 110; id++) {
        sim_say(&sim, live(B, id, "ann"));
        cr_assert(strstr(sim_turn(&sim), "to 1: live") != NULL);
    }
    sim_deinit(&sim);
}

Test(loop, a_batch_is_bounded_so_that_nobody_waits_for_the_end_of_a_flood)
{
    struct sim sim;
    begin(&sim);
    for (uint64_t id = 1; id <= 1000; id++) {
        sim_say(&sim, live(A, id, "ann"));
    }
    const char *log = sim_turn(&sim);
    cr_assert(strstr(log, "to 0: live 1,") != NULL);
    cr_assert(strstr(log, "live 1000 ") == NULL);
    unsigned n_turns = 1;
    while (strstr(log, "live 1000 ") == NULL) {
        log = sim_turn(&sim);
        n_turns++;
    }
    cr_assert(n_turns >= 3 && n_turns <= 8, "it took %u turns", n_turns);
    sim_deinit(&sim);
}

/* Handles that come and go. */

Test(loop, a_handle_that_is_gone_gets_nothing_and_harms_nobody_H1)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, max_concurrent(1, 1));
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, ticket(B, 1));
    (void)sim_turn(&sim);
    sim.is_gone[A] = true;
    sim_say(&sim, listener(A, 2, "ann", 1));
    expect(sim_turn(&sim), "");
    cr_assert(sim.n_lost == 1);
    sim_say(&sim, death(A));
    expect(sim_turn(&sim), "hang up 0\n"
                           "to 1: granted 1 [asked 1, words 1, held 1]\n");
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim), "answer 9: ok handles=1 opened=2 destroyed=0 died=1 malformed=0"
                           " running=1 queued=0 listeners=0\n");
    sim_deinit(&sim);
}

Test(loop, a_second_hello_is_malformed_and_changes_nothing)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, hello(A));
    sim_say(&sim, ticket(A, 2));
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim), "answer 9: ok handles=2 opened=2 destroyed=0 died=0 malformed=1"
                           " running=2 queued=0 listeners=0\n"
                           "to 0: granted 1, granted 2 [asked 2, words 2, held 2]\n");
    sim_deinit(&sim);
}

Test(loop, a_hello_of_nobody_who_calls_is_malformed)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, hello(C));
    sim_say(&sim, hello(UINT32_MAX));
    sim_say(&sim, hello(4000000000));
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim), "answer 9: ok handles=2 opened=2 destroyed=0 died=0 malformed=3"
                           " running=0 queued=0 listeners=0\n");
    sim_deinit(&sim);
}

Test(loop, whatever_comes_from_a_handle_that_is_not_open_is_malformed)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, down(B));
    (void)sim_turn(&sim);
    sim_say(&sim, ticket(B, 1));
    sim_say(&sim, leave(C, 1));
    sim_say(&sim, down(B));
    sim_say(&sim, cancel(4000000000, 1));
    sim_say(&sim, live(B, 1, "ann"));
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim), "answer 9: ok handles=1 opened=2 destroyed=1 died=0 malformed=5"
                           " running=0 queued=0 listeners=0\n");
    sim_deinit(&sim);
}

Test(loop, a_number_is_given_out_again_within_the_batch_of_its_down)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, ticket(A, 1));
    (void)sim_turn(&sim);
    sim_say(&sim, ticket(A, 2));
    sim_say(&sim, down(A));
    sim_open(&sim, A);
    sim_say(&sim, ticket(A, 1));
    expect(sim_turn(&sim), "hang up 0\nopen 0\n"
                           "to 0: granted 1 [asked 1, words 1, held 1]\n");
    sim_say(&sim, leave(A, 1));
    expect(sim_turn(&sim), "to 0: nothing [asked 1, words 1, held 0]\n");
    sim_deinit(&sim);
}

Test(loop, a_number_whose_last_words_were_never_delivered_is_heard_when_it_comes_back)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, down(A));
    expect(sim_turn(&sim), "hang up 0\n");
    sim_open(&sim, A);
    sim_say(&sim, ticket(A, 1));
    expect(sim_turn(&sim), "open 0\nto 0: granted 1 [asked 1, words 1, held 1]\n");
    sim_deinit(&sim);
}

/* Messages. */

Test(loop, handles_all_records_of_a_message)
{
    struct sim sim;
    sim_init(&sim);
    sim_call(&sim, A);
    sim_put(&sim, hello(A));
    for (uint64_t id = 1; id <= 20; id++) {
        sim_put(&sim, ticket_with(A, id, .key = "k", .timeout_us = -1));
    }
    sim_put(&sim, leave(A, 1));
    sim_put(&sim, ticket_with(A, 21, .key = "k", .timeout_us = -1));
    sim_post(&sim);
    const char *log = sim_turn(&sim);
    cr_assert(strstr(log, "open 0\nto 0: granted 1, refused 2 timeout,") != NULL);
    cr_assert(strstr(log, "refused 20 timeout, granted 21 [asked 21, words 21, held 1]\n"));
    sim_deinit(&sim);
}

Test(loop, drops_a_message_from_where_it_cannot_be_read_and_counts_it_once)
{
    struct sim sim;
    begin(&sim);
    uint8_t bytes[2 * ADM_WIRE_INBOUND_MAX];
    struct adm_inbound first = ticket(A, 1);
    struct adm_inbound second = ticket(A, 2);
    const size_t size = adm_inbound_encode(&first, bytes);
    const size_t both = size + adm_inbound_encode(&second, bytes + size);
    sim_post_bytes(&sim, bytes, both - 1);
    bytes[size] = 0xff;
    sim_post_bytes(&sim, bytes, both);
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim),
           "answer 9: ok handles=2 opened=2 destroyed=0 died=0 malformed=2 running=1"
           " queued=0 listeners=0\n"
           "to 0: granted 1, refused 1 duplicate [asked 2, words 2, held 1]\n");
    sim_deinit(&sim);
}

Test(loop, counts_an_empty_message_as_malformed)
{
    struct sim sim;
    begin(&sim);
    sim_post_bytes(&sim, "", 0);
    sim_say(&sim, stats(9));
    expect(sim_turn(&sim), "answer 9: ok handles=2 opened=2 destroyed=0 died=0 malformed=1"
                           " running=0 queued=0 listeners=0\n");
    sim_deinit(&sim);
}

Test(loop, what_is_not_its_senders_to_say_is_malformed)
{
    struct sim sim;
    begin(&sim);
    struct adm_inbound limits = max_concurrent(1, 0);
    struct adm_inbound pause = cooldown(2, "p", 1000);
    struct adm_inbound upstream = provider(3, "p", 0);
    limits.request.handle = A;
    pause.request.handle = A;
    upstream.request.handle = A;
    sim_say(&sim, limits);
    sim_say(&sim, pause);
    sim_say(&sim, upstream);
    sim_say(&sim, ticket(ADM_NOBODY, 4));
    sim_say(&sim, listener(ADM_NOBODY, 5, "ann", 1));
    sim_say(&sim, leave(ADM_NOBODY, 4));
    sim_say(&sim, leave_principal(ADM_NOBODY, "ann"));
    sim_say(&sim, cancel(ADM_NOBODY, 4));
    sim_say(&sim, live(ADM_NOBODY, 6, "ann"));
    sim_say(&sim, down(ADM_NOBODY));
    sim_say(&sim, has_provider(7, "p"));
    sim_say(&sim, stats(9));
    sim_say(&sim, ticket(A, 1));
    expect(sim_turn(&sim), "answer 7: no provider\n"
                           "answer 9: ok handles=2 opened=2 destroyed=0 died=0 malformed=10"
                           " running=0 queued=0 listeners=0\n"
                           "to 0: granted 1 [asked 1, words 1, held 1]\n");
    sim_deinit(&sim);
}

/* Calls. */

Test(loop, answers_calls_about_providers_and_cooldowns_T8)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, cooldown(1, "p", 100));
    sim_say(&sim, has_provider(2, "p"));
    sim_say(&sim, provider(3, "p", 5));
    sim_say(&sim, has_provider(4, "p"));
    sim_say(&sim, cooldown(5, "p", 100));
    sim_say(&sim, ticket_with(A, 1, .provider = "p"));
    expect(sim_turn(&sim), "answer 1: no provider\nanswer 2: no provider\nanswer 3: ok\n"
                           "answer 4: ok\nanswer 5: ok\n"
                           "to 0: nothing [asked 1, words 0, held 1]\n");
    expect(sim_turn(&sim), "wait until 100\n");
    sim_deinit(&sim);
}

Test(loop, an_injected_record_is_handled_and_delivered_at_once)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, max_concurrent(1, 0));
    sim_say(&sim, ticket(A, 1));
    (void)sim_turn(&sim);
    sim.elapsed_us = 30;
    expect(sim_inject(&sim, max_concurrent(2, 1)),
           "answer 2: ok\nto 0: granted 1 after 30us [asked 1, words 1, held 1]\n");
    sim_deinit(&sim);
}

Test(loop, close_answers_when_the_last_ticket_leaves_K2)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, ticket(B, 1));
    (void)sim_turn(&sim);
    sim_say(&sim, closing(1, 1000));
    sim_say(&sim, closing(2, ADM_NEVER));
    sim_say(&sim, closing(3, 0));
    expect(sim_turn(&sim), "closed\nclosed\nclosed\nanswer 3: not drained\n"
                           "to 0: abort 1 closed [asked 1, words 2, held 1]\n"
                           "to 1: abort 1 closed [asked 1, words 2, held 1]\n");
    expect(sim_turn(&sim), "wait until 1000\n");
    sim.elapsed_us = 999;
    sim_say(&sim, leave(A, 1));
    expect(sim_turn(&sim), "to 0: nothing [asked 1, words 2, held 0]\n");
    sim_say(&sim, death(B));
    expect(sim_turn(&sim), "answer 1: ok\nanswer 2: ok\nhang up 1\n");
    sim_say(&sim, closing(4, 500));
    expect(sim_turn(&sim), "closed\nanswer 4: ok\n");
    expect(sim_turn(&sim), "wait for ever\n");
    sim_deinit(&sim);
}

Test(loop, each_close_waits_its_own_time_by_the_injected_clock_K1)
{
    struct sim sim;
    begin(&sim);
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, closing(1, 300));
    sim_say(&sim, closing(2, 100));
    sim_say(&sim, closing(3, 200));
    (void)sim_turn(&sim);
    expect(sim_turn(&sim), "wait until 100\n");
    sim.elapsed_us = 100;
    expect(sim_turn(&sim), "answer 2: not drained\nwait until 200\n");
    sim.elapsed_us = 299;
    expect(sim_turn(&sim), "answer 3: not drained\nwait until 300\n");
    sim.elapsed_us = 300;
    expect(sim_turn(&sim), "answer 1: not drained\nwait for ever\n");
    sim_deinit(&sim);
}

/* The end. */

Test(loop, what_comes_behind_the_end_is_still_handled)
{
    struct sim sim;
    begin(&sim);
    sim_put(&sim, ticket(A, 1));
    sim_put(&sim, the_end());
    sim_put(&sim, ticket(A, 2));
    sim_post(&sim);
    sim_say(&sim, ticket(B, 1));
    expect(sim_turn(&sim), "to 0: granted 1, granted 2 [asked 2, words 2, held 2]\n"
                           "to 1: granted 1 [asked 1, words 1, held 1]\n"
                           "over\n");
    sim_say(&sim, leave(A, 1));
    expect(sim_drain(&sim), "to 0: nothing [asked 2, words 2, held 1]\n");
    sim_deinit(&sim);
}

Test(loop, at_its_end_tells_every_open_handle_and_every_call_that_waits)
{
    struct sim sim;
    begin(&sim);
    sim_open(&sim, C);
    sim_say(&sim, ticket(A, 1));
    sim_say(&sim, down(B));
    sim_say(&sim, closing(5, ADM_NEVER));
    sim_say(&sim, the_end());
    (void)sim_turn(&sim);
    expect(sim_end(&sim), "answer 5: ended\n"
                          "to 0: end [asked 1, words 2, held 1]\n"
                          "to 2: end [asked 0, words 0, held 0]\n"
                          "hang up 0\nhang up 2\n");
    sim_deinit(&sim);
}

Test(loop, a_loop_that_is_no_more_can_be_destroyed_again)
{
    struct adm_loop *loop = NULL;
    adm_loop_destroy(&loop);
    cr_assert(loop == NULL);
}

Test(loop, gives_the_memory_of_a_large_message_back_and_goes_on)
{
    struct sim sim;
    begin(&sim);
    for (uint64_t id = 1; id <= 400; id++) {
        sim_say(&sim, listener(A, id, "ann", 4000));
    }
    for (unsigned turn = 0; turn < 10; turn++) {
        (void)sim_turn(&sim);
    }
    sim_say(&sim, live(B, 1, "ann"));
    const char *log = sim_turn(&sim);
    cr_assert(strstr(log, "399:1:400 [asked 1, words 401, held 0]\n") != NULL);
    sim_say(&sim, live(B, 2, "bob"));
    expect(sim_turn(&sim), "to 1: live 2 [asked 2, words 402, held 0]\n");
    sim_deinit(&sim);
}
