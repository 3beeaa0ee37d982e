/* See fixture.h. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void check_that(bool holds, const char *file, int line, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        abort();
    }
}

struct bench bench_with(int64_t max_concurrent, const struct admission_provider *provider)
{
    struct bench bench = {.clock = admission_virtual_clock_new(BENCH_WALL_US)};
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = max_concurrent;
    options.limits.queue_capacity = ADMISSION_NONE;
    options.providers = provider;
    options.n_providers = provider == NULL ? 0 : 1;
    options.clock = admission_virtual_clock_face(bench.clock);
    check_ok(admission_actor_new(&bench.actor, &options, NULL));
    check_ok(admission_client_new(&bench.client, bench.actor));
    return bench;
}

void bench_end(struct bench *bench)
{
    const struct admission_stats stats = books(bench);
    check(stats.running == 0 && stats.queued == 0);
    check(stats.tickets_granted == stats.tickets_left);
    check(stats.stray_leaves == 0 && stats.malformed_messages == 0);
    admission_client_destroy(&bench->client);
    admission_actor_destroy(&bench->actor);
    admission_virtual_clock_destroy(&bench->clock);
}

void pass(struct bench *bench, int64_t by_us)
{
    admission_virtual_clock_advance(bench->clock, by_us);
}

void pass_inside(struct bench *bench, int64_t by_us)
{
    admission_virtual_clock_release(bench->clock);
    pass(bench, by_us);
    admission_virtual_clock_hold(bench->clock);
}

struct admission_stats books(struct bench *bench)
{
    struct admission_stats stats;
    check_ok(admission_actor_stats(bench->actor, &stats));
    return stats;
}

void *nothing_but_a_size(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int how = MAP_PRIVATE | MAP_ANONYMOUS;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, how, -1, 0);
    check(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    size_t *size = (void *)(pages + page - sizeof *size);
    *size = sizeof *size;
    return size;
}

pthread_t start_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, run, arg) == 0);
    return thread;
}

void join_thread(pthread_t thread)
{
    check(pthread_join(thread, NULL) == 0);
}

void raise_semaphore(sem_t *semaphore)
{
    check(sem_post(semaphore) == 0);
}

void wait_for_semaphore(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
        check(errno == EINTR);
    }
}
