/* The paths: who may ask for each, and what it is answered with. */
#ifndef ADM_SERVE_ROUTES_H
#define ADM_SERVE_ROUTES_H

#include <microhttpd.h>

#include "tool/serve/assets.h"
#include "tool/serve/office.h"
#include "tool/serve/reply.h"

enum {
    ADM_ROUTES_TOPICS_MAX = 64 /* of one listen */
};

/* One request on its way to its answer. */
struct adm_exchange {
    struct adm_office *office;
    struct MHD_Connection *connection;
    const struct adm_route *route;   /* NULL: there is no such path */
    const struct adm_asset *asset;   /* of the page; NULL: the path is none of its files */
    struct adm_principal *principal; /* NULL where everybody may ask */
    struct adm_reply reply;          /* decided before the end of the body; status 0: none */
    struct adm_spool body;
    struct adm_stream *stream; /* NULL: none was asked for */
};

struct adm_route {
    const char *path;
    const char *method;
    bool has_head;     /* can be asked for its headers alone */
    bool is_open;      /* to everybody */
    bool takes_cookie; /* a browser's requests, which cannot carry a token */
    bool is_mcp;       /* takes JSON alone, and says so in JSON who it is not for */
    enum MHD_Result (*answer)(struct adm_exchange *exchange);
};

/* Finds the route of an exchange, and its asset. */
void adm_routes_find(struct adm_exchange *exchange, const char *path);

#endif
