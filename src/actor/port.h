/* The seam under the loop: its clock and its transport, as one narrow interface.
 *
 * In production it is ZeroMQ and the monotonic clock (actor/zmq_port.h); in tests it is a
 * script with faults. All functions are called on the loop's thread, and none may block but
 * wait(). */
#ifndef ADM_ACTOR_PORT_H
#define ADM_ACTOR_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/answer.h"

/* What a handle is told beside its events, so that it can keep to its credit. */
struct adm_account {
    uint64_t n_asked; /* its requests for an answer that have been handled */
    uint64_t n_words; /* the words that have been sent to it, but for END */
    uint32_t n_held;  /* its tickets and live listeners */
};

struct adm_port {
    /* The elapsed clock, which decides, and the wall clock, which stamps (Z3). Microseconds. */
    int64_t (*elapsed)(struct adm_port *port);
    int64_t (*wall)(struct adm_port *port);

    /* The next message of the inlet; false when there is none. Valid until the next call. */
    bool (*take)(struct adm_port *port, const uint8_t **bytes, size_t *size);

    /* Waits for a message or for `until`, whichever comes first; may return early. Returns
     * whether it slept. */
    bool (*wait)(struct adm_port *port, int64_t until);

    /* A handle says hello: connects to it, and gives its public number; false when no such
     * handle is waiting. */
    bool (*open)(struct adm_port *port, uint32_t handle, uint64_t *number);

    /* Sends a message to an open handle - none when `size` is 0 - and tells its account first.
     * A handle that is gone gets nothing, silently. */
    void (*deliver)(struct adm_port *port, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account);

    /* The handle has ended: its number may be given out again. */
    void (*hang_up)(struct adm_port *port, uint32_t handle);

    /* The machine has closed (K1), perhaps not for the first time. */
    void (*tell_closed)(struct adm_port *port);

    /* Answers a call. */
    void (*answer)(struct adm_port *port, uint64_t call, const struct adm_answer *answer);
};

#endif
