/* Where messages come in, whoever brings them: the feed, POST /publish, the tool of MCP. */
#ifndef ADM_SERVE_PRESS_H
#define ADM_SERVE_PRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "tool/serve/streams.h"
#include "tool/serve/topics.h"
#include "tool/reader.h"
#include "tool/values.h"

/* A topic is 1 to 255 bytes of UTF-8 without control characters, a body at most
 * ADM_TOPIC_BODY_MAX bytes of anything. */
#define ADM_PRESS_RULE "a topic has 1 to 255 bytes of UTF-8 text, a body at most 32768 bytes"

struct adm_press {
    struct adm_topics *topics;
    struct adm_streams *streams;
    uint64_t published;
    uint64_t refused;
};

bool adm_press_is_topic(struct adm_text topic);

/* Remembers it and tells all who asked for it; false when it breaks the rule. */
bool adm_press_publish(struct adm_press *press, struct adm_text topic, struct adm_text body);

/* What a body is in JSON: `member` with the text, or `binary` with base64 where it is none. */
void adm_press_put_body(json_t *object, const char *member, const char *binary,
                        struct adm_text body);

#endif
