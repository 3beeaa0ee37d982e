/* Guests: connections that owe a whole request. Anybody can open a connection, so none may stay
 * without having asked for something: not one that says nothing, and not one that drips. */
#ifndef ADM_SERVE_GUESTS_H
#define ADM_SERVE_GUESTS_H

#include <stdint.h>
#include <sys/queue.h>

#include <microhttpd.h>

enum {
    ADM_GUESTS_PATIENCE_US =
        10000000 /* for the first request, and from an answer to the next */
};

struct adm_guest;

TAILQ_HEAD(adm_waiting_guests, adm_guest);

/* All guests, with those that have owed longest first. */
struct adm_guests {
    struct adm_waiting_guests waiting;
    int64_t now;
};

void adm_guests_init(struct adm_guests *guests);

/* No connection is left. */
void adm_guests_deinit(struct adm_guests *guests);

/* A connection comes, which owes from now on; and goes. `at` is its socket context. */
void adm_guests_come(struct adm_guests *guests, struct MHD_Connection *connection, void **at);
void adm_guests_go(struct adm_guests *guests, void **at);

/* It has brought a whole request; it has been answered, and owes again. */
void adm_guests_settle(struct adm_guests *guests, struct MHD_Connection *connection);
void adm_guests_owe(struct adm_guests *guests, struct MHD_Connection *connection);

/* Ends those that have owed for too long at `now`; the other tells when to look again,
 * ADM_NEVER. */
void adm_guests_look(struct adm_guests *guests, int64_t now);
int64_t adm_guests_due_at(const struct adm_guests *guests);

#endif
