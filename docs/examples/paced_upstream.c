/* An upstream that is paced and cooled down: calls start 100 ms apart, and when the upstream
 * says Retry-After, nobody calls it before that time has passed. */
#include <admission.h>
#include <errno.h>
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

/* Milliseconds since the first call of this function. */
static long long now_ms(void)
{
    static long long began_ms = -1;
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    const long long ms = at.tv_sec * 1000LL + at.tv_nsec / 1000000;
    if (began_ms == -1) {
        began_ms = ms;
    }
    return ms - began_ms;
}

/* Stands for the upstream: its third call is one too many. */
static struct response call_upstream(void)
{
    static int n_calls;
    n_calls++;
    return n_calls == 3 ? (struct response){.status = 429, .retry_after = "1"}
                        : (struct response){.status = 200};
}

/* The seconds of a Retry-After in microseconds. 0 for what is no such number: its other form, a
 * date of the wall clock, is left out here. */
static int64_t parse_retry_after(const char *text)
{
    char *end;
    errno = 0;
    const long long seconds = strtoll(text, &end, 10);
    const int is_fine = errno == 0 && end != text && *end == '\0';
    const long long day = 24 * 60 * 60;
    return is_fine && seconds > 0 ? ADMISSION_S(seconds < day ? seconds : day) : 0;
}

/* One call, when the actor lets it start; returns the upstream's status. */
static int call_once(admission_actor_t *actor, admission_client_t *client, int number)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.provider = "search";
    uint64_t id;
    struct admission_event event;
    must(admission_client_admit_ticket(client, &ticket, &id, &event));

    const struct response response = call_upstream();
    printf("call %d at %lld ms, after %lld ms in the queue: %d\n", number, now_ms(),
           (long long)(event.waited_us / 1000), response.status);
    if (response.retry_after != NULL) {
        printf("call %d: the upstream says Retry-After: %s\n", number, response.retry_after);
        /* before the leave, lest another call starts between the two */
        must(
            admission_actor_cooldown(actor, "search", parse_retry_after(response.retry_after)));
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
