/* A port without sockets and clocks: a script on one side, a log on the other.
 *
 * A test puts records into messages, posts them, and turns the loop; each turn returns what the
 * loop asked of its port, a line each:
 *
 *     open 0
 *     answer 7: ok
 *     to 0: granted 1, refused 2 timeout after 5us [asked 2, words 2, held 1]
 *     to 1: nothing [asked 0, words 0, held 0]
 *     hang up 0
 *     wait until 500
 *
 * The clocks stand still unless the test moves them. Messages are handed over in memory of
 * exactly their size, so that a sanitizer sees who reads beyond them. */
#ifndef ADM_TESTS_ACTOR_SIM_H
#define ADM_TESTS_ACTOR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "actor/loop.h"
#include "actor/port.h"
#include "wire/inbound.h"

enum {
    SIM_HANDLES = 8
};

struct shadow;

struct sim_message {
    uint8_t *bytes;
    size_t size;
};

struct sim {
    struct adm_port port; /* first */
    struct adm_loop *loop;
    struct shadow *shadow; /* is shown everything; NULL: nobody is */

    int64_t elapsed_us;
    int64_t elapsed_step_us; /* by which every look at the clock moves it */
    int64_t wall_us;

    uint8_t building[4096]; /* the message under construction */
    size_t built;
    struct sim_message *inlet;
    size_t n_posted;
    size_t n_taken;
    size_t room;
    const struct sim_message *for_ever; /* comes when the rest is taken, without end */
    uint8_t *taken;                     /* the bytes that the loop holds now */

    unsigned n_calling[SIM_HANDLES]; /* hellos of clients that the loop has not taken up */
    bool is_connected[SIM_HANDLES];
    bool is_gone[SIM_HANDLES]; /* connected, but nobody receives: deliveries are lost */
    uint64_t n_numbers;
    size_t n_lost;
    bool is_restless; /* wait() returns at once */

    FILE *log;
    char *text;
    size_t text_size;
};

/* Begins with a loop over a machine with default limits, at time 0. */
void sim_init(struct sim *sim);

/* Ends the loop, when it has not been, and frees all. */
void sim_deinit(struct sim *sim);

/* A client is about to say hello under this number: without it, OPEN finds nobody. */
void sim_call(struct sim *sim, uint32_t handle);

/* Adds a record to the message under construction; sim_post() sends it. */
void sim_put(struct sim *sim, struct adm_inbound inbound);
void sim_post(struct sim *sim);
void sim_post_bytes(struct sim *sim, const void *bytes, size_t size);

/* One record as a message. */
void sim_say(struct sim *sim, struct adm_inbound inbound);

/* A handle calls and says hello. */
void sim_open(struct sim *sim, uint32_t handle);

/* One turn, drain, injection, or the end: returns the log of it, valid until the next one. */
const char *sim_turn(struct sim *sim);
const char *sim_drain(struct sim *sim);
const char *sim_inject(struct sim *sim, struct adm_inbound inbound);
const char *sim_end(struct sim *sim);

#endif
