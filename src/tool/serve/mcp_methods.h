/* The methods that are answered at once: all but subscriptions/listen. */
#ifndef ADM_SERVE_MCP_METHODS_H
#define ADM_SERVE_MCP_METHODS_H

#include "tool/serve/mcp_call.h"

/* The answer of a call that has climbed the ladder; an unknown method has one too. */
struct adm_reply adm_mcp_answer(struct adm_mcp_call *call);

#endif
