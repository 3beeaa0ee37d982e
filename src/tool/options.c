/* See tool/options.h. The grammar is in the tables: one row an option. */
#include "tool/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/time.h"

enum value {
    VALUE_COUNT,
    VALUE_COUNT_OR_NONE,
    VALUE_COUNT_FROM_1,
    VALUE_SPAN,
    VALUE_SPAN_OR_NONE,
    VALUE_NAME,
    VALUE_PROVIDER,
    VALUE_WHEN_FULL,
};

/* The option `name=`: `bit` tells it from the others of its line, `member` is where in the
 * request its value goes. */
struct adm_option {
    const char *name;
    enum value value;
    unsigned bit;
    size_t member;
};

#define MEMBER(m) offsetof(struct adm_request, of.m)

static const struct adm_option limits[] = {
    {"max_concurrent", VALUE_COUNT_OR_NONE, ADM_LIMIT_MAX_CONCURRENT,
     MEMBER(limits.to.max_concurrent)},
    {"min_interval", VALUE_SPAN, ADM_LIMIT_MIN_INTERVAL, MEMBER(limits.to.min_interval_us)},
    {"queue_capacity", VALUE_COUNT, ADM_LIMIT_QUEUE_CAPACITY, MEMBER(limits.to.queue_capacity)},
    {"admission_timeout", VALUE_SPAN_OR_NONE, ADM_LIMIT_ADMISSION_TIMEOUT,
     MEMBER(limits.to.admission_timeout_us)},
    {"max_listens_per_principal", VALUE_COUNT_FROM_1, ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL,
     MEMBER(limits.to.max_listens_per_principal)},
    {"max_listeners", VALUE_COUNT_OR_NONE, ADM_LIMIT_MAX_LISTENERS,
     MEMBER(limits.to.max_listeners)},
};

static const struct adm_option provider[] = {
    {"max_concurrent", VALUE_COUNT_OR_NONE, ADM_LIMIT_MAX_CONCURRENT,
     MEMBER(provider.to.max_concurrent)},
    {"min_interval", VALUE_SPAN, ADM_LIMIT_MIN_INTERVAL, MEMBER(provider.to.min_interval_us)},
    {"queue_capacity", VALUE_COUNT_OR_NONE, ADM_LIMIT_QUEUE_CAPACITY,
     MEMBER(provider.to.queue_capacity)},
};

static const struct adm_option ticket[] = {
    {"provider", VALUE_PROVIDER, 1 << 0, MEMBER(ticket.provider)},
    {"key", VALUE_NAME, 1 << 1, MEMBER(ticket.key)},
    {"timeout", VALUE_SPAN_OR_NONE, 1 << 2, MEMBER(ticket.timeout_us)},
    {"attempt_timeout", VALUE_SPAN, 1 << 3, MEMBER(ticket.attempt_timeout_us)},
};

static const struct adm_option listener[] = {
    {"principal", VALUE_NAME, 1 << 0, MEMBER(listener.principal)},
    {"max", VALUE_COUNT_FROM_1, 1 << 1, MEMBER(listener.max)},
    {"when_full", VALUE_WHEN_FULL, 1 << 2, MEMBER(listener.refuse_when_full)},
};

static const struct adm_option principal[] = {
    {"principal", VALUE_NAME, 1 << 0, MEMBER(principal)},
};

#define ROWS(table) .options = table, .n = sizeof(table) / sizeof *(table)

const struct adm_options adm_options_of_limits = {.of = "limits", ROWS(limits)};
const struct adm_options adm_options_of_provider = {.of = "a provider", ROWS(provider)};
const struct adm_options adm_options_of_ticket = {.of = "a ticket", ROWS(ticket)};
const struct adm_options adm_options_of_listener = {.of = "a listener", ROWS(listener)};
const struct adm_options adm_options_of_principal = {.of = "this verb", ROWS(principal)};

/* A word that was split at its first `=`. */
struct pair {
    struct adm_text word;
    struct adm_text name;
    struct adm_text value;
};

static bool split(struct adm_text word, struct pair *pair)
{
    const char *equals = memchr(word.bytes, '=', word.length);
    if (equals == NULL) {
        return false;
    }
    const size_t length = (size_t)(equals - word.bytes);
    *pair = (struct pair){
        .word = word,
        .name = {.bytes = word.bytes, .length = length},
        .value = {.bytes = equals + 1, .length = word.length - length - 1},
    };
    return true;
}

static bool read_count(struct adm_reader *reader, const struct pair *pair, enum value kind,
                       uint32_t *count)
{
    const bool can_be_none = kind == VALUE_COUNT_OR_NONE;
    if (can_be_none && adm_text_is(pair->value, "none")) {
        *count = ADM_NO_LIMIT;
        return true;
    }
    if (!adm_value_count(pair->value, count)) {
        return adm_reader_fail_at(reader, pair->word, "the value is %s%s", ADM_VALUE_COUNT_RULE,
                                  can_be_none ? ", or none" : "");
    }
    if (kind == VALUE_COUNT_FROM_1 && *count == 0) {
        return adm_reader_fail_at(reader, pair->word, "the value is at least 1");
    }
    return true;
}

static bool read_span(struct adm_reader *reader, const struct pair *pair, enum value kind,
                      int64_t *span_us)
{
    const bool can_be_none = kind == VALUE_SPAN_OR_NONE;
    if (can_be_none && adm_text_is(pair->value, "none")) {
        *span_us = ADM_NEVER;
        return true;
    }
    if (!adm_value_span(pair->value, span_us)) {
        return adm_reader_fail_at(reader, pair->word, "the value is %s%s", ADM_VALUE_SPAN_RULE,
                                  can_be_none ? ", or none" : "");
    }
    return true;
}

static bool read_when_full(struct adm_reader *reader, const struct pair *pair, bool *refuse)
{
    *refuse = adm_text_is(pair->value, "refuse");
    if (!*refuse && !adm_text_is(pair->value, "supersede")) {
        return adm_reader_fail_at(reader, pair->word, "the value is supersede or refuse");
    }
    return true;
}

static bool read_value(struct adm_reader *reader, const struct pair *pair, enum value kind,
                       void *member)
{
    if (pair->value.length == 0) {
        return adm_reader_fail_at(reader, pair->word, "the value is missing");
    }
    if (adm_text_is_too_long(pair->value)) {
        return adm_reader_fail_at(reader, pair->word, "the value is " ADM_READER_TOO_LONG);
    }
    switch (kind) {
    case VALUE_COUNT:
    case VALUE_COUNT_OR_NONE:
    case VALUE_COUNT_FROM_1:
        return read_count(reader, pair, kind, member);
    case VALUE_SPAN:
    case VALUE_SPAN_OR_NONE:
        return read_span(reader, pair, kind, member);
    case VALUE_NAME:
        *(struct adm_name *)member = adm_text_name(pair->value);
        return true;
    case VALUE_PROVIDER:
        return adm_reader_provider(reader, pair->value, member);
    case VALUE_WHEN_FULL:
        return read_when_full(reader, pair, member);
    }
    return false;
}

static const struct adm_option *find(const struct adm_options *options, struct adm_text name)
{
    for (size_t i = 0; i < options->n; i++) {
        if (adm_text_is(name, options->options[i].name)) {
            return &options->options[i];
        }
    }
    return NULL;
}

static bool read_option(const struct adm_options *options, struct adm_reader *reader,
                        struct adm_text word, struct adm_request *request, unsigned *named)
{
    struct pair pair;
    if (!split(word, &pair)) {
        return adm_reader_fail_at(reader, word, "one word too many");
    }
    const struct adm_option *option = find(options, pair.name);
    if (option == NULL) {
        return adm_reader_fail_at(reader, word, "not an option of %s", options->of);
    }
    if ((*named & option->bit) != 0) {
        return adm_reader_fail_at(reader, word, "%s comes twice", option->name);
    }
    *named |= option->bit;
    return read_value(reader, &pair, option->value, (char *)request + option->member);
}

bool adm_options_read(const struct adm_options *options, struct adm_reader *reader,
                      struct adm_request *request, unsigned *named)
{
    unsigned seen = 0;
    struct adm_text word;
    while ((word = adm_reader_word(reader)).length > 0) {
        if (!read_option(options, reader, word, request, &seen)) {
            return false;
        }
    }
    *named = seen;
    return true;
}

bool adm_options_name_principal(struct adm_reader ahead)
{
    struct adm_text word;
    struct pair pair;
    while ((word = adm_reader_word(&ahead)).length > 0) {
        if (split(word, &pair) && adm_text_is(pair.name, "principal")) {
            return true;
        }
    }
    return false;
}

static bool is_left_out(enum value kind, const void *member)
{
    switch (kind) {
    case VALUE_COUNT:
    case VALUE_COUNT_OR_NONE:
        return false;
    case VALUE_COUNT_FROM_1:
        return *(const uint32_t *)member == ADM_MAX_DEFAULT;
    case VALUE_SPAN:
        return *(const int64_t *)member == 0;
    case VALUE_SPAN_OR_NONE:
        return *(const int64_t *)member == ADM_TIMEOUT_DEFAULT;
    case VALUE_NAME:
    case VALUE_PROVIDER:
        return adm_name_is_none(*(const struct adm_name *)member);
    case VALUE_WHEN_FULL:
        return !*(const bool *)member;
    }
    return false;
}

static void write_value(FILE *out, enum value kind, const void *member)
{
    switch (kind) {
    case VALUE_COUNT:
    case VALUE_COUNT_OR_NONE:
    case VALUE_COUNT_FROM_1:
        if (*(const uint32_t *)member == ADM_NO_LIMIT) {
            fputs("none", out);
        } else {
            fprintf(out, "%" PRIu32, *(const uint32_t *)member);
        }
        break;
    case VALUE_SPAN:
    case VALUE_SPAN_OR_NONE:
        if (*(const int64_t *)member == ADM_NEVER) {
            fputs("none", out);
        } else {
            fprintf(out, "%" PRId64 "us", *(const int64_t *)member);
        }
        break;
    case VALUE_NAME:
    case VALUE_PROVIDER: {
        const struct adm_name *name = member;
        fwrite(name->bytes, 1, name->length, out);
        break;
    }
    case VALUE_WHEN_FULL:
        fputs(*(const bool *)member ? "refuse" : "supersede", out);
        break;
    }
}

unsigned adm_options_named(const struct adm_options *options, const struct adm_request *request)
{
    unsigned named = 0;
    for (size_t i = 0; i < options->n; i++) {
        const struct adm_option *option = &options->options[i];
        if (!is_left_out(option->value, (const char *)request + option->member)) {
            named |= option->bit;
        }
    }
    return named;
}

void adm_options_write(const struct adm_options *options, FILE *out,
                       const struct adm_request *request, unsigned named)
{
    for (size_t i = 0; i < options->n; i++) {
        const struct adm_option *option = &options->options[i];
        if ((named & option->bit) != 0) {
            fprintf(out, " %s=", option->name);
            write_value(out, option->value, (const char *)request + option->member);
        }
    }
}
