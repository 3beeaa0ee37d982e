/* See admission/retry_after.h. A date is believed when it is spelt as the C locale would spell
 * it again: so strptime()'s leniency, odd weekdays and days that don't exist need no rules. */
#include "admission/retry_after.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/time.h"

enum {
    DATE_SIZE = 40, /* the longest date has 33 characters */
    CENTURY = 100,
    FAR_AHEAD_YEARS = 50
};

enum format {
    IMF_FIXDATE,
    RFC850, /* its years have two digits */
    ASCTIME,
    N_FORMATS
};

static const char *const FORMATS[N_FORMATS] = {
    [IMF_FIXDATE] = "%a, %d %b %Y %H:%M:%S GMT",
    [RFC850] = "%A, %d-%b-%y %H:%M:%S GMT",
    [ASCTIME] = "%a %b %e %H:%M:%S %Y",
};

static bool is_spelt(const char *text, const char *format, const struct tm *date,
                     locale_t locale)
{
    char again[DATE_SIZE];
    const size_t length = strftime_l(again, sizeof again, format, date, locale);
    return length > 0 && strcmp(again, text) == 0;
}

/* A year of two digits that seems to be more than 50 years ahead is the past one that ends in
 * the same two. */
static void choose_century(struct tm *date, int64_t now_us)
{
    const time_t now = (time_t)(now_us / 1000000);
    struct tm today;
    ADM_ASSERT(gmtime_r(&now, &today) != NULL);
    date->tm_year = today.tm_year - today.tm_year % CENTURY + date->tm_year % CENTURY;
    if (date->tm_year > today.tm_year + FAR_AHEAD_YEARS) {
        date->tm_year -= CENTURY;
    }
}

static bool read_date(const char *text, int format, int64_t now_us, locale_t locale,
                      int64_t *at_us)
{
    struct tm date = {0};
    const char *end = strptime_l(text, FORMATS[format], &date, locale);
    if (end == NULL || *end != '\0') {
        return false;
    }
    if (format == RFC850) {
        choose_century(&date, now_us);
    }
    const time_t at = timegm(&date); /* and puts the weekday right */
    *at_us = (int64_t)at * 1000000;
    return is_spelt(text, FORMATS[format], &date, locale);
}

static bool read_any_date(const char *text, int64_t now_us, int64_t *at_us)
{
    const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ADM_ASSERT(locale != (locale_t)0);
    bool is_date = false;
    for (int format = 0; format < N_FORMATS && !is_date; format++) {
        is_date = read_date(text, format, now_us, locale, at_us);
    }
    freelocale(locale);
    return is_date;
}

/* Digits only; more than fit are as good as the largest number. */
static bool read_seconds(const char *text, int64_t *seconds)
{
    *seconds = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        *seconds = *seconds > INT64_MAX / 10 - 1 ? INT64_MAX / 10 - 1 : *seconds;
        *seconds = *seconds * 10 + (*at - '0');
    }
    return at != text && *at == '\0';
}

/* Without the blanks around it; false when that is too long for any date. */
static bool trim(const char *value, char text[DATE_SIZE])
{
    value += strspn(value, " \t");
    size_t length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
        length--;
    }
    if (length >= DATE_SIZE) {
        return false;
    }
    memcpy(text, value, length);
    text[length] = '\0';
    return true;
}

admission_status_t admission_retry_after(const char *value, int64_t now_us, int64_t *delay_us)
{
    ADM_ASSERT(delay_us != NULL);
    char text[DATE_SIZE];
    if (value == NULL || !trim(value, text)) {
        return ADMISSION_INVALID;
    }
    const int64_t longest = ADMISSION_RETRY_AFTER_MAX;
    int64_t seconds;
    int64_t at_us;
    int64_t found_us = -1;
    if (read_seconds(text, &seconds)) {
        found_us = seconds > longest / 1000000 ? longest + 1 : seconds * 1000000;
    } else if (read_any_date(text, now_us, &at_us)) {
        found_us = at_us - now_us;
    }
    if (found_us < 0 || found_us > longest) {
        return ADMISSION_INVALID;
    }
    *delay_us = found_us;
    return ADMISSION_OK;
}

int64_t admission_backoff(uint64_t attempt, int64_t base_us, int64_t max_us, uint64_t random)
{
    int64_t whole = adm_time_later(base_us, 0);
    const int64_t most = adm_time_later(max_us, 0);
    for (uint64_t i = 1; i < attempt && whole > 0 && whole < most; i++) {
        whole = adm_time_add(whole, whole);
    }
    whole = adm_time_earlier(whole, most);
    const int64_t half = whole / 2;
    return half + (int64_t)(random % ((uint64_t)(whole - half) + 1));
}
