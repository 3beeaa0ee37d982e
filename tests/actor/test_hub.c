/* What an actor and its clients share. The test is the actor: it takes what the lines send. So
 * it always leaves room: a line that finds none asks the actor who has gone, and waits; where
 * that is what is tested, the client is a thread. */
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actor/hub.h"
#include "actor/socket.h"

TestSuite(hub, .timeout = 60);

static struct adm_hub *begin(uint32_t max_clients)
{
    struct adm_hub *hub;
    const struct adm_hub_options options = {
        .max_clients = max_clients, .inlet_capacity = 100, .client_credit = 10};
    cr_assert(adm_hub_new(&hub, &options) == 0);
    return hub;
}

static void end(struct adm_hub *hub)
{
    adm_inlet_close_receiver(&hub->inlet);
    adm_hub_release(&hub);
    cr_assert(hub == NULL);
}

/* The handle in the next message, which is of this type. */
static uint32_t take_record(struct adm_hub *hub, enum adm_inbound_type type)
{
    const uint8_t *bytes;
    size_t size;
    struct adm_inbound inbound;
    cr_assert(adm_inlet_take(&hub->inlet, &bytes, &size));
    cr_assert(adm_inbound_decode(bytes, size, &inbound) == size && inbound.type == type);
    return inbound.request.handle;
}

static struct adm_line *open_line(struct adm_hub *hub)
{
    struct adm_line *line = NULL;
    cr_assert(adm_hub_open_line(hub, &line) == 0);
    cr_assert(take_record(hub, ADM_INBOUND_OPEN) == line->handle);
    cr_assert(adm_hub_take_up(hub, line->handle) == line);
    return line;
}

static void close_line(struct adm_hub *hub, struct adm_line *line)
{
    adm_hub_say_goodbye(hub, line, false);
    cr_assert(take_record(hub, ADM_INBOUND_STEP) == line->handle);
    adm_hub_hang_up(hub, line);
}

Test(hub, a_line_carries_messages_from_the_actor_to_the_client)
{
    struct adm_hub *hub = begin(10);
    struct adm_line *line = open_line(hub);
    zmq_msg_t message;
    zmq_msg_init(&message);
    cr_assert(!adm_socket_is_readable(line->receiver));
    cr_assert(adm_socket_send(line->sender, "hello", 5, ZMQ_DONTWAIT));
    cr_assert(adm_socket_is_readable(line->receiver));
    cr_assert(adm_socket_receive(line->receiver, &message) && zmq_msg_size(&message) == 5);
    cr_assert(!adm_socket_receive(line->receiver, &message));
    zmq_msg_close(&message);
    close_line(hub, line);
    end(hub);
}

Test(hub, a_line_is_taken_up_once_and_only_while_its_client_calls)
{
    struct adm_hub *hub = begin(10);
    struct adm_line *line = open_line(hub);
    cr_assert(adm_hub_take_up(hub, line->handle) == NULL);
    cr_assert(adm_hub_take_up(hub, line->handle + 1) == NULL);
    cr_assert(adm_hub_take_up(hub, UINT32_MAX) == NULL);
    close_line(hub, line);
    cr_assert(adm_hub_take_up(hub, 0) == NULL);
    end(hub);
}

Test(hub, the_handle_comes_back_but_the_public_number_never_does)
{
    struct adm_hub *hub = begin(5000);
    uint64_t last = 0;
    for (int round = 0; round < 2000; round++) {
        struct adm_line *line = open_line(hub);
        cr_assert(line->handle == 0 && line->number > last);
        cr_assert(atomic_load(&line->n_words) == 0 && atomic_load(&line->n_asked) == 0);
        atomic_store(&line->n_words, 7);
        atomic_store(&line->n_asked, 7);
        last = line->number;
        close_line(hub, line);
    }
    cr_assert(hub->n_lines == 1 && hub->n_in_use == 0);
    end(hub);
}

static size_t n_descriptors(void)
{
    size_t n = 0;
    DIR *folder = opendir("/proc/self/fd");
    cr_assert(folder != NULL);
    while (readdir(folder) != NULL) {
        n++;
    }
    closedir(folder);
    return n;
}

Test(hub, the_next_client_of_a_line_takes_no_new_descriptor)
{
    struct adm_hub *hub = begin(5000);
    close_line(hub, open_line(hub));
    const size_t n = n_descriptors();
    for (int round = 0; round < 2000; round++) {
        close_line(hub, open_line(hub));
        cr_assert(n_descriptors() == n);
    }
    end(hub);
}

Test(hub, the_next_client_of_a_line_reads_nothing_of_the_last_one)
{
    struct adm_hub *hub = begin(10);
    struct adm_line *line = open_line(hub);
    cr_assert(adm_socket_send(line->sender, "unread", 6, ZMQ_DONTWAIT));
    adm_hub_say_goodbye(hub, line, true);
    cr_assert(adm_socket_send(line->sender, "too late", 8, ZMQ_DONTWAIT));
    cr_assert(take_record(hub, ADM_INBOUND_STEP) == line->handle);
    adm_hub_hang_up(hub, line);

    struct adm_line *next = open_line(hub);
    zmq_msg_t message;
    zmq_msg_init(&message);
    cr_assert(next == line && !adm_socket_receive(next->receiver, &message));
    cr_assert(adm_socket_send(next->sender, "hello", 5, ZMQ_DONTWAIT));
    cr_assert(adm_socket_receive(next->receiver, &message) && zmq_msg_size(&message) == 5);
    zmq_msg_close(&message);
    close_line(hub, next);
    end(hub);
}

Test(hub, lines_that_are_open_together_have_handles_of_their_own)
{
    enum {
        N = 100
    };
    struct adm_hub *hub = begin(2 * N);
    struct adm_line *lines[N];
    for (uint32_t i = 0; i < N; i++) {
        lines[i] = open_line(hub);
        cr_assert(lines[i]->handle == i && lines[i]->number == i + 1);
    }
    for (uint32_t i = 0; i < N; i += 2) {
        close_line(hub, lines[i]);
    }
    for (uint32_t i = 0; i < N; i += 2) {
        lines[i] = open_line(hub);
        cr_assert(lines[i]->handle < N && lines[i]->handle % 2 == 0);
    }
    for (uint32_t i = 0; i < N; i++) {
        close_line(hub, lines[i]);
    }
    cr_assert(hub->n_lines == N && hub->n_in_use == 0);
    end(hub);
}

Test(hub, after_the_inlet_has_ended_no_line_opens_and_nothing_is_left_behind)
{
    struct adm_hub *hub = begin(2);
    cr_assert(adm_inlet_try_end(&hub->inlet));
    for (int i = 0; i < 100; i++) {
        struct adm_line *line = NULL;
        cr_assert(adm_hub_open_line(hub, &line) == ESHUTDOWN && line == NULL);
    }
    cr_assert(hub->n_in_use == 0);
    struct adm_call call = {.stats = NULL};
    struct adm_inbound question = {.type = ADM_INBOUND_STATS};
    cr_assert(adm_hub_call(hub, &question, &call) == ADM_ANSWER_ENDED);
    end(hub);
}

Test(hub, after_the_end_a_line_that_there_is_no_room_for_is_one_that_opens_no_more)
{
    struct adm_hub *hub = begin(1);
    struct adm_line *line = open_line(hub);
    struct adm_line *another = NULL;
    cr_assert(adm_hub_open_line(hub, &another) == EMFILE && another == NULL);
    cr_assert(adm_inlet_try_end(&hub->inlet));
    cr_assert(adm_hub_open_line(hub, &another) == ESHUTDOWN && another == NULL);
    adm_hub_hang_up(hub, line);
    end(hub);
}

/* A client that comes and goes, faster than the actor takes up its messages. */
struct restless {
    struct adm_hub *hub;
    int n_lives;
};

static void *come_and_go(void *arg)
{
    const struct restless *restless = arg;
    for (int i = 0; i < restless->n_lives; i++) {
        struct adm_line *line = NULL;
        if (adm_hub_open_line(restless->hub, &line) != 0) {
            return NULL;
        }
        adm_hub_say_goodbye(restless->hub, line, false);
    }
    return arg;
}

/* Handles one message, if there is one. */
static void hear_message(struct adm_hub *hub)
{
    const uint8_t *bytes;
    size_t size;
    struct adm_inbound inbound;
    if (!adm_inlet_take(&hub->inlet, &bytes, &size)) {
        sched_yield();
        return;
    }
    cr_assert(adm_inbound_decode(bytes, size, &inbound) == size);
    if (inbound.type == ADM_INBOUND_OPEN) {
        cr_assert(adm_hub_take_up(hub, inbound.request.handle) != NULL);
    } else if (inbound.type == ADM_INBOUND_STEP) {
        adm_hub_hang_up(hub, hub->lines[inbound.request.handle]);
    } else {
        adm_calls_answer(&hub->calls, inbound.request.id, &(struct adm_answer){0});
    }
}

/* The actor hears nothing until the thread has used so many lines, and asks. */
static void expect_lines(uint32_t max_clients, unsigned n_lines)
{
    struct restless restless = {.hub = begin(max_clients), .n_lives = 1000};
    pthread_t thread;
    cr_assert(pthread_create(&thread, NULL, come_and_go, &restless) == 0);
    while (atomic_load(&restless.hub->inlet.bell) < 2 * n_lines + 1) {
        sched_yield();
    }
    void *result = NULL;
    while (pthread_tryjoin_np(thread, &result) != 0) {
        hear_message(restless.hub);
    }
    cr_assert(result == &restless);
    while (restless.hub->n_in_use > 0) {
        hear_message(restless.hub);
    }
    cr_assert(restless.hub->n_lines == n_lines && restless.hub->n_goodbyes == 0);
    end(restless.hub);
}

Test(hub, clients_that_come_and_go_cannot_outrun_the_actor)
{
    expect_lines(5000, 8);
}

Test(hub, the_only_line_is_had_again_as_soon_as_the_goodbye_is_heard)
{
    expect_lines(1, 1);
}

Test(hub, lives_until_the_last_reference_is_released)
{
    struct adm_hub *hub = begin(2);
    struct adm_hub *kept = adm_hub_keep(hub);
    struct adm_line *line = open_line(hub);
    adm_hub_release(&hub);
    cr_assert(hub == NULL && atomic_load(&kept->n_references) == 1);
    close_line(kept, line);
    end(kept);
}

Test(hub, only_the_child_of_a_fork_is_a_fork)
{
    struct adm_hub *hub = begin(2);
    cr_assert(!adm_hub_is_forked(hub));
    const pid_t child = fork();
    if (child == 0) {
        _exit(adm_hub_is_forked(hub) ? 0 : 1);
    }
    int status;
    cr_assert(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    cr_assert(!adm_hub_is_forked(hub));
    end(hub);
}
