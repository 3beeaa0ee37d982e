/* See tool/serve/topics.h. Names come from outside, so their hash has a key. It delivers
 * nothing: who has something to tell walks the interests. */
#include "tool/serve/topics.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_topics_init(struct adm_topics *topics)
{
    *topics = (struct adm_topics){.key = adm_hash_key_random()};
    adm_pool_init(&topics->pool, sizeof(struct adm_topic));
    TAILQ_INIT(&topics->spoken);
    LIST_INIT(&topics->everything.interests);
    topics->everything.number = ADM_POOL_NONE;
}

struct adm_topic *adm_topics_find(const struct adm_topics *topics, struct adm_name name)
{
    struct adm_table_walk walk;
    uint32_t number = adm_table_first(&topics->table, adm_hash_name(&topics->key, name), &walk);
    while (number != ADM_TABLE_NONE) {
        struct adm_topic *topic = adm_pool_at(&topics->pool, number);
        if (adm_name_equal(adm_owned_name_view(&topic->name), name)) {
            return topic;
        }
        number = adm_table_next(&topics->table, &walk);
    }
    return NULL;
}

static struct adm_topic *find_or_add(struct adm_topics *topics, struct adm_name name)
{
    struct adm_topic *topic = adm_topics_find(topics, name);
    if (topic != NULL) {
        return topic;
    }
    const uint32_t number = adm_pool_take(&topics->pool);
    topic = adm_pool_at(&topics->pool, number);
    *topic = (struct adm_topic){.number = number};
    adm_owned_name_init(&topic->name, name);
    LIST_INIT(&topic->interests);
    adm_table_add(&topics->table, adm_hash_name(&topics->key, name), number);
    return topic;
}

static void remove_if_idle(struct adm_topics *topics, struct adm_topic *topic)
{
    if (topic == &topics->everything || topic->body != NULL || !LIST_EMPTY(&topic->interests)) {
        return;
    }
    const struct adm_name name = adm_owned_name_view(&topic->name);
    adm_table_remove(&topics->table, adm_hash_name(&topics->key, name), topic->number);
    adm_owned_name_deinit(&topic->name);
    adm_pool_return(&topics->pool, topic->number);
}

static void forget(struct adm_topics *topics, struct adm_topic *topic)
{
    TAILQ_REMOVE(&topics->spoken, topic, spoken);
    topics->n_spoken--;
    free(topic->body);
    topic->body = NULL;
    remove_if_idle(topics, topic);
}

void adm_topics_deinit(struct adm_topics *topics)
{
    ADM_ASSERT(LIST_EMPTY(&topics->everything.interests));
    while (!TAILQ_EMPTY(&topics->spoken)) {
        forget(topics, TAILQ_FIRST(&topics->spoken));
    }
    adm_table_deinit(&topics->table);
    adm_pool_deinit(&topics->pool);
}

struct adm_interest *adm_topics_interest(struct adm_topics *topics, struct adm_name name,
                                         struct adm_stream *stream)
{
    struct adm_interest *interest = adm_memory_new(1, sizeof *interest);
    interest->stream = stream;
    interest->topic = adm_name_is_none(name) ? &topics->everything : find_or_add(topics, name);
    LIST_INSERT_HEAD(&interest->topic->interests, interest, of_topic);
    return interest;
}

void adm_topics_lose(struct adm_topics *topics, struct adm_interest *interest)
{
    LIST_REMOVE(interest, of_topic);
    remove_if_idle(topics, interest->topic);
    free(interest);
}

struct adm_topic *adm_topics_say(struct adm_topics *topics, struct adm_name name,
                                 const void *body, size_t n_body, bool *is_news)
{
    struct adm_topic *topic = find_or_add(topics, name);
    *is_news = topic->body == NULL;
    if (!*is_news) {
        TAILQ_REMOVE(&topics->spoken, topic, spoken);
    } else if (topics->n_spoken == ADM_TOPICS_REMEMBERED) {
        forget(topics, TAILQ_FIRST(&topics->spoken));
        topics->n_spoken++;
    } else {
        topics->n_spoken++;
    }
    TAILQ_INSERT_TAIL(&topics->spoken, topic, spoken);
    topic->body = adm_memory_resize(topic->body, n_body + 1, 1);
    memcpy(topic->body, body, n_body);
    topic->body[n_body] = '\0';
    topic->n_body = n_body;
    return topic;
}
