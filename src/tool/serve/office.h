/* What requests are answered with; the server owns all of it. */
#ifndef ADM_SERVE_OFFICE_H
#define ADM_SERVE_OFFICE_H

#include <microhttpd.h>

#include "admission/actor.h"
#include "tool/serve/door.h"
#include "tool/serve/feed.h"
#include "tool/serve/figures.h"
#include "tool/serve/mcp_call.h"
#include "tool/serve/press.h"
#include "tool/serve/streams.h"

/* The actor's books as they were read in a turn. */
struct adm_books {
    uint64_t turn; /* 0: not read yet */
    bool is_open;
    struct admission_stats stats;
};

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
    uint64_t turn; /* of the server's loop, the first is 1 */
    struct adm_books books;
};

/* All that is known in this turn, but for the backlog, which takes a walk over all streams.
 * False: the actor tells nothing any more. */
bool adm_office_figures(struct adm_office *office, struct adm_figures *figures);

#endif
