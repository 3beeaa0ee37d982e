/* What happens between two steps of the library, made to happen there every time: the program
 * stands in for the calls by which those steps look at the world. */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "script.h"

TestSuite(moments, .timeout = 20);

static bool is_readable(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    const struct timespec no_time = {0};
    return ppoll(&polled, 1, &no_time, NULL) == 1;
}

/* The dispatcher of a pool stops short of taking its flag down, until this thread has raised
 * it once more. */
static struct {
    atomic_bool is_set;
    sem_t is_reached;
    sem_t is_raised;
} gate;

static bool is_dispatcher(void)
{
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "admission-pool") == 0;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    if (atomic_load(&gate.is_set) && is_dispatcher()) {
        raise_semaphore(&gate.is_reached);
        wait_for_semaphore(&gate.is_raised);
        atomic_store(&gate.is_set, false);
    }
    return syscall(SYS_read, fd, bytes, size);
}

static _Thread_local bool is_to_tell;

ssize_t write(int fd, const void *bytes, size_t size)
{
    const ssize_t written = syscall(SYS_write, fd, bytes, size);
    if (is_to_tell) {
        is_to_tell = false;
        raise_semaphore(&gate.is_raised);
    }
    return written;
}

/* Its end is the last thing that the dispatcher hears of. */
static int set_the_gate(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    (void)context;
    atomic_store(&gate.is_set, true);
    return 0;
}

Test(moments, a_pool_that_is_destroyed_while_its_dispatcher_takes_its_flag_down_ends)
{
    struct bench bench = bench_with(1, NULL);
    admission_pool_t *pool;
    check_ok(admission_pool_new(&pool, bench.actor, NULL, NULL));
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = set_the_gate;
    admission_query_t *query = query_of(&bench, &options);
    check(sem_init(&gate.is_reached, 0, 0) == 0 && sem_init(&gate.is_raised, 0, 0) == 0);
    check_ok(admission_pool_submit(pool, query, NULL, NULL));
    wait_for_semaphore(&gate.is_reached);
    is_to_tell = true;
    admission_pool_destroy(&pool);
    check(!atomic_load(&gate.is_set));
    admission_query_destroy(&query);
    bench_end(&bench);
}

/* A word comes when the socket has been found empty, and before it is asked for its events. */
static _Thread_local struct bench *to_pass;

int zmq_getsockopt(void *socket, int option, void *value, size_t *size)
{
    static int (*real)(void *, int, void *, size_t *);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "zmq_getsockopt");
    }
    if (option == ZMQ_EVENTS && to_pass != NULL) {
        struct bench *bench = to_pass;
        to_pass = NULL;
        pass_inside(bench, 3 * SECOND);
    }
    return real(socket, option, value, size);
}

static void be_told_while_asking(struct script *script, struct admission_attempt *attempt)
{
    int fd;
    check_ok(admission_signal_fd(attempt->signal, &fd));
    to_pass = script->bench;
    const admission_abort_t asked = admission_signal_reason(attempt->signal);
    check(to_pass == NULL);
    check(asked == ADMISSION_ABORT_TIMEOUT || is_readable(fd));
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_TIMEOUT);
}

static void with_its_own_descriptor_too(struct script *script,
                                        struct admission_attempt *attempt)
{
    int fd;
    check_ok(admission_client_fd(script->bench->client, &fd));
    be_told_while_asking(script, attempt);
}

static void expect_to_be_told(void (*also)(struct script *, struct admission_attempt *))
{
    struct bench bench = bench_with(1, NULL);
    struct script script = script_for(&bench);
    script.also = also;
    struct admission_query_options options = options_for(&script);
    options.attempt_timeout_us = 2 * SECOND;
    admission_query_t *query = query_of(&bench, &options);
    const struct admission_result result = run(&bench, query);
    check(result.abort == ADMISSION_ABORT_TIMEOUT && script.n_calls == 1);
    admission_query_destroy(&query);
    bench_end(&bench);
}

Test(moments, an_abort_that_comes_while_the_signal_is_asked_is_answered_or_shows_T11)
{
    expect_to_be_told(be_told_while_asking);
    expect_to_be_told(with_its_own_descriptor_too);
}

/* What a waiter of the virtual clock waits for comes, and is gone before he has looked: he
 * sleeps on, and the clock has seen it. */
static struct {
    atomic_int fd; /* 0: none */
    atomic_bool is_gone;
} brief;

/* poll(), which by its own name would not be allowed to read what it is given. */
int poll_instead(struct pollfd *fds, nfds_t n, int timeout_ms) __asm__("poll");

int poll_instead(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    const struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                                     .tv_nsec = timeout_ms % 1000 * 1000000L};
    const int fd = atomic_load(&brief.fd);
    const bool is_brief = fd != 0 && n > 0 && fds[0].fd == fd;
    if (is_brief && timeout_ms != 0) {
        return ppoll(fds + 1, n - 1, NULL, NULL);
    }
    const int n_ready = ppoll(fds, n, timeout_ms < 0 ? NULL : &timeout, NULL);
    uint64_t count;
    if (is_brief && n_ready > 0) {
        check(read(fd, &count, sizeof count) == sizeof count);
        atomic_store(&brief.is_gone, true);
    }
    return n_ready;
}

static void *wait_in_vain(void *arg)
{
    const struct admission_clock *face = arg;
    while (!atomic_load(&brief.is_gone)) {
        struct pollfd polled = {.fd = atomic_load(&brief.fd), .events = POLLIN};
        face->wait(face->context, &polled, 1, ADMISSION_NONE);
    }
    face->release(face->context);
    return NULL;
}

Test(moments, a_clock_moves_on_when_what_was_ready_is_no_more)
{
    struct bench bench = bench_with(1, NULL);
    const struct admission_clock *face = admission_virtual_clock_face(bench.clock);
    atomic_store(&brief.fd, eventfd(1, EFD_CLOEXEC));
    face->hold(face->context);
    const pthread_t thread = start_thread(wait_in_vain, (void *)(uintptr_t)face);
    pass(&bench, SECOND);
    join_thread(thread);
    check(elapsed(&bench) == SECOND);
    close(atomic_load(&brief.fd));
    bench_end(&bench);
}
