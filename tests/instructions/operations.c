/* Admits, answers and leaves N times, all on one thread, for callgrind to count: the machine
 * alone, or the whole path - client, inlet, loop, machine, outlet, client - a message for each
 * request, or corked by 64. Nothing here depends on time or on a scheduler. */
#include <admission.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor/loop.h"
#include "actor/zmq_port.h"
#include "api/actor.h"
#include "base/assert.h"

enum {
    PRINCIPALS = 1000,
    CORK = 64,
    NAME_SIZE = 18
};

static const char *principal(unsigned i)
{
    static char names[PRINCIPALS][NAME_SIZE];
    char *name = names[i % PRINCIPALS];
    if (name[0] == '\0') {
        snprintf(name, NAME_SIZE, "principal-%07u", i % PRINCIPALS);
    }
    return name;
}

static void run_machine(unsigned n)
{
    const struct adm_limits limits = adm_limits_default();
    const struct adm_hash_key key = {.bytes = "sixteen bytes.."};
    struct adm_machine *machine = adm_machine_new(&limits, &key);
    struct adm_effects effects = {0};
    for (unsigned i = 0; i < n; i++) {
        struct adm_request admit = {.type = ADM_REQUEST_LISTENER, .id = i + 1};
        admit.of.listener.principal =
            (struct adm_name){.bytes = principal(i), .length = NAME_SIZE - 1};
        const struct adm_request leave = {.type = ADM_REQUEST_LEAVE, .id = i + 1};
        adm_machine_step(machine, i, &admit, &effects);
        ADM_ASSERT(effects.n == 1 && effects.items[0].type == ADM_EFFECT_ADMITTED);
        adm_effects_clear(&effects);
        adm_machine_step(machine, i, &leave, &effects);
    }
    adm_effects_deinit(&effects);
    adm_machine_destroy(&machine);
}

/* The library without its thread: the loop turns when it is told to. */
struct house {
    struct admission_actor actor;
    struct adm_zmq_port port;
    struct adm_loop *loop;
    admission_client_t *client;
};

static void open_house(struct house *house)
{
    struct admission_options options;
    admission_options_init(&options);
    options.spin = ADMISSION_SPIN_NEVER;
    struct adm_machine *machine;
    ADM_ASSERT(adm_actor_make(&options, &house->actor.hub, &machine) == 0);
    adm_zmq_port_init(&house->port, house->actor.hub);
    house->loop = adm_loop_new(&house->port.port, machine);
    ADM_ASSERT(admission_client_new(&house->client, &house->actor) == ADMISSION_OK);
}

static void close_house(struct house *house)
{
    admission_client_destroy(&house->client);
    adm_zmq_port_end(&house->port, &house->loop);
    adm_zmq_port_deinit(&house->port);
    adm_hub_release(&house->actor.hub);
}

/* Reads the answers of `n` admits, and leaves each. */
static void read_and_leave(struct house *house, unsigned n)
{
    struct admission_event event;
    for (unsigned i = 0; i < n; i++) {
        ADM_ASSERT(admission_client_next(house->client, 0, &event) == ADMISSION_OK);
        ADM_ASSERT(event.type == ADMISSION_EVENT_ADMITTED);
        admission_client_leave(house->client, event.id);
    }
}

static void run_house(unsigned n, unsigned a_message)
{
    struct house house = {.client = NULL};
    open_house(&house);
    for (unsigned i = 0; i < n; i += a_message) {
        if (a_message > 1) {
            admission_client_cork(house.client);
        }
        for (unsigned k = 0; k < a_message; k++) {
            const struct admission_listen listen = admission_listen_default(principal(i + k));
            ADM_ASSERT(admission_client_request_listener(house.client, &listen, NULL) ==
                       ADMISSION_OK);
        }
        (void)adm_loop_turn(house.loop);
        read_and_leave(&house, a_message);
        admission_client_uncork(house.client);
    }
    close_house(&house);
}

int main(int argc, char **argv)
{
    ADM_ASSERT(argc == 3);
    const unsigned n = (unsigned)strtoul(argv[2], NULL, 10);
    if (strcmp(argv[1], "machine") == 0) {
        run_machine(n);
    } else if (strcmp(argv[1], "single") == 0) {
        run_house(n, 1);
    } else {
        run_house(n, CORK);
    }
    return 0;
}
