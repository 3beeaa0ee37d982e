/* See tool/serve/door.h. */
#include "tool/serve/door.h"

#include <string.h>
#include <strings.h>

#include <czmq.h>

const struct adm_demo adm_door_demo[ADM_DOOR_N_DEMO] = {
    {.token = "demo-alice", .principal = "alice"},
    {.token = "demo-bob", .principal = "bob"},
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static struct adm_text trim(const char *value)
{
    if (value == NULL) {
        return (struct adm_text){0};
    }
    while (is_blank(*value)) {
        value++;
    }
    struct adm_text text = adm_text_of(value);
    while (text.length > 0 && is_blank(text.bytes[text.length - 1])) {
        text.length--;
    }
    return text;
}

struct adm_text adm_door_header(struct MHD_Connection *connection, const char *name)
{
    return trim(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

static const char *const only_once[] = {"Host", "Origin", "Authorization", "Content-Length"};

enum {
    N_ONLY_ONCE = sizeof only_once / sizeof *only_once
};

static enum MHD_Result count_header(void *counts, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    (void)kind;
    (void)value;
    unsigned *n = counts;
    for (size_t i = 0; i < N_ONLY_ONCE; i++) {
        n[i] += strcasecmp(name, only_once[i]) == 0;
    }
    return MHD_YES;
}

bool adm_door_is_ambiguous(struct MHD_Connection *connection)
{
    unsigned n[N_ONLY_ONCE] = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, n);
    for (size_t i = 0; i < N_ONLY_ONCE; i++) {
        if (n[i] > 1) {
            return true;
        }
    }
    return false;
}

static bool is_same_host(struct adm_text text, const char *host)
{
    return text.length == strlen(host) && strncasecmp(text.bytes, host, text.length) == 0;
}

/* `[::1]` is how an authority spells the address `::1`. */
static bool is_bound_address(struct adm_text host, const char *address)
{
    if (host.length > 2 && host.bytes[0] == '[' && host.bytes[host.length - 1] == ']') {
        host = (struct adm_text){.bytes = host.bytes + 1, .length = host.length - 2};
    }
    return is_same_host(host, address);
}

static bool is_allowed_host(const struct adm_settings *settings, struct adm_text host)
{
    static const char *const local[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        if (is_same_host(host, local[i])) {
            return true;
        }
    }
    for (const char *allowed = zlist_first(settings->allow_hosts); allowed != NULL;
         allowed = zlist_next(settings->allow_hosts)) {
        if (is_same_host(host, allowed)) {
            return true;
        }
    }
    return is_bound_address(host, settings->bind);
}

/* Is it HOST or HOST:PORT, of a host that is allowed? */
static bool is_allowed_authority(const struct adm_settings *settings, struct adm_text text)
{
    size_t length = text.length;
    while (length > 0 && text.bytes[length - 1] >= '0' && text.bytes[length - 1] <= '9') {
        length--;
    }
    if (length > 0 && length < text.length && text.bytes[length - 1] == ':') {
        const struct adm_text host = {.bytes = text.bytes, .length = length - 1};
        if (is_allowed_host(settings, host)) {
            return true;
        }
    }
    return is_allowed_host(settings, text);
}

static bool skip(struct adm_text *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (text->length < n || strncasecmp(text->bytes, prefix, n) != 0) {
        return false;
    }
    text->bytes += n;
    text->length -= n;
    return true;
}

bool adm_door_is_for_us(const struct adm_door *door, struct MHD_Connection *connection)
{
    const struct adm_text host = adm_door_header(connection, "Host");
    if (!is_allowed_authority(door->settings, host)) {
        return false;
    }
    struct adm_text origin = adm_door_header(connection, "Origin");
    if (origin.bytes == NULL) {
        return true;
    }
    return (skip(&origin, "http://") || skip(&origin, "https://")) &&
           is_allowed_authority(door->settings, origin);
}

struct adm_text adm_door_bearer(struct MHD_Connection *connection)
{
    struct adm_text value = adm_door_header(connection, "Authorization");
    if (!skip(&value, "Bearer ")) {
        return (struct adm_text){0};
    }
    while (value.length > 0 && is_blank(*value.bytes)) {
        value.bytes++;
        value.length--;
    }
    return value;
}

/* A cookie goes to every port of its host, SameSite or not, and an image has no `Origin`; this
 * header is the browser's own word, and no page can change it. */
static bool is_of_another_origin(struct MHD_Connection *connection)
{
    const struct adm_text site = adm_door_header(connection, "Sec-Fetch-Site");
    return site.bytes != NULL && !adm_text_is(site, "same-origin") &&
           !adm_text_is(site, "none");
}

struct adm_principal *adm_door_principal(const struct adm_door *door,
                                         struct MHD_Connection *connection, bool takes_cookie)
{
    if (adm_door_header(connection, "Authorization").bytes != NULL) {
        return adm_principals_find(door->principals, adm_door_bearer(connection));
    }
    if (is_of_another_origin(connection)) {
        return NULL;
    }
    if (takes_cookie) {
        const struct adm_text cookie =
            trim(MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, ADM_DOOR_COOKIE));
        if (cookie.length > 0) {
            return adm_principals_find(door->principals, cookie);
        }
    }
    return door->anonymous;
}
