/* See tool/access_log.h. Of a line it reads the address, the time in brackets and what follows
 * the last quote; the rest is between them and may be anything. */
#include "tool/access_log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The part of `line` that lies before `end`. */
static struct adm_text before(struct adm_text line, const char *end)
{
    return (struct adm_text){.bytes = line.bytes, .length = (size_t)(end - line.bytes)};
}

/* The part of `line` from `start` on. */
static struct adm_text from(struct adm_text line, const char *start)
{
    return (struct adm_text){
        .bytes = start,
        .length = line.length - (size_t)(start - line.bytes),
    };
}

/* Is there such a day? timegm() takes the 30th of February for one of March. */
static bool is_day(const struct tm *tm)
{
    struct tm day = {.tm_mday = tm->tm_mday, .tm_mon = tm->tm_mon, .tm_year = tm->tm_year};
    (void)timegm(&day);
    return day.tm_mday == tm->tm_mday;
}

/* `10/Oct/2000:13:55:36 -0700` in microseconds since 1970. */
static bool read_stamp(struct adm_text text, int64_t *at_us)
{
    char stamp[64];
    if (text.length >= sizeof stamp) {
        return false;
    }
    memcpy(stamp, text.bytes, text.length);
    stamp[text.length] = '\0';
    struct tm tm = {0};
    const char *end = strptime(stamp, "%d/%b/%Y:%H:%M:%S %z", &tm);
    if (end == NULL || *end != '\0' || !is_day(&tm)) {
        return false;
    }
    const long offset_s = tm.tm_gmtoff;
    const int64_t at_s = timegm(&tm) - offset_s;
    *at_us = at_s * 1000000;
    return at_s >= 0;
}

/* The first word after the last quote, without a `name=` before it. */
static struct adm_text last_number(struct adm_text line)
{
    const char *quote = memrchr(line.bytes, '"', line.length);
    if (quote == NULL) {
        return adm_text_of("");
    }
    struct adm_text rest = from(line, quote + 1);
    while (rest.length > 0 && *rest.bytes == ' ') {
        rest = from(rest, rest.bytes + 1);
    }
    const char *blank = memchr(rest.bytes, ' ', rest.length);
    const struct adm_text word = blank != NULL ? before(rest, blank) : rest;
    const char *equals = memchr(word.bytes, '=', word.length);
    return equals != NULL ? from(word, equals + 1) : word;
}

bool adm_access_log_read(enum adm_access_log format, struct adm_text line,
                         struct adm_log_entry *entry, char error[ADM_READER_ERROR_MAX])
{
    const char *blank = memchr(line.bytes, ' ', line.length);
    const char *open = memchr(line.bytes, '[', line.length);
    const char *close = open != NULL ? memchr(open, ']', from(line, open).length) : NULL;
    if (blank == NULL || close == NULL || blank > open) {
        snprintf(error, ADM_READER_ERROR_MAX, "no `ADDRESS ... [TIME] ...': not an access log");
        return false;
    }
    const struct adm_text address = before(line, blank);
    *entry = (struct adm_log_entry){
        .is_end = format == ADM_ACCESS_NGINX,
        .lasts_us = ADM_LASTS_UNKNOWN,
        .principal = address,
        .key = address,
        .provider = adm_text_of(""),
    };
    if (!read_stamp(before(from(line, open + 1), close), &entry->at_us)) {
        snprintf(error, ADM_READER_ERROR_MAX,
                 "the time is not like 10/Oct/2000:13:55:36 -0700");
        return false;
    }
    if (format == ADM_ACCESS_NGINX) {
        (void)adm_value_decimal(last_number(line), 1000000, &entry->lasts_us);
    }
    return true;
}
