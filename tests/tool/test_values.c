/* Counts and durations of the trace format and the command line. */
#include <criterion/criterion.h>

#include <inttypes.h>

#include "base/time.h"
#include "tool/values.h"

TestSuite(values, .timeout = 10);

static const char *const not_counts[] = {
    "",
    "-1",
    "+1",
    "1 ",
    " 1",
    "1x",
    "0x1",
    "1.0",
    "none",
    "4294967295",
    "18446744073709551616",
};

Test(values, a_count_is_digits_up_to_4294967294_and_nothing_else)
{
    uint32_t count;
    cr_expect(adm_value_count(adm_text_of("0"), &count) && count == 0);
    cr_expect(adm_value_count(adm_text_of("007"), &count) && count == 7);
    cr_expect(adm_value_count(adm_text_of("4294967294"), &count) && count == 4294967294);
    count = 42;
    for (size_t i = 0; i < sizeof not_counts / sizeof *not_counts; i++) {
        cr_expect_not(adm_value_count(adm_text_of(not_counts[i]), &count), "%s", not_counts[i]);
    }
    cr_expect_eq(count, 42, "untouched by what is no count");
}

static const struct span {
    const char *text;
    int64_t us;
} spans[] = {
    {"0", 0},
    {"0us", 0},
    {"0s", 0},
    {"250us", 250},
    {"05ms", 5000},
    {"2s", 2000000},
    {"9223372036854775806us", ADM_NEVER - 1},
    {"9223372036854775ms", INT64_C(9223372036854775000)},
    {"9223372036854s", INT64_C(9223372036854000000)},
};

Test(values, a_duration_is_an_integer_and_a_unit_or_a_plain_0)
{
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        int64_t us = -1;
        cr_expect(adm_value_span(adm_text_of(spans[i].text), &us), "%s", spans[i].text);
        cr_expect_eq(us, spans[i].us, "%s is %" PRId64, spans[i].text, us);
    }
}

static const char *const not_spans[] = {
    "",
    "5",
    "00",
    "us",
    "-5ms",
    "+5ms",
    "5m",
    "5msx",
    "5 ms",
    "5.0ms",
    "none",
    "5MS",
    "1h",
    "9223372036854775807us",
    "9223372036854776ms",
    "9223372036855s",
    "99999999999999999999us",
};

Test(values, a_duration_of_the_end_of_time_or_without_a_unit_is_none)
{
    int64_t us = 42;
    for (size_t i = 0; i < sizeof not_spans / sizeof *not_spans; i++) {
        cr_expect_not(adm_value_span(adm_text_of(not_spans[i]), &us), "%s", not_spans[i]);
    }
    cr_expect_eq(us, 42, "untouched by what is no duration");
}

Test(values, a_line_ends_in_lf_or_crlf_or_with_the_file_and_in_no_cr)
{
    static const struct {
        const char *read;
        size_t n_kept;
    } lines[] = {{"", 0},       {"\n", 0},   {"\r\n", 0}, {"ab", 2},      {"ab\n", 2},
                 {"ab\r\n", 2}, {"ab\r", 3}, {"\r", 1},   {"ab\r\r\n", 3}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct adm_text line = adm_text_line(lines[i].read, strlen(lines[i].read));
        cr_expect_eq(line.length, lines[i].n_kept, "%zu", i);
        cr_expect_eq(line.bytes, lines[i].read);
    }
}

Test(values, a_decimal_time_goes_to_the_last_microsecond_before_the_end_of_time)
{
    static const struct {
        const char *text;
        int64_t unit_us;
        int64_t us;
    } times[] = {
        {"12.5", 1000, 12500},
        {"0.0019", 1000, 1},
        {"7.9", 1, 7},
        {"1.000001", 1000000, 1000001},
        {"9223372036854775806", 1, ADM_NEVER - 1},
        {"9223372036854775806.9", 1, ADM_NEVER - 1},
        {"9223372036854775.806", 1000, ADM_NEVER - 1},
        {"9223372036854775.8069", 1000, ADM_NEVER - 1},
        {"9223372036854.775806", 1000000, ADM_NEVER - 1},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t us = -1;
        cr_expect(adm_value_decimal(adm_text_of(times[i].text), times[i].unit_us, &us), "%s",
                  times[i].text);
        cr_expect_eq(us, times[i].us, "%s is %" PRId64, times[i].text, us);
    }
}

Test(values, a_decimal_time_of_the_end_of_time_is_none)
{
    static const struct {
        const char *text;
        int64_t unit_us;
    } times[] = {
        {"9223372036854775807", 1},
        {"9223372036854775.807", 1000},
        {"9223372036854776", 1000},
        {"9223372036854.775807", 1000000},
        {"9223372036855", 1000000},
        {"99999999999999999999", 1},
        {"1.", 1000},
        {".5", 1000},
        {"1.5x", 1000},
        {"-1", 1000},
    };
    int64_t us = 42;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cr_expect_not(adm_value_decimal(adm_text_of(times[i].text), times[i].unit_us, &us),
                      "%s", times[i].text);
    }
    cr_expect_eq(us, 42, "untouched by what is no time");
}
