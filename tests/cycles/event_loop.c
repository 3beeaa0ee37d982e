/* One thread drives so many cycles through a pool from an epoll loop, a thousand at a time;
 * none is lost, and nothing is left behind. A plain program, to be watched by sanitizers and
 * memcheck.
 *
 * Usage: event_loop CYCLES */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "fixture.h"

enum {
    AT_ONCE = 1000,
    KEYS = 10,
    NEVER_MIND = 1
};

/* One in four fails, at its first attempt only. */
static int answer(struct admission_attempt *attempt, void *context)
{
    (void)context;
    const unsigned number = *(const unsigned *)attempt->user;
    attempt->value = attempt->user;
    return attempt->number == 1 && number % 4 == 0 ? NEVER_MIND : 0;
}

static admission_query_t *make_query(admission_client_t *client, int number)
{
    char key[16];
    snprintf(key, sizeof key, "key-%d", number);
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = answer;
    options.key = number == 0 ? NULL : key;
    options.max_attempts = 2;
    options.retry_base_us = 100;
    options.attempt_timeout_us = ADMISSION_S(60);
    admission_query_t *query;
    check_ok(admission_query_new(&query, client, &options, NULL));
    return query;
}

struct drive {
    admission_pool_t *pool;
    admission_query_t *queries[KEYS];
    unsigned *numbers; /* of the cycles: 0, 1, 2, ... */
    bool *is_read;
    unsigned n;
    unsigned n_submitted;
    unsigned n_read;
};

static void submit_more(struct drive *drive)
{
    while (drive->n_submitted < drive->n && drive->n_submitted - drive->n_read < AT_ONCE) {
        unsigned *number = &drive->numbers[drive->n_submitted++];
        check_ok(
            admission_pool_submit(drive->pool, drive->queries[*number % KEYS], number, NULL));
    }
}

static void read_all(struct drive *drive)
{
    struct admission_result result;
    while (admission_pool_next(drive->pool, 0, &result) == ADMISSION_OK) {
        const unsigned number = *(const unsigned *)result.user;
        check(result.outcome == ADMISSION_OUTCOME_VALUE && result.value == result.user);
        check(result.attempts == (number % 4 == 0 ? 2 : 1));
        check(!drive->is_read[number]);
        drive->is_read[number] = true;
        drive->n_read++;
    }
}

static void loop(struct drive *drive)
{
    const int epoll_fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    check(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, admission_pool_fd(drive->pool), &event) == 0);
    while (drive->n_read < drive->n) {
        submit_more(drive);
        check(epoll_wait(epoll_fd, &event, 1, 60000) == 1);
        read_all(drive);
    }
    close(epoll_fd);
}

int main(int argc, char **argv)
{
    struct drive drive = {.n = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0};
    check(drive.n > 0);
    drive.numbers = calloc(drive.n, sizeof *drive.numbers);
    drive.is_read = calloc(drive.n, sizeof *drive.is_read);
    check(drive.numbers != NULL && drive.is_read != NULL);
    for (unsigned i = 0; i < drive.n; i++) {
        drive.numbers[i] = i;
    }
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 8;
    admission_actor_t *actor;
    admission_client_t *client;
    check_ok(admission_actor_new(&actor, &options, NULL));
    check_ok(admission_client_new(&client, actor));
    check_ok(admission_pool_new(&drive.pool, actor, NULL, NULL));
    for (int i = 0; i < KEYS; i++) {
        drive.queries[i] = make_query(client, i);
    }

    loop(&drive);

    for (int i = 0; i < KEYS; i++) {
        admission_query_destroy(&drive.queries[i]);
    }
    admission_pool_destroy(&drive.pool);
    struct admission_stats stats;
    check_ok(admission_actor_stats(actor, &stats));
    check(stats.running == 0 && stats.queued == 0 && stats.clients == 1);
    check(stats.tickets_left == stats.tickets_granted && stats.stray_leaves == 0);
    check(stats.tickets_granted == drive.n + (drive.n + 3) / 4);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    free(drive.numbers);
    free(drive.is_read);
    printf("%u cycles, each with one result\n", drive.n);
    return 0;
}
