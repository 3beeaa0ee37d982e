/* See tool/serve/feed.h. It subscribes to everything: topics are chosen by streams, which come
 * and go faster than a subscription travels. */
#include "tool/serve/feed.h"

/* What is not read yet waits in libzmq: WAITING_MAX messages of two such frames are 8 MiB for
 * each peer. How many frames a message has, libzmq does not limit. */
enum {
    READ_AT_ONCE = 16 * 1024, /* bytes of JSON: streams have to be written in between */
    SKIP_AT_ONCE = 256,       /* messages: those that are refused have no JSON */
    FRAME_MAX = 2 * ADM_TOPIC_BODY_MAX, /* libzmq cuts off a peer that sends more */
    WAITING_MAX = 64,
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
    zsock_set_maxmsgsize(feed->socket, FRAME_MAX);
    zsock_set_rcvhwm(feed->socket, WAITING_MAX);
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
    const uint64_t *told_bytes = &adm_streams_counts(feed->press->streams)->told_bytes;
    const uint64_t end = *told_bytes + READ_AT_ONCE;
    for (int i = 0; i < SKIP_AT_ONCE && *told_bytes < end; i++) {
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
