/* Scenario 15: keys and principals that are seen once (T1, T8, L1).
 * emqx/emqx#17464, ktorio/ktor#3593 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "fixture.h"

TestSuite(names_seen_once, .timeout = 240);

enum {
    NAMES = 300000,
    BATCH = 100, /* names between two looks at what came */
    WARM_UP = 10000
};

static uint64_t listen_and_leave(admission_client_t *client, const char *name)
{
    const uint64_t id = post_listener(client, name, 2);
    leave(client, id);
    return id;
}

static uint64_t start_and_leave(admission_client_t *client, const char *name)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = name;
    const uint64_t id = post_with(client, &ticket);
    leave(client, id);
    return id;
}

/* Sees all names, each once; memory is then what it was after the first ten thousand. */
static void see_all(admission_client_t *client,
                    uint64_t (*see)(admission_client_t *, const char *),
                    admission_event_type_t answer)
{
    size_t resident = 0;
    for (int i = 0; i < NAMES; i += BATCH) {
        uint64_t ids[BATCH];
        for (int k = 0; k < BATCH; k++) {
            char name[32];
            snprintf(name, sizeof name, "name-%d", i + k);
            ids[k] = see(client, name);
        }
        for (int k = 0; k < BATCH; k++) {
            expect(client, (struct word){.type = answer, .id = ids[k]});
        }
        resident = i == WARM_UP ? resident_bytes() : resident;
    }
    check(!is_memory_telling() || resident_bytes() < resident + MIB);
}

Test(names_seen_once, L1_a_principal_that_left_leaves_no_record)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *client = open_client(actor);
    see_all(client, listen_and_leave, ADMISSION_EVENT_ADMITTED);
    expect_gauges(actor, 0);
    check(books(actor).listeners_left == NAMES);
    admission_client_destroy(&client);
    end_actor(&actor);
}

Test(names_seen_once, T1_a_key_that_left_leaves_no_record)
{
    admission_actor_t *actor = start_actor(ADMISSION_NONE, 0);
    admission_client_t *client = open_client(actor);
    see_all(client, start_and_leave, ADMISSION_EVENT_GRANTED);
    expect_gauges(actor, 0);
    check(books(actor).tickets_left == NAMES);
    admission_client_destroy(&client);
    end_actor(&actor);
}

Test(names_seen_once, T1_a_key_is_kept_while_its_ticket_runs)
{
    admission_actor_t *actor = start_actor(3, 4);
    admission_client_t *client = open_client(actor);
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = "row-9";
    const uint64_t held = hold_with(client, &ticket);
    const uint64_t first = post_with(client, &ticket);
    cancel(client, first);
    expect(client, refused(first, ADMISSION_REASON_CANCELLED));

    const uint64_t second = post_with(client, &ticket);
    expect_quiet(client);
    expect_gauges(actor, .running = 1, .queued = 1);
    leave(client, held);
    expect(client, granted(second));

    leave(client, second);
    admission_client_destroy(&client);
    end_actor(&actor);
}

Test(names_seen_once, T8_a_provider_keeps_its_cooldown_while_nothing_of_it_is_there)
{
    admission_actor_t *actor = start_actor(3, 4);
    const struct admission_provider search = admission_provider_default("search");
    check_ok(admission_actor_change_provider(actor, &search, NULL));
    admission_client_t *client = open_client(actor);
    struct admission_ticket ticket = ticket_for(0);
    ticket.provider = "search";
    leave(client, hold_with(client, &ticket));
    check_ok(admission_actor_cooldown(actor, "search", ADMISSION_S(1000)));

    leave(client, hold(client)); /* nothing of the provider is queued or runs */
    const uint64_t at_once = post_with(client, &ticket);
    expect(client, refused(at_once, ADMISSION_REASON_TIMEOUT));

    admission_client_destroy(&client);
    end_actor(&actor);
}
