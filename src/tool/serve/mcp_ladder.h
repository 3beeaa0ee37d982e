/* The ladder: why a POST to /mcp is turned away, from the first rung to the last. */
#ifndef ADM_SERVE_MCP_LADDER_H
#define ADM_SERVE_MCP_LADDER_H

#include "tool/serve/mcp_call.h"

/* Climbs; fills in the call. False: `*reply` is the answer - also the empty one to a
 * notification, which is accepted and dropped. */
bool adm_mcp_climb(struct adm_mcp_call *call, struct adm_reply *reply);

#endif
