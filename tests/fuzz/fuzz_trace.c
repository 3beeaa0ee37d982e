/* Any bytes as one line of a trace: it is a line in range, or the error says something
 * printable. */
#include <ctype.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz.h"
#include "tool/trace.h"
#include "wire/inbound.h"

static void check_error(const char error[ADM_READER_ERROR_MAX])
{
    const size_t length = strnlen(error, ADM_READER_ERROR_MAX);
    ADM_ASSERT(length > 0 && length < ADM_READER_ERROR_MAX);
    for (size_t i = 0; i < length; i++) {
        ADM_ASSERT(isprint((unsigned char)error[i]));
    }
}

/* The encoder asserts the ranges of all that can travel. */
static void check_request(const struct adm_request *request)
{
    if (request->type != ADM_REQUEST_CLOSE) {
        struct adm_inbound inbound = {.type = ADM_INBOUND_STEP, .request = *request};
        inbound.request.handle = 0;
        inbound.request.id = 0;
        uint8_t bytes[ADM_WIRE_INBOUND_MAX];
        adm_inbound_encode(&inbound, bytes);
    }
}

static bool is_inside(struct adm_name name, struct adm_text text)
{
    return adm_name_is_none(name) ||
           (name.bytes >= text.bytes && name.bytes + name.length <= text.bytes + text.length);
}

static void check_line(const struct adm_trace_line *line, struct adm_text text)
{
    ADM_ASSERT(is_inside(line->handle, text) && is_inside(line->id, text));
    ADM_ASSERT(!line->has_time || (line->at >= 0 && line->at < ADM_NEVER));
    switch (line->type) {
    case ADM_TRACE_REQUEST:
        check_request(&line->request);
        break;
    case ADM_TRACE_NOTHING:
        break;
    case ADM_TRACE_STATS:
    case ADM_TRACE_END:
        ADM_ASSERT(line->has_time && adm_name_is_none(line->handle));
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const void *end = size > 0 ? memchr(data, '\n', size) : NULL;
    const struct adm_text text = {
        .bytes = (const char *)data,
        .length = end != NULL ? (size_t)((const uint8_t *)end - data) : size,
    };
    struct adm_trace_line line;
    char error[ADM_READER_ERROR_MAX];
    memset(error, 1, sizeof error);
    if (adm_trace_read(text, &line, error)) {
        check_line(&line, text);
    } else {
        check_error(error);
    }
    return 0;
}
