/* One POST to /mcp on its way through the ladder, the methods and the answer. */
#ifndef ADM_SERVE_MCP_CALL_H
#define ADM_SERVE_MCP_CALL_H

#include <stdbool.h>

#include <jansson.h>

#include "tool/serve/press.h"
#include "tool/serve/reply.h"
#include "tool/serve/streams.h"
#include "tool/values.h"

#define ADM_MCP_VERSION "2026-07-28"
#define ADM_MCP_META "io.modelcontextprotocol/"

enum adm_mcp_error {
    ADM_MCP_PARSE = -32700,
    ADM_MCP_INVALID_REQUEST = -32600,
    ADM_MCP_NO_METHOD = -32601,
    ADM_MCP_INVALID_PARAMS = -32602,
    ADM_MCP_INTERNAL = -32603,
    ADM_MCP_HEADER_MISMATCH = -32020,
    ADM_MCP_MISSING_CAPABILITY = -32021,
    ADM_MCP_UNSUPPORTED_VERSION = -32022,
};

enum {
    ADM_MCP_ID_MAX = 1024, /* bytes of an id: it comes back with everything */
    ADM_MCP_URIS_MAX = 64  /* of one listen */
};

/* What the server offers over MCP. */
struct adm_mcp {
    struct adm_press *press;
    int64_t max_listens;
    bool is_conformance; /* the tools that the conformance scenarios call */
};

struct adm_mcp_call {
    struct adm_mcp *mcp;
    struct adm_text version; /* the headers */
    struct adm_text method_header;
    struct adm_text name_header;
    struct adm_text body;

    /* What the ladder has found. Borrowed from `message`, which is the call's. */
    json_t *message;
    json_t *id; /* NULL: none that can be sent back */
    const char *method;
    json_t *params;
    json_t *meta;
};

/* An error to answer with. Takes `data`, which can be NULL; without an id, there is none. */
struct adm_reply adm_mcp_error(const struct adm_mcp_call *call, unsigned status,
                               enum adm_mcp_error code, const char *message, json_t *data);

/* A result to answer with: takes `result`, and adds what each has. */
struct adm_reply adm_mcp_result(const struct adm_mcp_call *call, json_t *result);

/* Name and version of this program. */
json_t *adm_mcp_server_info(void);

#endif
