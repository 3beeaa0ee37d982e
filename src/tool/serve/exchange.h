/* One request and its answer: what is where, who may ask for it, and what it does. */
#ifndef ADM_SERVE_EXCHANGE_H
#define ADM_SERVE_EXCHANGE_H

#include <microhttpd.h>

#include "admission/actor.h"
#include "tool/serve/door.h"
#include "tool/serve/feed.h"
#include "tool/serve/mcp_call.h"
#include "tool/serve/press.h"
#include "tool/serve/streams.h"

enum {
    ADM_EXCHANGE_BODY_MAX = 256 * 1024,
    ADM_EXCHANGE_SKIP_MAX = 4 * 1024 * 1024, /* of a longer body, read to be able to answer */
    ADM_EXCHANGE_TOPICS_MAX = 64             /* of one listen */
};

/* What requests are answered with; the server owns all of it. */
struct adm_office {
    const struct adm_settings *settings;
    admission_actor_t *actor;
    struct adm_door door;
    struct adm_streams *streams;
    struct adm_topics *topics;
    struct adm_press press;
    struct adm_feed feed;
    struct adm_mcp mcp;
    struct MHD_Daemon *daemon;
    uint64_t requests;
};

/* The two callbacks of libmicrohttpd; `office` is a struct adm_office. */
enum MHD_Result adm_exchange_handle(void *office, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *n_upload, void **exchange);
void adm_exchange_complete(void *office, struct MHD_Connection *connection, void **exchange,
                           enum MHD_RequestTerminationCode why);

#endif
