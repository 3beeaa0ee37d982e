/* An upstream that is paced and cooled down: calls start 100 ms apart, and when the upstream
 * says Retry-After, nobody calls it before that time has passed. */
#include <admission.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct response {
    int status;
    const char *retry_after; /* the header's value; NULL: it has none */
};

static void must(admission_status_t status)
{
    if (status != ADMISSION_OK) {
        fprintf(stderr, "paced_upstream: %s\n", admission_status_text(status));
        exit(1);
    }
}

static int64_t now_us(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return ADMISSION_S(at.tv_sec) + at.tv_nsec / 1000;
}

/* Stands for the upstream: its third call is one too many. */
static struct response call_upstream(void)
{
    static int n_calls;
    n_calls++;
    return n_calls == 3 ? (struct response){.status = 429, .retry_after = "1"}
                        : (struct response){.status = 200};
}

/* Lets nobody call for as long as a Retry-After says. */
static void cool_down(admission_actor_t *actor, const char *retry_after)
{
    int64_t delay_us;
    if (admission_retry_after(retry_after, now_us(CLOCK_REALTIME), &delay_us) == ADMISSION_OK) {
        must(admission_actor_cooldown(actor, "search", delay_us));
        printf("Retry-After: %s\n", retry_after);
    }
}

/* One call, when the actor lets it start; returns the upstream's status. */
static int call_once(admission_actor_t *actor, admission_client_t *client, int number)
{
    static int64_t began_at;
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = "search";
    uint64_t id;
    struct admission_event event;
    must(admission_client_admit_ticket(client, &ticket, &id, &event));

    const int64_t at = now_us(CLOCK_MONOTONIC);
    began_at = began_at == 0 ? at : began_at;
    const struct response response = call_upstream();
    printf("call %d at %d ms, after %d ms in the queue: %d\n", number,
           (int)((at - began_at) / 1000), (int)(event.waited_us / 1000), response.status);

    if (response.retry_after != NULL) {
        cool_down(actor, response.retry_after); /* first, lest a call starts in between */
    }
    admission_client_leave(client, id);
    return response.status;
}

int main(void)
{
    struct admission_provider search = admission_provider_default("search");
    search.min_interval_us = ADMISSION_MS(100);
    search.max_concurrent = 2;
    struct admission_options options;
    admission_options_init(&options);
    options.providers = &search;
    options.n_providers = 1;

    admission_actor_t *actor;
    admission_client_t *client;
    must(admission_actor_new(&actor, &options, NULL));
    must(admission_client_new(&client, actor));

    for (int number = 1; number <= 4; number++) {
        while (call_once(actor, client, number) == 429) {
            /* the next try waits in the queue until the cooldown has passed */
        }
    }
    puts("4 calls answered, one of them at the second try");

    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return 0;
}
