/* See tool/trace.h. One row of `verbs` a verb. Reading is a walk over the words that stops at
 * the first fault; nothing is allocated and nothing is printed. */
#include "tool/trace.h"

#include <string.h>

#include "core/effect.h"
#include "tool/options.h"

static bool read_limits(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_LIMITS;
    unsigned named;
    if (!adm_options_read(&adm_options_of_limits, reader, &line->request, &named)) {
        return false;
    }
    line->request.of.limits.named = named;
    return true;
}

static bool read_provider_line(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_PROVIDER;
    unsigned named;
    if (!adm_reader_provider(reader, adm_reader_word(reader),
                             &line->request.of.provider.name) ||
        !adm_options_read(&adm_options_of_provider, reader, &line->request, &named)) {
        return false;
    }
    line->request.of.provider.named = named;
    return true;
}

static bool read_id(struct adm_reader *reader, struct adm_trace_line *line)
{
    return adm_reader_label(reader, "ID", adm_reader_word(reader), &line->id);
}

static bool read_admit(struct adm_reader *reader, struct adm_trace_line *line)
{
    if (!read_id(reader, line)) {
        return false;
    }
    unsigned named;
    if (adm_options_name_principal(*reader)) {
        line->request.type = ADM_REQUEST_LISTENER;
        line->request.of.listener.max = ADM_MAX_DEFAULT;
        return adm_options_read(&adm_options_of_listener, reader, &line->request, &named);
    }
    line->request.type = ADM_REQUEST_TICKET;
    line->request.of.ticket.provider = adm_name_none();
    line->request.of.ticket.key = adm_name_none();
    line->request.of.ticket.timeout_us = ADM_TIMEOUT_DEFAULT;
    return adm_options_read(&adm_options_of_ticket, reader, &line->request, &named);
}

/* To the end of the line: `principal=NAME`. */
static bool read_principal(struct adm_reader *reader, struct adm_trace_line *line)
{
    unsigned named;
    if (!adm_options_read(&adm_options_of_principal, reader, &line->request, &named)) {
        return false;
    }
    return named != 0 || adm_reader_fail(reader, "principal=NAME is missing");
}

static bool read_leave(struct adm_reader *reader, struct adm_trace_line *line)
{
    if (adm_options_name_principal(*reader)) {
        line->request.type = ADM_REQUEST_LEAVE_PRINCIPAL;
        return read_principal(reader, line);
    }
    line->request.type = ADM_REQUEST_LEAVE;
    return read_id(reader, line) && adm_reader_end(reader);
}

static bool read_cancel(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_CANCEL;
    return read_id(reader, line) && adm_reader_end(reader);
}

static bool read_down(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_DOWN;
    return adm_reader_end(reader);
}

static bool read_live(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_LIVE;
    return read_principal(reader, line);
}

static bool read_cooldown(struct adm_reader *reader, struct adm_trace_line *line)
{
    struct adm_request *request = &line->request;
    request->type = ADM_REQUEST_COOLDOWN;
    if (!adm_reader_provider(reader, adm_reader_word(reader), &request->of.cooldown.provider)) {
        return false;
    }
    const struct adm_text delay = adm_reader_word(reader);
    if (delay.length == 0) {
        return adm_reader_fail(reader, "the duration of the cooldown is missing");
    }
    if (adm_text_is_too_long(delay)) {
        return adm_reader_fail_at(reader, delay, ADM_READER_TOO_LONG);
    }
    if (!adm_value_span(delay, &request->of.cooldown.delay_us)) {
        return adm_reader_fail_at(reader, delay, "a duration is " ADM_VALUE_SPAN_RULE);
    }
    return adm_reader_end(reader);
}

static bool read_stats(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->type = ADM_TRACE_STATS;
    return adm_reader_end(reader);
}

static bool read_close(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->request.type = ADM_REQUEST_CLOSE;
    return adm_reader_end(reader);
}

static bool read_end_line(struct adm_reader *reader, struct adm_trace_line *line)
{
    line->type = ADM_TRACE_END;
    return adm_reader_end(reader);
}

static const struct verb {
    const char *word;
    bool is_of_handle;
    bool (*read)(struct adm_reader *reader, struct adm_trace_line *line);
} verbs[] = {
    {"admit", true, read_admit},    {"leave", true, read_leave},
    {"cancel", true, read_cancel},  {"down", true, read_down},
    {"live", true, read_live},      {"cooldown", false, read_cooldown},
    {"limits", false, read_limits}, {"provider", false, read_provider_line},
    {"stats", false, read_stats},   {"close", false, read_close},
    {"end", false, read_end_line},
};

static const struct verb *find_verb(struct adm_text word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (adm_text_is(word, verbs[i].word)) {
            return &verbs[i];
        }
    }
    return NULL;
}

static bool read_time(struct adm_reader *reader, struct adm_text word,
                      struct adm_trace_line *line)
{
    if (adm_text_is_too_long(word)) {
        return adm_reader_fail_at(reader, word, ADM_READER_TOO_LONG);
    }
    struct adm_text time = word;
    line->is_late = word.bytes[word.length - 1] == '!';
    time.length -= line->is_late ? 1 : 0;
    if (!adm_value_span(time, &line->at)) {
        return adm_reader_fail_at(reader, word, "a TIME is " ADM_VALUE_SPAN_RULE);
    }
    line->has_time = true;
    return true;
}

static bool read_timed(struct adm_reader *reader, struct adm_text first,
                       struct adm_trace_line *line)
{
    if (!read_time(reader, first, line)) {
        return false;
    }
    const struct adm_text handle = adm_reader_word(reader);
    const bool is_of_handle = !adm_text_is(handle, "-");
    if (is_of_handle && !adm_reader_label(reader, "HANDLE", handle, &line->handle)) {
        return false;
    }
    const struct adm_text word = adm_reader_word(reader);
    if (word.length == 0) {
        return adm_reader_fail(reader, "the verb is missing");
    }
    const struct verb *verb = find_verb(word);
    if (verb == NULL) {
        return adm_reader_fail_at(reader, word, "not a verb");
    }
    if (verb->is_of_handle != is_of_handle) {
        return adm_reader_fail_at(reader, word,
                                  is_of_handle ? "a verb without a HANDLE, which is - here"
                                               : "a verb of a HANDLE, which - is not");
    }
    return verb->read(reader, line);
}

bool adm_trace_read(struct adm_text text, struct adm_trace_line *line,
                    char error[ADM_READER_ERROR_MAX])
{
    struct adm_reader reader = {.rest = text, .error = error};
    if (memchr(text.bytes, '\0', text.length) != NULL) {
        return adm_reader_fail(&reader, "a NUL byte");
    }
    memset(line, 0, sizeof *line);
    line->type = ADM_TRACE_REQUEST;
    line->request.handle = ADM_NOBODY;
    const struct adm_text first = adm_reader_word(&reader);
    if (first.length == 0) {
        line->type = ADM_TRACE_NOTHING;
        return true;
    }
    if (adm_text_is(first, "limits")) {
        return read_limits(&reader, line);
    }
    if (adm_text_is(first, "provider")) {
        return read_provider_line(&reader, line);
    }
    return read_timed(&reader, first, line);
}
