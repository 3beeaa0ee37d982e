/* The abort signal, as the files of this floor see it. */
#ifndef ADM_API_SIGNAL_H
#define ADM_API_SIGNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "actor/hub.h"
#include "admission/signal.h"
#include "api/client.h"

/* Raised once, by whoever comes first. `flag_fd` belongs to the one who runs the function:
 * raised with the signal, or when its owner is nudged. */
struct admission_signal {
    const struct adm_hub *hub;
    struct adm_claim claim;     /* on a caller's thread, */
    admission_client_t *reader; /* whose client it reads; NULL: in a pool */
    atomic_int reason;
    int flag_fd; /* -1: nobody runs the function yet */
    int fd;      /* of both, for the user; -1: not made */
};

void adm_signal_init(struct admission_signal *signal, const struct adm_hub *hub);

/* On a caller's thread: has it hear by `client` what the actor says, until it is detached, to
 * the ticket that it is to expect a word to. */
void adm_signal_attach(struct admission_signal *signal, admission_client_t *client);
void adm_signal_expect(struct admission_signal *signal, uint64_t ticket);
void adm_signal_detach(struct admission_signal *signal);

/* Gives the signal back as new for an attempt, with the flag of the one who runs it. */
void adm_signal_renew(struct admission_signal *signal, int flag_fd);

/* The attempt is over: what was made for it goes, and the flag is another's. */
void adm_signal_retire(struct admission_signal *signal);

/* Raises it, unless it is raised. Not while it is renewed or retired: the caller has the
 * query's lock, or is the thread that does those. */
void adm_signal_raise(struct admission_signal *signal, admission_abort_t reason);

/* What the actor's word to a running ticket raises. */
admission_abort_t adm_signal_reason_of(enum adm_reason why);

#endif
