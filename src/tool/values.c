/* See tool/values.h. Everything is checked before it is multiplied, so nothing wraps. */
#include "tool/values.h"

#include <string.h>

#include "base/memory.h"
#include "base/time.h"

struct adm_text adm_text_of(const char *string)
{
    return (struct adm_text){.bytes = string, .length = strlen(string)};
}

char *adm_text_copy(struct adm_text text)
{
    char *copy = adm_memory_new(text.length + 1, 1);
    memcpy(copy, text.bytes, text.length);
    return copy;
}

bool adm_text_is(struct adm_text text, const char *string)
{
    return text.length == strlen(string) && memcmp(text.bytes, string, text.length) == 0;
}

struct adm_text adm_text_line(const char *bytes, size_t length)
{
    if (length > 0 && bytes[length - 1] == '\n') {
        length--;
        if (length > 0 && bytes[length - 1] == '\r') {
            length--;
        }
    }
    return (struct adm_text){.bytes = bytes, .length = length};
}

/* How many of the first bytes of `text` are digits; false when their value is over `max`. */
static bool read_digits(struct adm_text text, uint64_t max, size_t *n_digits, uint64_t *value)
{
    uint64_t sum = 0;
    size_t n = 0;
    for (; n < text.length && text.bytes[n] >= '0' && text.bytes[n] <= '9'; n++) {
        const uint64_t digit = (uint64_t)(text.bytes[n] - '0');
        if (sum > (max - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *n_digits = n;
    *value = sum;
    return true;
}

bool adm_value_count(struct adm_text text, uint32_t *count)
{
    size_t n_digits;
    uint64_t value;
    if (!read_digits(text, ADM_VALUE_COUNT_MAX, &n_digits, &value)) {
        return false;
    }
    if (n_digits == 0 || n_digits != text.length) {
        return false;
    }
    *count = (uint32_t)value;
    return true;
}

/* The microseconds of a unit; 0 for what is no unit. */
static uint64_t unit_us(struct adm_text unit)
{
    if (adm_text_is(unit, "us")) {
        return 1;
    }
    if (adm_text_is(unit, "ms")) {
        return 1000;
    }
    return adm_text_is(unit, "s") ? 1000000 : 0;
}

bool adm_value_span(struct adm_text text, int64_t *span_us)
{
    if (adm_text_is(text, "0")) {
        *span_us = 0;
        return true;
    }
    const uint64_t max = (uint64_t)ADM_NEVER - 1;
    size_t n_digits;
    uint64_t value;
    if (!read_digits(text, max, &n_digits, &value) || n_digits == 0) {
        return false;
    }
    const uint64_t unit = unit_us((struct adm_text){
        .bytes = text.bytes + n_digits,
        .length = text.length - n_digits,
    });
    if (unit == 0 || value > max / unit) {
        return false;
    }
    *span_us = (int64_t)(value * unit);
    return true;
}

/* The microseconds of `.5` and the like; false when it is no such text. */
static bool read_fraction(struct adm_text text, int64_t unit_us, int64_t *span_us)
{
    if (text.length < 2 || *text.bytes != '.') {
        return false;
    }
    int64_t scale_us = unit_us / 10;
    *span_us = 0;
    for (size_t i = 1; i < text.length; i++, scale_us /= 10) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') {
            return false;
        }
        *span_us += (text.bytes[i] - '0') * scale_us;
    }
    return true;
}

bool adm_value_decimal(struct adm_text text, int64_t unit_us, int64_t *span_us)
{
    const int64_t max = ADM_NEVER - 1;
    size_t n_digits;
    uint64_t whole;
    if (!read_digits(text, (uint64_t)(max / unit_us), &n_digits, &whole) || n_digits == 0) {
        return false;
    }
    int64_t part_us = 0;
    const struct adm_text rest = {
        .bytes = text.bytes + n_digits,
        .length = text.length - n_digits,
    };
    if (rest.length > 0 && !read_fraction(rest, unit_us, &part_us)) {
        return false;
    }
    const int64_t whole_us = (int64_t)whole * unit_us;
    if (whole_us > max - part_us) {
        return false;
    }
    *span_us = whole_us + part_us;
    return true;
}
