/* Retry-After in its two forms, and the delays that one works out. */
#include <criterion/criterion.h>
#include <string.h>

#include "fixture.h"

TestSuite(retry_after, .timeout = 10);

/* Sun, 06 Nov 1994 08:49:37 GMT */
#define NOW_US ADMISSION_S(784111777)

static int64_t read(const char *value, int64_t now_us)
{
    int64_t delay_us = -1;
    return admission_retry_after(value, now_us, &delay_us) == ADMISSION_OK ? delay_us : -1;
}

Test(retry_after, seconds_are_seconds)
{
    cr_expect_eq(read("0", NOW_US), 0);
    cr_expect_eq(read("1", NOW_US), ADMISSION_S(1));
    cr_expect_eq(read("00120", NOW_US), ADMISSION_S(120));
    cr_expect_eq(read(" \t120 \t", NOW_US), ADMISSION_S(120));
    cr_expect_eq(read("31536000", NOW_US), ADMISSION_RETRY_AFTER_MAX);
}

Test(retry_after, leading_zeros_say_nothing_however_many_there_are)
{
    char zeros[1000];
    memset(zeros, '0', sizeof zeros);
    strcpy(zeros + sizeof zeros - sizeof "120 ", "120 ");
    cr_expect_eq(read(zeros, NOW_US), ADMISSION_S(120));
}

Test(retry_after, a_date_is_what_is_left_until_it_in_all_three_formats)
{
    cr_expect_eq(read("Sun, 06 Nov 1994 08:49:37 GMT", NOW_US), 0);
    cr_expect_eq(read("Sun, 06 Nov 1994 08:50:37 GMT", NOW_US), ADMISSION_S(60));
    cr_expect_eq(read("Sun, 06 Nov 1994 08:49:38 GMT", NOW_US + 400000), 600000);
    cr_expect_eq(read("Sunday, 06-Nov-94 08:50:37 GMT", NOW_US), ADMISSION_S(60));
    cr_expect_eq(read("Sun Nov  6 08:50:37 1994", NOW_US), ADMISSION_S(60));
    cr_expect_eq(read("Sun Nov 06 08:50:37 1994", NOW_US), ADMISSION_S(60));
    cr_expect_eq(read("  Mon, 07 Nov 1994 08:49:37 GMT ", NOW_US), ADMISSION_S(86400));
    cr_expect_eq(read("Thu, 29 Feb 2024 00:00:00 GMT", ADMISSION_S(1709164799)),
                 ADMISSION_S(1));
}

Test(retry_after, a_year_of_two_digits_belongs_to_the_century_that_is_near)
{
    const int64_t end_of_1999 = ADMISSION_S(946684799);
    cr_expect_eq(read("Saturday, 01-Jan-00 00:00:00 GMT", end_of_1999), ADMISSION_S(1));
    cr_expect_eq(read("Friday, 31-Dec-99 23:59:59 GMT", end_of_1999), 0);
    const int64_t begin_of_2026 = ADMISSION_S(1767225600);
    cr_expect_eq(read("Thursday, 01-Jan-26 00:00:10 GMT", begin_of_2026), ADMISSION_S(10));
    cr_expect_eq(read("Sunday, 06-Nov-94 08:49:37 GMT", begin_of_2026), -1); /* 1994 */
}

Test(retry_after, a_leap_second_is_the_one_after_the_59th)
{
    const int64_t end_of_2016 = ADMISSION_S(1483228798);
    cr_expect_eq(read("Sat, 31 Dec 2016 23:59:60 GMT", end_of_2016), ADMISSION_S(2));
    cr_expect_eq(read("Saturday, 31-Dec-16 23:59:60 GMT", end_of_2016), ADMISSION_S(2));
    cr_expect_eq(read("Sat Dec 31 23:59:60 2016", end_of_2016), ADMISSION_S(2));
    cr_expect_eq(read("Sun, 31 Dec 2016 23:59:60 GMT", end_of_2016), -1);
}

Test(retry_after, whatever_the_wall_clock_says_nothing_wraps_Z1)
{
    const int64_t walls[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
    const char *const dates[] = {
        "Sun, 06 Nov 1994 08:49:37 GMT",  "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Saturday, 01-Jan-00 00:00:00 GMT",
        "Sun Nov  6 08:49:37 1994",
    };
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        for (size_t j = 0; j < sizeof dates / sizeof *dates; j++) {
            cr_expect_eq(read(dates[j], walls[i]), -1, "%s", dates[j]);
        }
        cr_expect_eq(read("1", walls[i]), ADMISSION_S(1));
    }
    cr_expect_eq(read("Thu, 01 Jan 1970 00:00:00 GMT", -1), 1);
}

Test(retry_after, what_is_negative_has_passed_or_is_absurd_is_refused)
{
    const char *const values[] = {
        "-1",
        "-0",
        "31536001",
        "1767225600000",
        "99999999999999999999999999",
        "Sun, 06 Nov 1994 08:49:36 GMT", /* a second ago */
        "Mon, 06 Nov 1995 08:49:38 GMT", /* more than a year ahead */
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        cr_expect_eq(read(values[i], NOW_US), -1, "%s", values[i]);
    }
    cr_expect_eq(read("Sun, 06 Nov 1994 08:49:37 GMT", NOW_US + 1), -1);
}

Test(retry_after, what_is_malformed_is_refused)
{
    const char *const values[] = {
        "",
        " ",
        "1.5",
        "1s",
        "+1",
        "1 2",
        "0x10",
        "1e3",
        "soon",
        "١",
        "Mon, 06 Nov 1994 08:50:37 GMT", /* it was a Sunday */
        "Sun, 6 Nov 1994 08:50:37 GMT",
        "Sun, 06 Nov 1994 08:50:37 UTC",
        "Sun, 06 Nov 1994 08:50:37",
        "Sun, 06 Nov 94 08:50:37 GMT",
        "sun, 06 nov 1994 08:50:37 gmt",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:50:61 GMT",
        "Sun, 31 Nov 1994 08:50:37 GMT",
        "Sun,  06 Nov 1994 08:50:37 GMT",
        "Sun, 06 Nov 1994 08:50:37 GMT x",
        "Sun Nov 6 08:50:37 1994",
        "1994-11-06T08:50:37Z",
        "Sun, 06 Nov 1994 08:50:37 GMT and a good deal more than any date has",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        cr_expect_eq(read(values[i], NOW_US), -1, "%s", values[i]);
    }
    cr_expect_eq(read(NULL, NOW_US), -1);
}

Test(retry_after, a_refused_value_leaves_the_output_alone)
{
    int64_t delay_us = 42;
    cr_expect_eq(admission_retry_after("-1", NOW_US, &delay_us), ADMISSION_INVALID);
    cr_expect_eq(delay_us, 42);
}

Test(retry_after, delays_double_from_the_base_to_the_most)
{
    const int64_t whole_ms[] = {100, 200, 400, 800, 1000, 1000, 1000};
    for (uint64_t attempt = 1; attempt <= 7; attempt++) {
        const int64_t whole = ADMISSION_MS(whole_ms[attempt - 1]);
        cr_expect_eq(admission_backoff(attempt, ADMISSION_MS(100), ADMISSION_S(1), 0),
                     whole / 2);
        cr_expect_eq(admission_backoff(attempt, ADMISSION_MS(100), ADMISSION_S(1),
                                       (uint64_t)(whole - whole / 2)),
                     whole);
    }
}

Test(retry_after, at_least_half_of_an_odd_number_is_more_than_its_half)
{
    cr_expect_eq(admission_backoff(1, 5, 1000, 0), 3);
    cr_expect_eq(admission_backoff(1, 5, 1000, 1), 4);
    cr_expect_eq(admission_backoff(1, 5, 1000, 2), 5);
    cr_expect_eq(admission_backoff(1, 1, 1000, 0), 1);
}

Test(retry_after, delays_stay_between_half_and_the_whole_and_never_wrap_Z1)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 10000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const int64_t delay = admission_backoff(3, 10, 1000, random);
        cr_assert(delay >= 20 && delay <= 40);
    }
    cr_expect_eq(admission_backoff(UINT64_MAX, 0, 1000, 7), 0);
    cr_expect_eq(admission_backoff(5, -3, 1000, 7), 0);
    const int64_t most = ADMISSION_NONE - 1;
    const int64_t delay = admission_backoff(UINT64_MAX, most / 3, most, UINT64_MAX);
    cr_expect(delay >= most / 2 && delay <= most);
}
