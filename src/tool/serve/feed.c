/* See tool/serve/feed.h. It subscribes to everything: topics are chosen by streams, which come
 * and go faster than a subscription travels. */
#include "tool/serve/feed.h"

enum {
    READ_AT_ONCE = 256,
    MESSAGE_MAX = 1024 * 1024, /* a peer that sends more is cut off by libzmq */
};

bool adm_feed_init(struct adm_feed *feed, zlist_t *endpoints, struct adm_press *press,
                   const char **culprit)
{
    *feed = (struct adm_feed){.press = press};
    if (zlist_size(endpoints) == 0) {
        return true;
    }
    feed->socket = zsock_new(ZMQ_SUB);
    zsock_set_linger(feed->socket, 0);
    zsock_set_maxmsgsize(feed->socket, MESSAGE_MAX);
    zsock_set_subscribe(feed->socket, "");
    for (const char *endpoint = zlist_first(endpoints); endpoint != NULL;
         endpoint = zlist_next(endpoints)) {
        if (zsock_attach(feed->socket, endpoint, false) != 0) {
            *culprit = endpoint;
            adm_feed_deinit(feed);
            return false;
        }
    }
    return true;
}

void adm_feed_deinit(struct adm_feed *feed)
{
    zsock_destroy(&feed->socket);
}

int adm_feed_fd(const struct adm_feed *feed)
{
    return feed->socket == NULL ? -1 : (int)zsock_fd(feed->socket);
}

static struct adm_text text_of(zframe_t *frame)
{
    return (struct adm_text){.bytes = (const char *)zframe_data(frame),
                             .length = zframe_size(frame)};
}

static void take(struct adm_feed *feed, zmsg_t *message)
{
    feed->received++;
    if (zmsg_size(message) != 2) {
        feed->malformed++;
        return;
    }
    const struct adm_text topic = text_of(zmsg_first(message));
    const struct adm_text body = text_of(zmsg_next(message));
    adm_press_publish(feed->press, topic, body);
}

bool adm_feed_read(struct adm_feed *feed)
{
    if (feed->socket == NULL) {
        return false;
    }
    for (int i = 0; i < READ_AT_ONCE; i++) {
        if ((zsock_events(feed->socket) & ZMQ_POLLIN) == 0) {
            return false;
        }
        zmsg_t *message = zmsg_recv(feed->socket);
        if (message == NULL) {
            return false;
        }
        take(feed, message);
        zmsg_destroy(&message);
    }
    return true;
}
