/* Scenario 14: a hundred thousand tickets, with small stacks (T3, T8, K1, K2).
 * ydb-platform/nbs#6909, Kotlin/coroutines-examples#94 */
#include <criterion/criterion.h>

#include <stdatomic.h>
#include <sys/resource.h>

#include "fixture.h"

TestSuite(hundred_thousand_tickets, .timeout = 240);

enum {
    CLIENTS = 4,
    TICKETS = 100000,
    SHARE = TICKETS / CLIENTS, /* of one client */
    CREDIT = 2 * SHARE,
    SMALL_STACK = 256 * 1024
};

struct crowd {
    admission_actor_t *actor;
    admission_client_t *clients[CLIENTS];
    uint64_t running[CLIENTS][SHARE];
    uint64_t queued[CLIENTS][SHARE];
};

static struct crowd crowd;

static void begin(void)
{
    const struct admission_provider bulk = admission_provider_default("bulk");
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = TICKETS;
    options.limits.queue_capacity = 2 * TICKETS;
    options.providers = &bulk;
    options.n_providers = 1;
    options.client_credit = CREDIT;
    crowd.actor = start_actor_with(&options);
    for (int i = 0; i < CLIENTS; i++) {
        crowd.clients[i] = open_client(crowd.actor);
    }
}

static void post_all(uint64_t ids[CLIENTS][SHARE])
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = "bulk";
    for (int i = 0; i < TICKETS; i++) {
        ids[i % CLIENTS][i / CLIENTS] = post_with(crowd.clients[i % CLIENTS], &ticket);
    }
}

/* Each client reads one word for each of its tickets, in the order of posting. */
static void read_all(uint64_t ids[CLIENTS][SHARE], admission_event_type_t type,
                     admission_reason_t reason)
{
    for (int i = 0; i < CLIENTS; i++) {
        for (int k = 0; k < SHARE; k++) {
            const struct word word = {.type = type, .reason = reason, .id = ids[i][k]};
            expect(crowd.clients[i], word);
        }
    }
}

static void leave_all(uint64_t ids[CLIENTS][SHARE])
{
    for (int i = 1; i < TICKETS; i++) {
        leave(crowd.clients[i % CLIENTS], ids[i % CLIENTS][i / CLIENTS]);
    }
}

static atomic_bool has_drained;

static void *wait_until_drained(void *arg)
{
    check_ok(admission_actor_close(arg, ADMISSION_NONE));
    atomic_store(&has_drained, true);
    return NULL;
}

/* All have left but one, which leaves when it has been seen that it is waited for. */
static void drain(void)
{
    const pthread_t closer = start_thread(wait_until_drained, crowd.actor);
    leave_all(crowd.running);
    expect_gauges(crowd.actor, .running = 1);
    check(admission_actor_close(crowd.actor, ADMISSION_MS(20)) == ADMISSION_NOT_DRAINED);
    check(!atomic_load(&has_drained));
    leave(crowd.clients[0], crowd.running[0][0]);
    join_thread(closer);
    check(atomic_load(&has_drained));
    check_ok(admission_actor_close(crowd.actor, 0));
}

Test(hundred_thousand_tickets, T3_T8_K1_K2_they_wait_start_are_refused_and_drain_in_order)
{
    struct rlimit stack;
    check(getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur <= SMALL_STACK);
    begin();
    const int64_t cooled_until = now_us() + ADMISSION_S(10);
    check_ok(admission_actor_cooldown(crowd.actor, "bulk", ADMISSION_S(10)));
    int64_t since = now_us();
    post_all(crowd.running);
    expect_gauges(crowd.actor, .queued = TICKETS);
    expect_within(since, ADMISSION_S(3));

    sleep_until(cooled_until);
    since = now_us();
    read_all(crowd.running, ADMISSION_EVENT_GRANTED, ADMISSION_REASON_NONE);
    expect_within(since, ADMISSION_S(3));

    since = now_us();
    post_all(crowd.queued);
    expect_gauges(crowd.actor, .running = TICKETS, .queued = TICKETS);
    check(admission_actor_close(crowd.actor, 0) == ADMISSION_NOT_DRAINED);
    read_all(crowd.queued, ADMISSION_EVENT_REFUSED, ADMISSION_REASON_CLOSED);
    read_all(crowd.running, ADMISSION_EVENT_ABORT, ADMISSION_REASON_CLOSED);
    expect_within(since, ADMISSION_S(3));

    since = now_us();
    drain();
    expect_within(since, ADMISSION_S(3));
    for (int i = 0; i < CLIENTS; i++) {
        expect_quiet(crowd.clients[i]);
        admission_client_destroy(&crowd.clients[i]);
    }
    end_actor(&crowd.actor);
}
