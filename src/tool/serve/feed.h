/* The feed: messages of ZeroMQ publishers, each of two frames, topic and body. */
#ifndef ADM_SERVE_FEED_H
#define ADM_SERVE_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include <czmq.h>

#include "tool/serve/press.h"

/* One SUB socket takes all endpoints: `tcp://...` connects to a publisher, `@tcp://...` binds
 * for publishers that connect. */
struct adm_feed {
    zsock_t *socket; /* NULL: there is no feed */
    struct adm_press *press;
    uint64_t received;
    uint64_t malformed; /* not of two frames; those that break the press's rule it counts */
};

/* False when an endpoint is wrong or taken: `*culprit` is that endpoint. */
bool adm_feed_init(struct adm_feed *feed, zlist_t *endpoints, struct adm_press *press,
                   const char **culprit);
void adm_feed_deinit(struct adm_feed *feed);

/* -1 without a feed. Its edges are easily missed: adm_feed_read() every turn. */
int adm_feed_fd(const struct adm_feed *feed);

/* Hands on what is there, but no more than streams can be expected to write before the next
 * turn; true when there may be more. */
bool adm_feed_read(struct adm_feed *feed);

#endif
