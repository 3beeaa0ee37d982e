/* See tool/serve/mcp_uri.h. What stays as it is, is what RFC 3986 allows in a path. */
#include "tool/serve/mcp_uri.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scheme[] = "topic:";

static bool is_plain(char byte)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/:@!$&()*+,;=";
    return byte != '\0' && strchr(plain, byte) != NULL;
}

void adm_mcp_uri_write(char uri[ADM_MCP_URI_ROOM], struct adm_name topic)
{
    char *at = stpcpy(uri, scheme);
    for (size_t i = 0; i < topic.length; i++) {
        if (is_plain(topic.bytes[i])) {
            *at++ = topic.bytes[i];
        } else {
            at += sprintf(at, "%%%02X", (unsigned)(unsigned char)topic.bytes[i]);
        }
    }
    *at = '\0';
}

static int digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

bool adm_mcp_uri_read(const char *uri, char bytes[ADM_NAME_MAX], struct adm_name *topic)
{
    if (strncmp(uri, scheme, strlen(scheme)) != 0) {
        return false;
    }
    size_t n = 0;
    for (const char *at = uri + strlen(scheme); *at != '\0'; n++) {
        if (n == ADM_NAME_MAX) {
            return false;
        }
        if (*at == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
            bytes[n] = (char)(digit(at[1]) * 16 + digit(at[2]));
            at += 3;
        } else {
            bytes[n] = *at++;
        }
    }
    char again[ADM_MCP_URI_ROOM];
    const struct adm_name read = {.bytes = bytes, .length = (uint8_t)n};
    adm_mcp_uri_write(again, read);
    if (n == 0 || strcmp(again, uri) != 0) {
        return false;
    }
    *topic = read;
    return true;
}
