/* What is written as a line of a trace reads back as the same. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/trace_write.h"

TestSuite(trace_write, .timeout = 10);

/* Lines in the form in which they are written. */
static const char *const lines[] = {
    "",
    "limits",
    ("limits max_concurrent=none min_interval=0us queue_capacity=0 admission_timeout=none "
     "max_listens_per_principal=1 max_listeners=none"),
    "limits queue_capacity=4294967294 admission_timeout=9223372036854775806us",
    "provider p:q",
    "provider p max_concurrent=0 min_interval=250us queue_capacity=none",
    "0us - limits max_concurrent=3",
    "0us - provider p max_concurrent=3",
    "1000us a admit x",
    "1000us! a admit - provider=p key=K=1 timeout=0us attempt_timeout=5us",
    "1000us a admit x timeout=none",
    "1000us a admit x principal=P",
    "1000us a admit x principal=P max=4294967294 when_full=refuse",
    "1000us a leave x",
    "1000us a leave principal=P=Q",
    "1000us a cancel x",
    "1000us a down",
    "1000us a live principal=P",
    "9223372036854775806us - cooldown p 0us",
    "1000us - stats",
    "1000us - close",
    "1000us! - end",
};

/* Writes what was read from `text`; free it. */
static char *write_again(const char *text)
{
    struct adm_trace_line line;
    char error[ADM_READER_ERROR_MAX] = "";
    cr_assert(adm_trace_read(adm_text_of(text), &line, error), "%s: %s", text, error);
    char *written = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    adm_trace_write(out, &line);
    fclose(out);
    cr_assert(length > 0 && written[length - 1] == '\n');
    written[length - 1] = '\0';
    return written;
}

Test(trace_write, every_kind_of_line_is_written_as_it_is_read)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *written = write_again(lines[i]);
        cr_expect_str_eq(written, lines[i]);
        free(written);
    }
}

/* `principal=` and a name of 255 bytes are one word of 265: the bound is the name's. */
Test(trace_write, names_of_255_bytes_are_written_and_read_wherever_a_name_stands)
{
    static const char *const forms[] = {
        "0us %s admit %s",
        "0us a admit x provider=%s key=%s",
        "0us a admit x principal=%s",
        "0us a leave principal=%s",
        "0us a live principal=%s",
        "provider %s max_concurrent=1",
        "0us - cooldown %s 5us",
    };
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[1024] = "";
        const char *from = forms[i];
        for (const char *at; (at = strstr(from, "%s")) != NULL; from = at + 2) {
            strncat(text, from, (size_t)(at - from));
            strcat(text, name);
        }
        strcat(text, from);
        char *written = write_again(text);
        cr_expect_str_eq(written, text);
        free(written);
    }
}

/* The provider line of this name as it is written; free it. */
static char *write_provider(struct adm_name name)
{
    char *written = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    struct adm_trace_line line = {.type = ADM_TRACE_REQUEST};
    line.request.type = ADM_REQUEST_PROVIDER;
    line.request.of.provider.name = name;
    adm_trace_write(out, &line);
    fclose(out);
    written[length - 1] = '\0';
    return written;
}

Test(trace_write, a_provider_is_named_by_a_log_only_as_a_trace_can_name_it)
{
    for (int byte = 0; byte < 256; byte++) {
        const char first[] = {(char)byte, 'p'};
        const char last[] = {'p', (char)byte};
        const struct adm_text fields[] = {{first, 2}, {last, 2}};
        for (size_t i = 0; i < 2; i++) {
            char error[ADM_READER_ERROR_MAX] = "";
            struct adm_reader reader = {.error = error};
            struct adm_name name;
            if (!adm_reader_provider_field(&reader, fields[i], &name)) {
                const bool is_none = byte <= ' ' || byte == 0x7f || byte == '=';
                cr_expect(is_none || (byte == '#' && i == 0), "byte %d at %zu", byte, i);
                continue;
            }
            char *written = write_provider(name);
            struct adm_trace_line line;
            cr_assert(adm_trace_read(adm_text_of(written), &line, error), "%s", error);
            cr_expect(adm_name_equal(line.request.of.provider.name, name), "byte %d", byte);
            free(written);
        }
    }
}
