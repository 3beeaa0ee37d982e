/* See tool/simulate_call.h. Each kind of log has its own table of options, so that getopt
 * refuses what belongs to the other. */
#include "tool/simulate_call.h"

#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"
#include "core/limits.h"
#include "core/request.h"

enum code {
    MAX_LISTENS = 256,
    WHEN_FULL,
    MAX_LISTENERS,
    MAX_CONCURRENT,
    QUEUE_CAPACITY,
    TIMEOUT,
    MIN_INTERVAL,
    PROVIDER,
    PER_KEY,
    ATTEMPT_TIMEOUT,
    COLUMNS,
    FROM,
    SORT,
    LASTS,
    FORMAT,
    EVENTS,
    TRACE,
    PLOT,
    HELP = 'h',
};

// clang-format off
#define COMMON_OPTIONS \
    {"columns", required_argument, NULL, COLUMNS}, \
    {"from", required_argument, NULL, FROM}, \
    {"sort", no_argument, NULL, SORT}, \
    {"lasts", required_argument, NULL, LASTS}, \
    {"format", required_argument, NULL, FORMAT}, \
    {"events", required_argument, NULL, EVENTS}, \
    {"trace", required_argument, NULL, TRACE}, \
    {"plot", required_argument, NULL, PLOT}, \
    {"help", no_argument, NULL, HELP}, \
    {0}
// clang-format on

static const struct option listens_options[] = {
    {"max-listens", required_argument, NULL, MAX_LISTENS},
    {"when-full", required_argument, NULL, WHEN_FULL},
    {"max-listeners", required_argument, NULL, MAX_LISTENERS},
    COMMON_OPTIONS,
};

static const struct option requests_options[] = {
    {"max-concurrent", required_argument, NULL, MAX_CONCURRENT},
    {"queue-capacity", required_argument, NULL, QUEUE_CAPACITY},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"min-interval", required_argument, NULL, MIN_INTERVAL},
    {"provider", required_argument, NULL, PROVIDER},
    {"per-key", no_argument, NULL, PER_KEY},
    {"attempt-timeout", required_argument, NULL, ATTEMPT_TIMEOUT},
    COMMON_OPTIONS,
};

static bool read_count(struct adm_text text, bool can_be_none, uint32_t *count)
{
    if (can_be_none && adm_text_is(text, "none")) {
        *count = ADM_NO_LIMIT;
        return true;
    }
    return adm_value_count(text, count);
}

static bool read_span(const char *argument, bool can_be_none, int64_t *span_us)
{
    if (can_be_none && strcmp(argument, "none") == 0) {
        *span_us = ADM_NEVER;
        return true;
    }
    return adm_value_span(adm_text_of(argument), span_us);
}

/* `1,2,3`: the limits to try, each from `least` on. */
static bool read_limits(struct adm_call *call, const char *argument, uint32_t least,
                        bool can_be_none)
{
    call->question.n_limits = 0;
    for (;;) {
        const size_t length = strcspn(argument, ",");
        const struct adm_text text = {.bytes = argument, .length = length};
        uint32_t *limit = &call->limits[call->question.n_limits];
        if (call->question.n_limits == ADM_CALL_LIMITS ||
            !read_count(text, can_be_none, limit) || *limit < least) {
            return false;
        }
        call->question.n_limits++;
        if (argument[length] == '\0') {
            return true;
        }
        argument += length + 1;
    }
}

/* `NAME:N`; a name may have colons of its own. */
static bool read_provider(struct adm_call *call, const char *argument)
{
    const char *colon = strrchr(argument, ':');
    if (colon == NULL || colon == argument ||
        call->question.n_providers == ADM_CALL_PROVIDERS) {
        return false;
    }
    char error[ADM_READER_ERROR_MAX];
    struct adm_reader reader = {.error = error};
    const struct adm_text name = {.bytes = argument, .length = (size_t)(colon - argument)};
    struct adm_provider_limit *provider = &call->providers[call->question.n_providers++];
    return adm_reader_provider_field(&reader, name, &provider->name) &&
           read_count(adm_text_of(colon + 1), true, &provider->max_concurrent);
}

static bool read_when_full(struct adm_call *call, const char *argument)
{
    call->question.refuse_when_full = strcmp(argument, "refuse") == 0;
    return call->question.refuse_when_full || strcmp(argument, "supersede") == 0;
}

static bool read_from(struct adm_call *call, const char *argument)
{
    call->rows.format = strcmp(argument, "nginx") == 0 ? ADM_FORMAT_NGINX : ADM_FORMAT_COMBINED;
    return call->rows.format == ADM_FORMAT_NGINX || strcmp(argument, "combined") == 0;
}

/* gnuplot draws SVG, so a name that promises something else is refused. */
static bool read_plot(struct adm_call *call, const char *argument)
{
    call->plot = argument;
    const char *slash = strrchr(argument, '/');
    const char *name = slash != NULL ? slash + 1 : argument;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || strcasecmp(dot, ".svg") == 0;
}

/* Takes one option; false when its argument is not what it wants. */
static bool take(struct adm_call *call, enum code code, const char *argument)
{
    struct adm_question *question = &call->question;
    switch (code) {
    case MAX_LISTENS:
        return read_limits(call, argument, 1, false);
    case WHEN_FULL:
        return read_when_full(call, argument);
    case MAX_LISTENERS:
        return read_count(adm_text_of(argument), true, &question->max_listeners);
    case MAX_CONCURRENT:
        return read_limits(call, argument, 0, true);
    case QUEUE_CAPACITY:
        return read_count(adm_text_of(argument), false, &question->queue_capacity);
    case TIMEOUT:
        return read_span(argument, true, &question->timeout_us);
    case MIN_INTERVAL:
        return read_span(argument, false, &question->min_interval_us);
    case PROVIDER:
        return read_provider(call, argument);
    case PER_KEY:
        question->is_per_key = true;
        return true;
    case ATTEMPT_TIMEOUT:
        return read_span(argument, false, &question->attempt_timeout_us);
    case COLUMNS:
        call->columns = argument;
        return true;
    case FROM:
        return read_from(call, argument);
    case SORT:
        call->rows.is_sorted = true;
        return true;
    case LASTS:
        return read_span(argument, false, &call->rows.lasts_us);
    case FORMAT:
        return adm_output_read(argument, &call->output);
    case EVENTS:
        call->events = argument;
        return true;
    case TRACE:
        call->trace = argument;
        return true;
    case PLOT:
        return read_plot(call, argument);
    case HELP:
        call->wants_help = true;
        return true;
    }
    return false;
}

static void init(struct adm_call *call, const char *command, enum adm_log_kind kind)
{
    *call = (struct adm_call){
        .command = command,
        .rows = {.kind = kind, .lasts_us = ADM_LASTS_UNKNOWN},
        .question =
            {
                .limits = call->limits,
                .max_listeners = ADM_NO_LIMIT,
                .queue_capacity = ADM_VALUE_COUNT_MAX,
                .timeout_us = ADM_TIMEOUT_DEFAULT,
                .providers = call->providers,
            },
    };
}

/* What the options mean together. */
static enum adm_exit check(struct adm_call *call)
{
    const bool is_listens = call->rows.kind == ADM_LOG_LISTENS;
    struct adm_question *question = &call->question;
    if (question->n_limits == 0) {
        return adm_command_wrong_call(call->command, "--%s is missing",
                                      is_listens ? "max-listens" : "max-concurrent");
    }
    if (question->n_limits > 1 && (call->events != NULL || call->trace != NULL)) {
        return adm_command_wrong_call(call->command,
                                      "--events and --trace are of one limit, not of several");
    }
    if (call->columns != NULL && call->rows.format != ADM_FORMAT_COLUMNS) {
        return adm_command_wrong_call(call->command, "--from has no --columns");
    }
    char error[ADM_READER_ERROR_MAX];
    adm_columns_init(&call->rows.columns, call->rows.kind);
    if (call->columns != NULL &&
        !adm_columns_parse(&call->rows.columns, call->columns, error)) {
        return adm_command_wrong_call(call->command, "--columns: %s", error);
    }
    question->wants_plot = call->plot != NULL;
    call->rows.wants_keys = question->is_per_key;
    return ADM_EXIT_DONE;
}

static enum adm_exit read_options(struct adm_call *call, int argc, char **argv)
{
    const bool is_listens = call->rows.kind == ADM_LOG_LISTENS;
    const struct option *options = is_listens ? listens_options : requests_options;
    int code;
    int index = 0;
    while ((code = getopt_long(argc, argv, "h", options, &index)) != -1) {
        if (code == '?') {
            fprintf(stderr, "Try `%s --help'.\n", call->command);
            return ADM_EXIT_WRONG;
        }
        if (!take(call, (enum code)code, optarg)) {
            return adm_command_wrong_call(call->command, "--%s: %s: not a valid value",
                                          options[index].name, optarg);
        }
    }
    if (call->wants_help) {
        return ADM_EXIT_DONE;
    }
    if (argc - optind != 1) {
        return adm_command_wrong_call(call->command, argc == optind ? "a FILE is missing"
                                                                    : "one FILE at a time");
    }
    call->rows.path = argv[optind];
    return check(call);
}

enum adm_exit adm_call_read(struct adm_call *call, int argc, char **argv)
{
    static const char *const commands[] = {"admission simulate listens",
                                           "admission simulate requests"};
    init(call, "admission simulate", ADM_LOG_LISTENS);
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "--help") == 0 || strcmp(kind, "-h") == 0) {
        call->wants_help = true;
        return ADM_EXIT_DONE;
    }
    const bool is_listens = strcmp(kind, "listens") == 0;
    if (!is_listens && strcmp(kind, "requests") != 0) {
        return adm_command_wrong_call(call->command, "`listens' or `requests' comes first");
    }
    init(call, commands[is_listens ? 0 : 1], is_listens ? ADM_LOG_LISTENS : ADM_LOG_REQUESTS);
    char name[64];
    snprintf(name, sizeof name, "%s", call->command);
    argv[1] = name;
    optind = 0;
    return read_options(call, argc - 1, argv + 1);
}
