/* See tool/serve/settings.h. One table has the options; getopt and the file both go through it,
 * so that neither knows a name that the other does not. */
#include "tool/serve/settings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <string.h>

#include "tool/serve/principals.h"
#include "tool/values.h"

enum code {
    PORT = 256,
    BIND,
    MAX_LISTENS,
    KEEPALIVE,
    TOKENS,
    ANONYMOUS,
    MAX_CONNECTIONS,
    ALLOW_HOST,
    FEED,
    CONFIG,
    CONFORMANCE,
    DEMO,
    HELP = 'h',
};

static const struct option options[] = {
    {"port", required_argument, NULL, PORT},
    {"bind", required_argument, NULL, BIND},
    {"max-listens", required_argument, NULL, MAX_LISTENS},
    {"keepalive", required_argument, NULL, KEEPALIVE},
    {"tokens", required_argument, NULL, TOKENS},
    {"anonymous", required_argument, NULL, ANONYMOUS},
    {"max-connections", required_argument, NULL, MAX_CONNECTIONS},
    {"allow-host", required_argument, NULL, ALLOW_HOST},
    {"feed", required_argument, NULL, FEED},
    {"config", required_argument, NULL, CONFIG},
    {"conformance", no_argument, NULL, CONFORMANCE},
    {"demo", no_argument, NULL, DEMO},
    {"help", no_argument, NULL, HELP},
    {0},
};

static bool keep(char **kept, const char *value)
{
    free(*kept);
    *kept = adm_text_copy(adm_text_of(value));
    return *value != '\0';
}

static bool add(zlist_t *list, const char *value)
{
    return *value != '\0' && zlist_append(list, (void *)(uintptr_t)value) == 0;
}

static bool take_port(struct adm_settings *settings, const char *value)
{
    uint32_t port;
    if (!adm_value_count(adm_text_of(value), &port) || port > UINT16_MAX) {
        return false;
    }
    settings->port = (uint16_t)port;
    return true;
}

static bool take_max_listens(struct adm_settings *settings, const char *value)
{
    uint32_t max;
    if (!adm_value_count(adm_text_of(value), &max) || max == 0) {
        return false;
    }
    settings->max_listens = max;
    return true;
}

static bool is_one_of(const char *value, const char *const *words)
{
    while (*words != NULL && strcmp(value, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

static bool take_flag(bool *flag, const char *value)
{
    static const char *const yes[] = {"1", "true", "yes", NULL};
    static const char *const no[] = {"0", "false", "no", NULL};
    *flag = value == NULL || is_one_of(value, yes);
    return *flag || is_one_of(value, no);
}

/* `value` is NULL where the option takes none. */
static bool take(struct adm_settings *settings, enum code code, const char *value)
{
    switch (code) {
    case PORT:
        return take_port(settings, value);
    case BIND:
        return keep(&settings->bind, value);
    case MAX_LISTENS:
        return take_max_listens(settings, value);
    case KEEPALIVE:
        return adm_value_span(adm_text_of(value), &settings->keepalive_us);
    case TOKENS:
        return keep(&settings->tokens, value);
    case ANONYMOUS:
        return adm_principal_is_name(adm_text_of(value)) && keep(&settings->anonymous, value);
    case MAX_CONNECTIONS:
        return adm_value_count(adm_text_of(value), &settings->max_connections) &&
               settings->max_connections > 0;
    case ALLOW_HOST:
        return add(settings->allow_hosts, value);
    case FEED:
        return add(settings->feeds, value);
    case CONFIG:
        return keep(&settings->config, value);
    case CONFORMANCE:
        return take_flag(&settings->is_conformance, value);
    case DEMO:
        return take_flag(&settings->is_demo, value);
    case HELP:
        settings->wants_help = true;
        return true;
    }
    return false;
}

static const struct option *find_option(const char *name)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        if (strcmp(option->name, name) == 0) {
            return option;
        }
    }
    return NULL;
}

static enum adm_exit take_entry(struct adm_settings *settings, zconfig_t *entry)
{
    const char *name = zconfig_name(entry);
    const char *value = zconfig_value(entry);
    const struct option *option = find_option(name);
    if (option == NULL || option->val == HELP || option->val == CONFIG) {
        return adm_command_fail(ADM_EXIT_WRONG, "%s: %s: no such setting", settings->config,
                                name);
    }
    if (zconfig_child(entry) != NULL ||
        !take(settings, (enum code)option->val, value == NULL ? "" : value)) {
        return adm_command_fail(ADM_EXIT_WRONG, "%s: %s: not a valid value", settings->config,
                                name);
    }
    return ADM_EXIT_DONE;
}

static enum adm_exit read_file(struct adm_settings *settings)
{
    errno = 0;
    zconfig_t *root = zconfig_load(settings->config);
    if (root == NULL) {
        return adm_command_fail(ADM_EXIT_WRONG, "%s: %s", settings->config,
                                errno != 0 ? strerror(errno) : "not in the format of zconfig");
    }
    enum adm_exit status = ADM_EXIT_DONE;
    zconfig_t *entry = zconfig_child(root);
    while (entry != NULL && status == ADM_EXIT_DONE) {
        status = take_entry(settings, entry);
        entry = zconfig_next(entry);
    }
    zconfig_destroy(&root);
    return status;
}

/* One pass over the command line: the first looks for --config alone, the second takes all. */
static enum adm_exit read_line(struct adm_settings *settings, int argc, char **argv,
                               bool is_first)
{
    int code;
    int index = 0;
    optind = 0;
    opterr = is_first;
    while ((code = getopt_long(argc, argv, "h", options, &index)) != -1) {
        if (code == '?') {
            fprintf(stderr, "Try `%s --help'.\n", argv[0]);
            return ADM_EXIT_WRONG;
        }
        if (is_first && code != CONFIG && code != HELP) {
            continue;
        }
        if (!take(settings, (enum code)code, optarg)) {
            return adm_command_wrong_call(argv[0], "--%s: %s: not a valid value",
                                          options[index].name, optarg);
        }
    }
    if (optind != argc) {
        return adm_command_wrong_call(argv[0], "%s: not an option", argv[optind]);
    }
    return ADM_EXIT_DONE;
}

static bool read_address(struct adm_settings *settings, bool *is_loopback)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&settings->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&settings->address;
    if (inet_pton(AF_INET, settings->bind, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(settings->port);
        settings->address_length = sizeof *four;
        *is_loopback = ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
        return true;
    }
    if (inet_pton(AF_INET6, settings->bind, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(settings->port);
        settings->address_length = sizeof *six;
        *is_loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
        return true;
    }
    return false;
}

/* What one option says about another. */
static enum adm_exit check(struct adm_settings *settings, const char *command)
{
    bool is_loopback = false;
    if (!read_address(settings, &is_loopback)) {
        return adm_command_wrong_call(command, "--bind: %s: not an address", settings->bind);
    }
    if (!is_loopback && settings->tokens == NULL) {
        return adm_command_wrong_call(
            command, "--bind: %s: others can reach it, so --tokens is needed", settings->bind);
    }
    if (settings->is_demo && settings->tokens != NULL) {
        return adm_command_wrong_call(command, "--demo makes its own tokens, so no --tokens");
    }
    if (!settings->is_demo && settings->tokens == NULL && settings->anonymous == NULL) {
        return adm_command_wrong_call(
            command, "nobody could come in: give --tokens, --anonymous or --demo");
    }
    return ADM_EXIT_DONE;
}

static void init(struct adm_settings *settings)
{
    *settings = (struct adm_settings){
        .port = 8080,
        .bind = adm_text_copy(adm_text_of("127.0.0.1")),
        .max_listens = 3,
        .keepalive_us = 15000000,
        .allow_hosts = zlist_new(),
        .feeds = zlist_new(),
    };
    zlist_autofree(settings->allow_hosts);
    zlist_autofree(settings->feeds);
}

enum adm_exit adm_settings_read(struct adm_settings *settings, int argc, char **argv)
{
    init(settings);
    enum adm_exit status = read_line(settings, argc, argv, true);
    if (status != ADM_EXIT_DONE || settings->wants_help) {
        return status;
    }
    if (settings->config != NULL) {
        status = read_file(settings);
    }
    if (status == ADM_EXIT_DONE) {
        status = read_line(settings, argc, argv, false);
    }
    return status == ADM_EXIT_DONE ? check(settings, argv[0]) : status;
}

void adm_settings_deinit(struct adm_settings *settings)
{
    free(settings->bind);
    free(settings->tokens);
    free(settings->anonymous);
    free(settings->config);
    zlist_destroy(&settings->allow_hosts);
    zlist_destroy(&settings->feeds);
}
