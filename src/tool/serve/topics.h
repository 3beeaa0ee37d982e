/* Topics: who asked for them, and what was last said about each.
 *
 * A topic is there while somebody asks for it or its last message is remembered; at most
 * ADM_TOPICS_REMEMBERED messages are, and the longest unspoken goes first. */
#ifndef ADM_SERVE_TOPICS_H
#define ADM_SERVE_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/hash.h"
#include "base/name.h"
#include "base/table.h"
#include "base/pool.h"

enum {
    ADM_TOPICS_REMEMBERED = 1024,
    ADM_TOPIC_BODY_MAX = 32 * 1024
};

struct adm_stream;

/* That one stream asked for one topic. It stands in the topic's list and in the stream's. */
struct adm_interest {
    struct adm_stream *stream;
    struct adm_topic *topic;
    LIST_ENTRY(adm_interest) of_topic;
    LIST_ENTRY(adm_interest) of_stream;
};

LIST_HEAD(adm_interests, adm_interest);

struct adm_topic {
    struct adm_owned_name name;
    char *body; /* NULL: nothing was said, or it is forgotten */
    size_t n_body;
    struct adm_interests interests;
    TAILQ_ENTRY(adm_topic) spoken; /* while it has a body: those spoken longest ago first */
    uint32_t number;
};

TAILQ_HEAD(adm_spoken_topics, adm_topic);

struct adm_topics {
    struct adm_hash_key key;
    struct adm_pool pool;
    struct adm_table table;
    struct adm_spoken_topics spoken;
    size_t n_spoken;
    struct adm_topic everything; /* for those who ask for no topic in particular */
};

void adm_topics_init(struct adm_topics *topics);

/* No stream is interested any more. */
void adm_topics_deinit(struct adm_topics *topics);

/* NULL when it is not there. */
struct adm_topic *adm_topics_find(const struct adm_topics *topics, struct adm_name name);

/* Makes `stream` interested; `name` absent: in everything. Returns what stands for it, to be
 * put into the stream's list, and given to adm_topics_lose() in the end. */
struct adm_interest *adm_topics_interest(struct adm_topics *topics, struct adm_name name,
                                         struct adm_stream *stream);
void adm_topics_lose(struct adm_topics *topics, struct adm_interest *interest);

/* Remembers a message; `body` is not NULL. `*is_news` tells whether what can be read has
 * changed: a topic came, or one had to go for it. */
struct adm_topic *adm_topics_say(struct adm_topics *topics, struct adm_name name,
                                 const void *body, size_t n_body, bool *is_news);

#endif
