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

/* What can be published, as a form and what goes into it: a topic without control characters,
 * a body of anything. */
#define ADM_PRESS_RULE "a topic has 1 to %d bytes of UTF-8 text, a body at most %d bytes"
#define ADM_PRESS_LIMITS ADM_NAME_MAX, ADM_TOPIC_BODY_MAX

struct adm_press {
    struct adm_topics *topics;
    struct adm_streams *streams;
    uint64_t published;
    uint64_t refused;
};

bool adm_press_is_topic(struct adm_text topic);

/* Is a topic among these? */
bool adm_press_has_topic(const struct adm_name *topics, size_t n, struct adm_name topic);

/* Remembers it and tells all who asked for it; false when it breaks the rule. */
bool adm_press_publish(struct adm_press *press, struct adm_text topic, struct adm_text body);

/* What a body is in JSON: `member` with the text, or `binary` with base64 where it is none. */
void adm_press_put_body(json_t *object, const char *member, const char *binary,
                        struct adm_text body);

#endif
