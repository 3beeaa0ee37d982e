/* See tool/values.h. Everything is checked before it is multiplied, so nothing wraps. */
#include "tool/values.h"

#include <string.h>

#include "base/time.h"

struct adm_text adm_text_of(const char *string)
{
    return (struct adm_text){.bytes = string, .length = strlen(string)};
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

bool adm_value_decimal(struct adm_text text, int64_t unit_us, int64_t *span_us)
{
    const uint64_t max = ((uint64_t)ADM_NEVER - 1) / (uint64_t)unit_us - 1;
    size_t n_digits;
    uint64_t whole;
    if (!read_digits(text, max, &n_digits, &whole) || n_digits == 0) {
        return false;
    }
    int64_t sum_us = (int64_t)whole * unit_us;
    if (n_digits < text.length) {
        const char *at = text.bytes + n_digits;
        const char *end = text.bytes + text.length;
        if (*at++ != '.' || at == end) {
            return false;
        }
        for (int64_t scale_us = unit_us / 10; at < end; at++, scale_us /= 10) {
            if (*at < '0' || *at > '9') {
                return false;
            }
            sum_us += (*at - '0') * scale_us;
        }
    }
    *span_us = sum_us;
    return true;
}
