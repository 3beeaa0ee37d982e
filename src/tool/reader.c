/* See tool/reader.h. What it quotes in a message is safe on a terminal, whatever the line. */
#include "tool/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    QUOTED = 40,
    QUOTED_ROOM = QUOTED * 4 + 4
};

/* The start of `text` in `room`: what is not printable, as \xHH. */
static const char *quote(struct adm_text text, char room[QUOTED_ROOM])
{
    char *to = room;
    for (size_t i = 0; i < text.length && i < QUOTED; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (byte > ' ' && byte < 0x7f && byte != '\\') {
            *to++ = (char)byte;
        } else {
            to += sprintf(to, "\\x%02x", byte);
        }
    }
    strcpy(to, text.length > QUOTED ? "..." : "");
    return room;
}

bool adm_reader_fail(struct adm_reader *reader, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(reader->error, ADM_READER_ERROR_MAX, form, arguments);
    va_end(arguments);
    return false;
}

bool adm_reader_fail_at(struct adm_reader *reader, struct adm_text word, const char *form, ...)
{
    char room[QUOTED_ROOM];
    const int n = snprintf(reader->error, ADM_READER_ERROR_MAX, "%s: ", quote(word, room));
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(reader->error + n, (size_t)(ADM_READER_ERROR_MAX - n), form, arguments);
    va_end(arguments);
    return false;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

struct adm_text adm_reader_word(struct adm_reader *reader)
{
    const char *at = reader->rest.bytes;
    const char *end = at + reader->rest.length;
    while (at < end && is_blank(*at)) {
        at++;
    }
    if (at < end && *at == '#') {
        end = at;
    }
    const char *start = at;
    while (at < end && !is_blank(*at)) {
        at++;
    }
    reader->rest = (struct adm_text){.bytes = at, .length = (size_t)(end - at)};
    return (struct adm_text){.bytes = start, .length = (size_t)(at - start)};
}

bool adm_reader_end(struct adm_reader *reader)
{
    const struct adm_text word = adm_reader_word(reader);
    return word.length == 0 || adm_reader_fail_at(reader, word, "one word too many");
}

bool adm_text_is_too_long(struct adm_text text)
{
    return text.length > ADM_NAME_MAX;
}

struct adm_name adm_text_name(struct adm_text text)
{
    return (struct adm_name){.bytes = text.bytes, .length = (uint8_t)text.length};
}

static bool has_byte(struct adm_text text, char byte)
{
    return memchr(text.bytes, byte, text.length) != NULL;
}

bool adm_reader_label(struct adm_reader *reader, const char *what, struct adm_text word,
                      struct adm_name *label)
{
    if (word.length == 0) {
        return adm_reader_fail(reader, "the %s is missing", what);
    }
    if (adm_text_is_too_long(word)) {
        return adm_reader_fail_at(reader, word, ADM_READER_TOO_LONG);
    }
    if (has_byte(word, '=') || has_byte(word, ':')) {
        return adm_reader_fail_at(reader, word, "no = and no : in the %s", what);
    }
    *label = adm_text_name(word);
    return true;
}

bool adm_reader_provider(struct adm_reader *reader, struct adm_text word,
                         struct adm_name *provider)
{
    if (word.length == 0) {
        return adm_reader_fail(reader, "the name of the provider is missing");
    }
    if (adm_text_is_too_long(word)) {
        return adm_reader_fail_at(reader, word, ADM_READER_TOO_LONG);
    }
    if (has_byte(word, '=')) {
        return adm_reader_fail_at(reader, word, "no = in the name of a provider");
    }
    *provider = adm_text_name(word);
    return true;
}

static bool is_plain(struct adm_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (byte <= ' ' || byte == 0x7f) {
            return false;
        }
    }
    return true;
}

bool adm_reader_field(struct adm_reader *reader, const char *what, struct adm_text field,
                      struct adm_name *name)
{
    if (!is_plain(field) || adm_text_is_too_long(field)) {
        return adm_reader_fail(
            reader, "the %s has a blank or a control byte, or more than 255 bytes", what);
    }
    *name = adm_text_name(field);
    return true;
}

bool adm_reader_provider_field(struct adm_reader *reader, struct adm_text field,
                               struct adm_name *provider)
{
    if (field.length > 0 && *field.bytes == '#') {
        return adm_reader_fail_at(reader, field, "no # before the name of a provider");
    }
    return adm_reader_field(reader, "provider", field, provider) &&
           (field.length == 0 || adm_reader_provider(reader, field, provider));
}
