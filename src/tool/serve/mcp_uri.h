/* Topics as resources: the topic `a b` is `topic:a%20b`. One spelling each, so that a URI can
 * be compared as text. */
#ifndef ADM_SERVE_MCP_URI_H
#define ADM_SERVE_MCP_URI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/name.h"

enum {
    ADM_MCP_URI_ROOM = sizeof "topic:" + 3 * ADM_NAME_MAX
};

void adm_mcp_uri_write(char uri[ADM_MCP_URI_ROOM], struct adm_name topic);

/* False when it is no topic in its one spelling. `bytes` is where the topic then is. */
bool adm_mcp_uri_read(const char *uri, char bytes[ADM_NAME_MAX], struct adm_name *topic);

#endif
