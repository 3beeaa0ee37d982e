/* Waiting elsewhere than in the library: on the descriptor, which is level-triggered, and on
 * the raw socket, with the ways of ZeroMQ. */
#include <criterion/criterion.h>
#include <czmq.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "steps.h"

TestSuite(descriptors, .timeout = 60);

struct fixture {
    admission_actor_t *actor;
    admission_client_t *reader;
    admission_client_t *other;
    int fd;
};

static struct fixture begin(void)
{
    struct fixture f = {.actor = start()};
    f.reader = open_client(f.actor);
    f.other = open_client(f.actor);
    cr_assert(admission_client_fd(f.reader, &f.fd) == ADMISSION_OK);
    return f;
}

static void end(struct fixture *f)
{
    close_client(f->reader);
    close_client(f->other);
    finish(f->actor);
}

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    return poll(&polled, 1, timeout_ms) == 1;
}

Test(descriptors, the_descriptor_is_readable_as_long_as_there_is_an_event)
{
    struct fixture f = begin();
    cr_assert(!is_readable(f.fd, 0));
    const uint64_t first = admit_listener(f.reader, "ann", 2);
    const uint64_t second = admit_listener(f.reader, "ann", 2);
    cr_assert(!is_readable(f.fd, 0), "a call that waited has read its own word");
    (void)admit_listener(f.other, "ann", 2);
    (void)admit_listener(f.other, "ann", 2);
    cr_assert(is_readable(f.fd, 10000));
    cr_assert(is_readable(f.fd, 0), "and again, for nothing has been read");
    expect_event(f.reader, ADMISSION_EVENT_SUPERSEDED, first);
    cr_assert(is_readable(f.fd, 10000), "the second may lie in the same message");
    expect_event(f.reader, ADMISSION_EVENT_SUPERSEDED, second);
    expect_quiet(f.reader);
    cr_assert(!is_readable(f.fd, 0));
    end(&f);
}

Test(descriptors, there_is_one_descriptor_made_at_the_first_call)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    const int before = n_descriptors();
    int first = -1;
    int second = -1;
    cr_assert(admission_client_fd(client, &first) == ADMISSION_OK);
    cr_assert(admission_client_fd(client, &second) == ADMISSION_OK && first == second);
    cr_assert(n_descriptors() == before + 2);
    close_client(client);
    cr_assert(n_descriptors() <= before);
    finish(actor);
}

Test(descriptors, one_that_is_asked_for_late_tells_of_what_is_there_already)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    const uint64_t asked = ask_ticket(client);
    settle(client); /* so the word lies in the client, and not in its socket */
    int fd = -1;
    cr_assert(admission_client_fd(client, &fd) == ADMISSION_OK);
    cr_assert(is_readable(fd, 0));
    expect_event(client, ADMISSION_EVENT_GRANTED, asked);
    cr_assert(!is_readable(fd, 0));
    close_client(client);
    finish(actor);
}

static void *ask_now_and_then(void *client)
{
    for (int i = 0; i < 3000; i++) {
        (void)admission_client_leave(client, UINT64_MAX);
        whatever(admission_client_request_ticket(client, NULL, NULL));
        if (i % 7 == 0) {
            sched_yield();
        }
    }
    return NULL;
}

Test(descriptors, a_loop_that_reads_one_event_for_each_poll_never_stalls)
{
    struct fixture f = begin();
    pthread_t thread = run(ask_now_and_then, f.reader);
    for (int n = 0; n < 3000;) {
        cr_assert(is_readable(f.fd, 10000), "stalled after %d", n);
        struct admission_event event;
        n += admission_client_next(f.reader, 0, &event) == ADMISSION_OK;
        (void)admission_client_cancel(f.reader, UINT64_MAX); /* a send, which changes nothing */
    }
    (void)join(thread);
    expect_quiet(f.reader);
    end(&f);
}

Test(descriptors, works_with_epoll_level_triggered)
{
    struct fixture f = begin();
    const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event readable = {.events = EPOLLIN};
    cr_assert(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, f.fd, &readable) == 0);
    cr_assert(epoll_wait(epoll_fd, &readable, 1, 0) == 0);
    pthread_t thread = run(ask_now_and_then, f.reader);
    for (int n = 0; n < 3000;) {
        cr_assert(epoll_wait(epoll_fd, &readable, 1, 10000) == 1, "stalled after %d", n);
        struct admission_event event;
        n += admission_client_next(f.reader, 0, &event) == ADMISSION_OK;
    }
    (void)join(thread);
    expect_quiet(f.reader);
    cr_assert(epoll_wait(epoll_fd, &readable, 1, 0) == 0);
    close(epoll_fd);
    end(&f);
}

Test(descriptors, is_readable_once_the_actor_has_ended)
{
    struct fixture f = begin();
    struct admission_event event;
    admission_actor_destroy(&f.actor);
    cr_assert(is_readable(f.fd, 10000));
    cr_assert(admission_client_next(f.reader, ADMISSION_S(10), &event) == ADMISSION_CLOSED);
    cr_assert(is_readable(f.fd, 0), "next would still not return EMPTY");
    close_client(f.reader);
    close_client(f.other);
}

/* The raw socket: read until there is nothing more, then poll. */

static int read_all(admission_client_t *client)
{
    struct admission_event event;
    int n = 0;
    while (admission_client_next(client, 0, &event) == ADMISSION_OK) {
        n++;
    }
    return n;
}

Test(descriptors, the_raw_socket_works_with_zmq_poll)
{
    struct fixture f = begin();
    zmq_pollitem_t item = {.socket = admission_client_socket(f.reader), .events = ZMQ_POLLIN};
    cr_assert(zmq_poll(&item, 1, 0) == 0);
    pthread_t thread = run(ask_now_and_then, f.reader);
    for (int n = 0; n < 3000;) {
        cr_assert(zmq_poll(&item, 1, 10000) == 1, "stalled after %d", n);
        n += read_all(f.reader);
    }
    (void)join(thread);
    end(&f);
}

Test(descriptors, the_raw_socket_works_with_zpoller)
{
    struct fixture f = begin();
    void *socket = admission_client_socket(f.reader);
    zpoller_t *poller = zpoller_new(socket, NULL);
    pthread_t thread = run(ask_now_and_then, f.reader);
    for (int n = 0; n < 3000;) {
        cr_assert(zpoller_wait(poller, 10000) == socket, "stalled after %d", n);
        n += read_all(f.reader);
    }
    (void)join(thread);
    zpoller_destroy(&poller);
    end(&f);
}

struct looped {
    admission_client_t *client;
    int n;
};

static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *arg)
{
    (void)loop;
    (void)item;
    struct looped *looped = arg;
    looped->n += read_all(looped->client);
    return looped->n < 3000 ? 0 : -1;
}

Test(descriptors, the_raw_socket_works_with_zloop)
{
    struct fixture f = begin();
    struct looped looped = {.client = f.reader};
    zloop_t *loop = zloop_new();
    zmq_pollitem_t item = {.socket = admission_client_socket(f.reader), .events = ZMQ_POLLIN};
    cr_assert(zloop_poller(loop, &item, on_readable, &looped) == 0);
    pthread_t thread = run(ask_now_and_then, f.reader);
    zloop_start(loop);
    cr_assert(looped.n == 3000);
    (void)join(thread);
    zloop_destroy(&loop);
    end(&f);
}
