/* Which thread owns which clients, so that a thread that ends takes its clients with it (H1).
 */
#ifndef ADM_API_OWNER_H
#define ADM_API_OWNER_H

#include <stdbool.h>
#include <sys/queue.h>

#include "admission/client.h"

struct adm_owner;

/* A client's place among those of its owner. Whoever makes it sets `client`, and `die`, which
 * is called in an owner thread that ends; the rest is zeroed. */
struct adm_owned {
    admission_client_t *client;
    void (*die)(admission_client_t *client);
    struct adm_owner *owner;
    LIST_ENTRY(adm_owned) link;
};

/* Makes the calling thread the owner of a client that has none, or another. False when the
 * system has no room for thread-specific data. */
bool adm_owner_adopt(struct adm_owned *owned);

/* Takes a client away from its owner; any thread. */
void adm_owner_leave(struct adm_owned *owned);

/* Does the calling thread own it? */
bool adm_owner_is_caller(const struct adm_owned *owned);

#endif
