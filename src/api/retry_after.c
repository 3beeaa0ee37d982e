/* See admission/retry_after.h. A date is believed when it is spelt as the C locale would spell
 * it again: so strptime()'s leniency, odd weekdays and days that don't exist need no rules.
 * Reckoned in seconds, for microseconds would wrap where a wall clock is far off. */
#include "admission/retry_after.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/time.h"

#define MAX_SECONDS (ADMISSION_RETRY_AFTER_MAX / 1000000)

enum {
    DATE_SIZE = 40, /* the longest date has 33 characters */
    TM_EPOCH = 1900,
    CENTURY = 100,
    FAR_AHEAD_YEARS = 50
};

enum format {
    IMF_FIXDATE,
    RFC850, /* its years have two digits */
    ASCTIME,
    ASCTIME_ZERO, /* as some write it, with a zero for the blank before the day */
    N_FORMATS
};

static const char *const FORMATS[N_FORMATS] = {
    [IMF_FIXDATE] = "%a, %d %b %Y %H:%M:%S GMT",
    [RFC850] = "%A, %d-%b-%y %H:%M:%S GMT",
    [ASCTIME] = "%a %b %e %H:%M:%S %Y",
    [ASCTIME_ZERO] = "%a %b %d %H:%M:%S %Y",
};

/* A wall clock's time: `us` from 0 to 999999, also before 1970. */
struct instant {
    int64_t s;
    int64_t us;
};

static struct instant instant_of(int64_t wall_us)
{
    const int64_t us = wall_us % 1000000;
    const int64_t s = wall_us / 1000000;
    return us < 0 ? (struct instant){s - 1, us + 1000000} : (struct instant){s, us};
}

static bool is_spelt(const char *text, const char *format, const struct tm *date,
                     locale_t locale)
{
    char again[DATE_SIZE];
    const size_t length = strftime_l(again, sizeof again, format, date, locale);
    return length > 0 && strcmp(again, text) == 0;
}

/* Of the years that end in these two digits, the last that is not more than 50 ahead. */
static void choose_century(struct tm *date, int64_t now_s)
{
    const time_t now = (time_t)now_s;
    struct tm today;
    ADM_ASSERT(gmtime_r(&now, &today) != NULL);
    const int last = today.tm_year + FAR_AHEAD_YEARS;
    const int too_many = (last - date->tm_year) % CENTURY;
    date->tm_year = last - (too_many < 0 ? too_many + CENTURY : too_many);
}

/* A leap second is a second after the one before it, and spelt 60 again. */
static bool read_date(const char *text, int format, int64_t now_s, locale_t locale,
                      int64_t *at_s)
{
    struct tm date = {0};
    const char *end = strptime_l(text, FORMATS[format], &date, locale);
    if (end == NULL || *end != '\0' || date.tm_sec > 60) {
        return false;
    }
    if (format == RFC850) {
        choose_century(&date, now_s);
    }
    const int leap = date.tm_sec == 60 ? 1 : 0;
    date.tm_sec -= leap;
    *at_s = (int64_t)timegm(&date) + leap; /* and puts the weekday right */
    date.tm_sec += leap;
    return is_spelt(text, FORMATS[format], &date, locale);
}

static bool read_any_date(const char *text, int64_t now_s, int64_t *at_s)
{
    const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ADM_ASSERT(locale != (locale_t)0);
    bool is_date = false;
    for (int format = 0; format < N_FORMATS && !is_date; format++) {
        is_date = read_date(text, format, now_s, locale, at_s);
    }
    freelocale(locale);
    return is_date;
}

/* What is left until the date; -1: it is malformed, past or too far ahead. */
static int64_t read_delay_until(const char *value, size_t length, int64_t now_us)
{
    char text[DATE_SIZE];
    if (length >= sizeof text) {
        return -1;
    }
    memcpy(text, value, length);
    text[length] = '\0';
    const struct instant now = instant_of(now_us);
    int64_t at_s;
    if (!read_any_date(text, now.s, &at_s) || at_s < now.s || at_s - now.s > MAX_SECONDS + 1) {
        return -1;
    }
    return (at_s - now.s) * 1000000 - now.us;
}

/* Of digits; -1: they are too many seconds. */
static int64_t read_delay(const char *value, size_t length)
{
    int64_t seconds = 0;
    for (size_t i = 0; i < length && seconds <= MAX_SECONDS; i++) {
        seconds = seconds * 10 + (value[i] - '0');
    }
    return seconds <= MAX_SECONDS ? seconds * 1000000 : -1;
}

/* Without the blanks around it. */
static const char *trim(const char *value, size_t *length)
{
    value += strspn(value, " \t");
    *length = strlen(value);
    while (*length > 0 && (value[*length - 1] == ' ' || value[*length - 1] == '\t')) {
        --*length;
    }
    return value;
}

admission_status_t admission_retry_after(const char *value, int64_t now_us, int64_t *delay_us)
{
    ADM_ASSERT(delay_us != NULL);
    if (value == NULL) {
        return ADMISSION_INVALID;
    }
    size_t length;
    value = trim(value, &length);
    const bool is_number = length > 0 && strspn(value, "0123456789") == length;
    const int64_t found_us =
        is_number ? read_delay(value, length) : read_delay_until(value, length, now_us);
    if (found_us < 0 || found_us > ADMISSION_RETRY_AFTER_MAX) {
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
    const int64_t half = whole - whole / 2; /* at least */
    return half + (int64_t)(random % ((uint64_t)(whole - half) + 1));
}
