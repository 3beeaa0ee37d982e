/* See tool/serve/press.h. */
#include "tool/serve/press.h"

#include <stdlib.h>

#include <sodium.h>

#include "base/memory.h"
#include "tool/serve/json.h"

bool adm_press_is_topic(struct adm_text topic)
{
    if (topic.length == 0 || topic.length > ADM_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < topic.length; i++) {
        const unsigned char byte = (unsigned char)topic.bytes[i];
        if (byte < ' ' || byte == 0x7f) {
            return false;
        }
    }
    json_t *string = json_stringn(topic.bytes, topic.length);
    json_decref(string);
    return string != NULL;
}

bool adm_press_has_topic(const struct adm_name *topics, size_t n, struct adm_name topic)
{
    for (size_t i = 0; i < n; i++) {
        if (adm_name_equal(topics[i], topic)) {
            return true;
        }
    }
    return false;
}

static json_t *base64(struct adm_text body)
{
    const size_t room = sodium_base64_encoded_len(body.length, sodium_base64_VARIANT_ORIGINAL);
    char *text = adm_memory_new(room, 1);
    sodium_bin2base64(text, room, (const unsigned char *)body.bytes, body.length,
                      sodium_base64_VARIANT_ORIGINAL);
    json_t *string = json_string(text);
    free(text);
    return string;
}

void adm_press_put_body(json_t *object, const char *member, const char *binary,
                        struct adm_text body)
{
    json_t *text = json_stringn(body.bytes, body.length);
    if (text != NULL) {
        json_object_set_new(object, member, text);
    } else {
        json_object_set_new(object, binary, base64(body));
    }
}

static void tell(struct adm_press *press, const struct adm_topic *topic, struct adm_text body)
{
    const struct adm_name name = adm_owned_name_view(&topic->name);
    json_t *json = json_pack("{ss%}", "topic", name.bytes, (size_t)name.length);
    adm_press_put_body(json, "body", "base64", body);
    char *text = adm_json_text(json);
    adm_streams_tell(press->streams, topic, &(struct adm_news){.topic = name, .json = text});
    free(text);
}

bool adm_press_publish(struct adm_press *press, struct adm_text topic, struct adm_text body)
{
    if (!adm_press_is_topic(topic) || body.length > ADM_TOPIC_BODY_MAX) {
        press->refused++;
        return false;
    }
    press->published++;
    bool is_news;
    const struct adm_topic *said =
        adm_topics_say(press->topics, adm_text_name(topic), body.bytes, body.length, &is_news);
    tell(press, said, body);
    if (is_news) {
        adm_streams_tell_change(press->streams, ADM_STREAM_WANTS_TOPICS);
    }
    return true;
}
