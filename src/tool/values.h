/* Counts and durations, as the trace format and the command line write them. */
#ifndef ADM_TOOL_VALUES_H
#define ADM_TOOL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest count; one above it stands for "none" (core/limits.h). */
#define ADM_VALUE_COUNT_MAX UINT32_C(4294967294)

/* What is wrong with a text that is no count or no duration. */
#define ADM_VALUE_COUNT_RULE "a decimal integer from 0 to 4294967294"
#define ADM_VALUE_SPAN_RULE "an integer and us, ms or s, or plain 0, less than 2^63-1 us"

/* A piece of a line; not terminated. */
struct adm_text {
    const char *bytes;
    size_t length;
};

/* A terminated string as a text. */
struct adm_text adm_text_of(const char *string);

/* A copy of it as a string, to free(). */
char *adm_text_copy(struct adm_text text);

bool adm_text_is(struct adm_text text, const char *string);

/* A line as it was read, without its end: LF or CRLF, or nothing at the end of the file. */
struct adm_text adm_text_line(const char *bytes, size_t length);

/* Each reads the whole of `text`: false, and the output untouched, when it is none. */
bool adm_value_count(struct adm_text text, uint32_t *count);
bool adm_value_span(struct adm_text text, int64_t *span_us);

/* A decimal number of units of `unit_us` (1, 1000 or 1000000), such as 12.5, in microseconds;
 * what lies below the microsecond is cut. */
bool adm_value_decimal(struct adm_text text, int64_t unit_us, int64_t *span_us);

#endif
