/* See tool/serve/mcp_call.h. */
#include "tool/serve/mcp_call.h"

#include "admission/version.h"

json_t *adm_mcp_server_info(void)
{
    return json_pack("{ss ss}", "name", "admission", "version", ADMISSION_VERSION);
}

/* A request without an id that can be sent back gets an answer without one: null is no id. */
static json_t *answer(const struct adm_mcp_call *call)
{
    json_t *json = json_pack("{ss}", "jsonrpc", "2.0");
    if (call->id != NULL) {
        json_object_set(json, "id", call->id);
    }
    return json;
}

struct adm_reply adm_mcp_error(const struct adm_mcp_call *call, unsigned status,
                               enum adm_mcp_error code, const char *message, json_t *data)
{
    json_t *json = answer(call);
    json_t *error = json_pack("{si ss}", "code", (int)code, "message", message);
    if (data != NULL) {
        json_object_set_new(error, "data", data);
    }
    json_object_set_new(json, "error", error);
    return adm_reply_json(status, json);
}

struct adm_reply adm_mcp_result(const struct adm_mcp_call *call, json_t *result)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_object_set_new(result, "_meta",
                        json_pack("{so}", ADM_MCP_META "serverInfo", adm_mcp_server_info()));
    json_t *json = answer(call);
    json_object_set_new(json, "result", result);
    return adm_reply_json(MHD_HTTP_OK, json);
}
