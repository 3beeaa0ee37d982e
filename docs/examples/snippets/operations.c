/* What an operator does with a live actor, of docs/embedding.md: pause, watch, shut down. */
#include <admission.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void must(admission_status_t status)
{
    if (status != ADMISSION_OK) {
        fprintf(stderr, "operations: %s\n", admission_status_text(status));
        exit(1);
    }
}

static admission_actor_t *start(void)
{
    struct admission_provider search = admission_provider_default("search");
    search.max_concurrent = 2;
    search.min_interval_us = ADMISSION_MS(5);

    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 16;
    options.limits.admission_timeout_us = ADMISSION_S(30);
    options.providers = &search;
    options.n_providers = 1;

    admission_actor_t *actor;
    const char *culprit = "";
    const admission_status_t status = admission_actor_new(&actor, &options, &culprit);
    if (status != ADMISSION_OK) {
        fprintf(stderr, "no actor: %s %s\n", admission_status_text(status), culprit);
        exit(1);
    }
    return actor;
}

/* Nothing starts while `max` is 0; what runs goes on. */
static void set_max_concurrent(admission_actor_t *actor, int64_t max)
{
    struct admission_limits change = admission_limits_unchanged();
    change.max_concurrent = max;
    must(admission_actor_change_limits(actor, &change, NULL));
}

/* Says what an operator wants to hear of; `before` are the books of the last look. */
static void watch(admission_actor_t *actor, struct admission_stats *before)
{
    struct admission_stats now;
    must(admission_actor_stats(actor, &now));
    if (now.longest_held.held_us > ADMISSION_S(60)) {
        printf("ticket %" PRIu64 " of client %" PRIu64 " (%s) is held for %" PRId64 " s\n",
               now.longest_held.id, now.longest_held.owner, now.longest_held.provider,
               now.longest_held.held_us / ADMISSION_S(1));
    }
    if (now.stray_leaves > before->stray_leaves) {
        puts("somebody left what it did not hold");
    }
    if (now.malformed_messages > before->malformed_messages) {
        puts("something unreadable came in");
    }
    if (now.clients_died > before->clients_died) {
        puts("a thread ended without destroying its client");
    }
    *before = now;
}

static void shut_down(admission_actor_t **actor)
{
    if (admission_actor_close(*actor, ADMISSION_MS(10)) == ADMISSION_NOT_DRAINED) {
        struct admission_stats stats;
        must(admission_actor_stats(*actor, &stats));
        printf("%" PRIu64 " still ran when the drain time had passed\n", stats.running);
    }
    admission_actor_destroy(actor);
}

int main(void)
{
    admission_actor_t *actor = start();
    admission_client_t *client;
    must(admission_client_new(&client, actor));

    set_max_concurrent(actor, 0);
    struct admission_ticket ticket = admission_ticket_default();
    ticket.timeout_us = 0;
    struct admission_event event;
    if (admission_client_admit_ticket(client, &ticket, NULL, &event) == ADMISSION_REFUSED) {
        printf("paused: %s\n", admission_reason_text(event.reason));
    }
    set_max_concurrent(actor, 16);
    must(admission_client_admit_ticket(client, &ticket, NULL, &event));

    struct admission_stats books = {0};
    admission_client_leave(client, 4711);
    watch(actor, &books);

    shut_down(&actor);
    must(admission_client_next(client, 0, &event));
    printf("%s %s\n", admission_event_type_text(event.type),
           admission_reason_text(event.reason));
    printf("%s\n", admission_status_text(admission_client_next(client, 0, &event)));
    admission_client_destroy(&client);
    return 0;
}
