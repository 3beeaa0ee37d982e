/* One line of a trace: what it says, or what is wrong with it. */
#include <criterion/criterion.h>

#include <string.h>

#include "base/time.h"
#include "core/effect.h"
#include "tool/trace.h"

TestSuite(trace, .timeout = 10);

static struct adm_trace_line read_line(const char *text)
{
    struct adm_trace_line line;
    char error[ADM_READER_ERROR_MAX] = "";
    cr_assert(adm_trace_read(adm_text_of(text), &line, error), "%s: %s", text, error);
    return line;
}

static bool name_is(struct adm_name name, const char *word)
{
    return name.length == strlen(word) && memcmp(name.bytes, word, name.length) == 0;
}

Test(trace, blank_lines_and_comments_are_nothing)
{
    const char *const nothings[] = {"",        " ", "\t \t", "#", "# x", " \t# 0 a admit x",
                                    "#0 - end"};
    for (size_t i = 0; i < sizeof nothings / sizeof *nothings; i++) {
        cr_expect_eq(read_line(nothings[i]).type, ADM_TRACE_NOTHING, "%s", nothings[i]);
    }
}

Test(trace, a_comment_begins_only_at_the_beginning_of_a_word)
{
    const struct adm_trace_line line = read_line("0 a#1 admit t#1 key=# #key=L");
    cr_expect(name_is(line.handle, "a#1"));
    cr_expect(name_is(line.id, "t#1"));
    cr_expect(name_is(line.request.of.ticket.key, "#"));
}

Test(trace, a_ticket_that_names_nothing_leaves_all_to_the_limits)
{
    const struct adm_trace_line line = read_line("5ms a admit x");
    cr_expect_eq(line.type, ADM_TRACE_REQUEST);
    cr_expect(line.has_time && !line.is_late);
    cr_expect_eq(line.at, 5000);
    cr_expect(name_is(line.handle, "a") && name_is(line.id, "x"));
    cr_expect_eq(line.request.type, ADM_REQUEST_TICKET);
    cr_expect(adm_name_is_none(line.request.of.ticket.provider));
    cr_expect(adm_name_is_none(line.request.of.ticket.key));
    cr_expect_eq(line.request.of.ticket.timeout_us, ADM_TIMEOUT_DEFAULT);
    cr_expect_eq(line.request.of.ticket.attempt_timeout_us, 0);
}

Test(trace, a_ticket_takes_its_options_in_any_order)
{
    const struct adm_trace_line line =
        read_line("20ms!\ta  admit x attempt_timeout=1s timeout=none key=a=b provider=p:q ");
    cr_expect(line.is_late);
    cr_expect_eq(line.at, 20000);
    cr_expect(name_is(line.request.of.ticket.provider, "p:q"));
    cr_expect(name_is(line.request.of.ticket.key, "a=b"));
    cr_expect_eq(line.request.of.ticket.timeout_us, ADM_NEVER);
    cr_expect_eq(line.request.of.ticket.attempt_timeout_us, 1000000);
}

Test(trace, an_admit_with_a_principal_is_a_listener_wherever_it_stands)
{
    const struct adm_trace_line line =
        read_line("0 a admit - when_full=refuse max=4294967294 principal=P=1:2");
    cr_expect_eq(line.request.type, ADM_REQUEST_LISTENER);
    cr_expect(name_is(line.id, "-"), "only a HANDLE may not be -");
    cr_expect(name_is(line.request.of.listener.principal, "P=1:2"));
    cr_expect_eq(line.request.of.listener.max, 4294967294);
    cr_expect(line.request.of.listener.refuse_when_full);
    const struct adm_trace_line plain =
        read_line("0 a admit x principal=P when_full=supersede");
    cr_expect_eq(plain.request.of.listener.max, ADM_MAX_DEFAULT);
    cr_expect_not(plain.request.of.listener.refuse_when_full);
}

Test(trace, the_verbs_of_a_handle_are_requests)
{
    const struct adm_trace_line leave = read_line("1s a leave x");
    cr_expect(leave.request.type == ADM_REQUEST_LEAVE && name_is(leave.id, "x"));
    const struct adm_trace_line all = read_line("1s a leave principal=P");
    cr_expect_eq(all.request.type, ADM_REQUEST_LEAVE_PRINCIPAL);
    cr_expect(name_is(all.request.of.principal, "P") && adm_name_is_none(all.id));
    const struct adm_trace_line cancel = read_line("1s a cancel x");
    cr_expect(cancel.request.type == ADM_REQUEST_CANCEL && name_is(cancel.id, "x"));
    cr_expect_eq(read_line("1s a down").request.type, ADM_REQUEST_DOWN);
    const struct adm_trace_line live = read_line("1s a live principal=P");
    cr_expect_eq(live.request.type, ADM_REQUEST_LIVE);
    cr_expect(name_is(live.request.of.principal, "P"));
}

Test(trace, the_verbs_without_a_handle_are_nobodys)
{
    const struct adm_trace_line cooldown = read_line("1s - cooldown p 2s");
    cr_expect_eq(cooldown.request.type, ADM_REQUEST_COOLDOWN);
    cr_expect_eq(cooldown.request.handle, ADM_NOBODY);
    cr_expect(adm_name_is_none(cooldown.handle));
    cr_expect(name_is(cooldown.request.of.cooldown.provider, "p"));
    cr_expect_eq(cooldown.request.of.cooldown.delay_us, 2000000);
    cr_expect_eq(read_line("1s - close").request.type, ADM_REQUEST_CLOSE);
    cr_expect_eq(read_line("1s - stats").type, ADM_TRACE_STATS);
    cr_expect_eq(read_line("1s - end # of it").type, ADM_TRACE_END);
}

Test(trace, limits_name_what_they_change_with_and_without_a_time)
{
    const struct adm_trace_line all = read_line(
        "limits max_listeners=none max_listens_per_principal=1 admission_timeout=none "
        "queue_capacity=0 min_interval=0 max_concurrent=none");
    cr_expect_not(all.has_time);
    cr_expect_eq(all.request.type, ADM_REQUEST_LIMITS);
    cr_expect_eq(all.request.of.limits.named, ADM_LIMIT_ALL);
    const struct adm_limits *to = &all.request.of.limits.to;
    cr_expect_eq(to->max_concurrent, ADM_NO_LIMIT);
    cr_expect_eq(to->max_listeners, ADM_NO_LIMIT);
    cr_expect_eq(to->admission_timeout_us, ADM_NEVER);
    cr_expect_eq(to->queue_capacity, 0);
    const struct adm_trace_line one = read_line("3us - limits max_concurrent=0");
    cr_expect(one.has_time && one.at == 3);
    cr_expect_eq(one.request.of.limits.named, ADM_LIMIT_MAX_CONCURRENT);
    cr_expect_eq(one.request.of.limits.to.max_concurrent, 0);
    cr_expect_eq(read_line("limits").request.of.limits.named, 0);
}

Test(trace, a_provider_is_named_and_names_what_it_changes)
{
    const struct adm_trace_line line = read_line("provider limits queue_capacity=none");
    cr_expect_eq(line.request.type, ADM_REQUEST_PROVIDER);
    cr_expect(name_is(line.request.of.provider.name, "limits"));
    cr_expect_eq(line.request.of.provider.named, ADM_LIMIT_QUEUE_CAPACITY);
    cr_expect_eq(line.request.of.provider.to.queue_capacity, ADM_NO_LIMIT);
    const struct adm_trace_line all =
        read_line("0 - provider p max_concurrent=1 min_interval=1ms queue_capacity=2");
    cr_expect_eq(all.request.of.provider.named, ADM_PROVIDER_LIMIT_ALL);
    cr_expect_eq(all.request.of.provider.to.min_interval_us, 1000);
}

Test(trace, a_cr_inside_a_line_is_part_of_its_word)
{
    cr_expect(name_is(read_line("0 a admit x\r").id, "x\r"));
}

#define SPAN "an integer and us, ms or s, or plain 0, less than 2^63-1 us"
#define COUNT "a decimal integer from 0 to 4294967294"

static const struct fault {
    const char *text;
    const char *error;
} faults[] = {
    {"5 a admit x", "5: a TIME is " SPAN},
    {"! a admit x", "!: a TIME is " SPAN},
    {"5ms!! a admit x", "5ms!!: a TIME is " SPAN},
    {"9223372036854775807us - end", "9223372036854775807us: a TIME is " SPAN},
    {"admit x", "admit: a TIME is " SPAN},
    {"5ms", "the HANDLE is missing"},
    {"5ms # a down", "the HANDLE is missing"},
    {"5ms a=b down", "a=b: no = and no : in the HANDLE"},
    {"5ms a:b down", "a:b: no = and no : in the HANDLE"},
    {"5ms a", "the verb is missing"},
    {"5ms a enter x", "enter: not a verb"},
    {"5ms a Admit x", "Admit: not a verb"},
    {"5ms a stats", "stats: a verb without a HANDLE, which is - here"},
    {"5ms - down", "down: a verb of a HANDLE, which - is not"},
    {"5ms a admit", "the ID is missing"},
    {"5ms a admit key=K", "key=K: no = and no : in the ID"},
    {"5ms a admit x:y", "x:y: no = and no : in the ID"},
    {"5ms a admit x y", "y: one word too many"},
    {"5ms a admit x max=1", "max=1: not an option of a ticket"},
    {"5ms a admit x principal=P key=K", "key=K: not an option of a listener"},
    {"5ms a admit x =K", "=K: not an option of a ticket"},
    {"5ms a admit x key=", "key=: the value is missing"},
    {"5ms a admit x key=K key=K", "key=K: key comes twice"},
    {"5ms a admit x principal=P principal=P", "principal=P: principal comes twice"},
    {"5ms a admit x provider=p=q", "p=q: no = in the name of a provider"},
    {"5ms a admit x timeout=5", "timeout=5: the value is " SPAN ", or none"},
    {"5ms a admit x attempt_timeout=none", "attempt_timeout=none: the value is " SPAN},
    {"5ms a admit x principal=P max=0", "max=0: the value is at least 1"},
    {"5ms a admit x principal=P max=none", "max=none: the value is " COUNT},
    {"5ms a admit x principal=P when_full=wait",
     "when_full=wait: the value is supersede or refuse"},
    {"5ms a leave", "the ID is missing"},
    {"5ms a leave x y", "y: one word too many"},
    {"5ms a leave x principal=P", "x: one word too many"},
    {"5ms a leave principal=", "principal=: the value is missing"},
    {"5ms a leave principal=P max=1", "max=1: not an option of this verb"},
    {"5ms a cancel", "the ID is missing"},
    {"5ms a cancel x y", "y: one word too many"},
    {"5ms a down x", "x: one word too many"},
    {"5ms a live", "principal=NAME is missing"},
    {"5ms a live P", "P: one word too many"},
    {"5ms - cooldown", "the name of the provider is missing"},
    {"5ms - cooldown p", "the duration of the cooldown is missing"},
    {"5ms - cooldown p=q 1s", "p=q: no = in the name of a provider"},
    {"5ms - cooldown p none", "none: a duration is " SPAN},
    {"5ms - cooldown p 1s 1s", "1s: one word too many"},
    {"5ms - limits 5", "5: one word too many"},
    {"5ms - limits max_concurrent=-1", "max_concurrent=-1: the value is " COUNT ", or none"},
    {"limits max_concurrent=4294967295",
     "max_concurrent=4294967295: the value is " COUNT ", or none"},
    {"limits queue_capacity=none", "queue_capacity=none: the value is " COUNT},
    {"limits max_listens_per_principal=0",
     "max_listens_per_principal=0: the value is at least 1"},
    {"limits max_running=1", "max_running=1: not an option of limits"},
    {"limits min_interval=1 min_interval=1ms", "min_interval=1: the value is " SPAN},
    {"provider", "the name of the provider is missing"},
    {"provider max_concurrent=1", "max_concurrent=1: no = in the name of a provider"},
    {"provider p admission_timeout=1s", "admission_timeout=1s: not an option of a provider"},
    {"5ms - stats now", "now: one word too many"},
    {"5ms - close now", "now: one word too many"},
    {"5ms - end now", "now: one word too many"},
    {"5ms a \x1b[31m\xff", "\\x1b[31m\\xff: not a verb"},
};

Test(trace, each_fault_is_named_with_the_word_that_has_it)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct adm_trace_line line;
        char error[ADM_READER_ERROR_MAX] = "";
        cr_expect_not(adm_trace_read(adm_text_of(faults[i].text), &line, error), "%s",
                      faults[i].text);
        cr_expect_str_eq(error, faults[i].error, "%s: %s", faults[i].text, error);
    }
}

Test(trace, a_nul_byte_makes_a_line_unreadable_even_in_a_comment)
{
    struct adm_trace_line line;
    char error[ADM_READER_ERROR_MAX] = "";
    const struct adm_text text = {.bytes = "0 - end # \0", .length = 11};
    cr_expect_not(adm_trace_read(text, &line, error));
    cr_expect_str_eq(error, "a NUL byte");
}

/* The line `before` + `n` times x + `after`; valid until the next call. */
static const char *line_with(const char *before, size_t n, const char *after)
{
    static char text[1024];
    size_t at = strlen(before);
    memcpy(text, before, at);
    memset(text + at, 'x', n);
    strcpy(text + at + n, after);
    return text;
}

Test(trace, words_and_names_have_at_most_255_bytes)
{
    const char *const places[][2] = {
        {"0 ", " down"},
        {"0 a leave ", ""},
        {"0 a admit i key=", ""},
        {"0 a admit i provider=", ""},
        {"0 a live principal=", ""},
        {"provider ", ""},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        read_line(line_with(places[i][0], 255, places[i][1]));
        struct adm_trace_line line;
        char error[ADM_READER_ERROR_MAX] = "";
        const char *text = line_with(places[i][0], 256, places[i][1]);
        cr_expect_not(adm_trace_read(adm_text_of(text), &line, error), "%s", text);
        cr_expect(strstr(error, "longer than 255 bytes") != NULL, "%s", error);
        cr_expect(strstr(error, "...: ") != NULL, "a long word is quoted by its start");
    }
}
