/* The door: which requests come in, and in whose name. Every request is looked at by itself: a
 * connection is neither a client nor a principal. */
#ifndef ADM_SERVE_DOOR_H
#define ADM_SERVE_DOOR_H

#include <stdbool.h>

#include <microhttpd.h>

#include "tool/serve/principals.h"
#include "tool/serve/settings.h"

struct adm_door {
    const struct adm_settings *settings;
    struct adm_principals *principals;
    struct adm_principal *anonymous; /* NULL: who has no token stays outside */
};

/* A header without the blanks around its value; of length 0 and bytes NULL when absent. */
struct adm_text adm_door_header(struct MHD_Connection *connection, const char *name);

/* Does it say twice what decides who is asked for, by whom, or where it ends? A proxy before
 * this server could read it in another way. */
bool adm_door_is_ambiguous(struct MHD_Connection *connection);

/* Is it meant for this server, and not sent by a page of another one? `Host`, and `Origin`
 * where there is one, name loopback, the bound address or a host that was allowed. */
bool adm_door_is_for_us(const struct adm_door *door, struct MHD_Connection *connection);

/* In whose name? By the bearer token, or else the cookie where `takes_cookie`, or else
 * anonymously; a token that is there and wrong is nobody's. Without a bearer token, neither is
 * what a page of another origin made a browser send. NULL: nobody's. */
struct adm_principal *adm_door_principal(const struct adm_door *door,
                                         struct MHD_Connection *connection, bool takes_cookie);

/* The bearer token of a request; of length 0 when there is none. */
struct adm_text adm_door_bearer(struct MHD_Connection *connection);

#define ADM_DOOR_COOKIE "admission_token"

/* Who comes in with --demo. These tokens are made to be seen, and no others are. */
struct adm_demo {
    const char *token;
    const char *principal;
};

enum {
    ADM_DOOR_N_DEMO = 2
};

extern const struct adm_demo adm_door_demo[ADM_DOOR_N_DEMO];

#endif
