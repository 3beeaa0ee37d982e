/* subscriptions/listen: what is asked for, and the dialect of its stream. */
#ifndef ADM_SERVE_MCP_LISTEN_H
#define ADM_SERVE_MCP_LISTEN_H

#include "tool/serve/mcp_call.h"

struct adm_mcp_filter {
    struct adm_name topics[ADM_MCP_URIS_MAX];
    char bytes[ADM_MCP_URIS_MAX][ADM_NAME_MAX];
};

/* Reads a listen. True: `*wish` is to be asked for; its topics point into `filter`. False:
 * `*reply` is the answer, to a wrong one or one that nothing can be delivered for. */
bool adm_mcp_listen(struct adm_mcp_call *call, struct adm_mcp_filter *filter,
                    struct adm_stream_wish *wish, struct adm_reply *reply);

/* The answer to a listen whose stream cannot be had. */
struct adm_reply adm_mcp_listen_refusal(const struct adm_mcp_call *call);

#endif
