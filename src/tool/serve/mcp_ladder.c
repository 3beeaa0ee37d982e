/* See tool/serve/mcp_ladder.h. Each rung is one function; which rung comes first is decided in
 * one list, for a request that is wrong in two ways must always get the same answer.
 *
 * A notification is never acted on. The one that clients send is the cancellation of a listen
 * by its id, an id that other connections of the principal use as well; what ends a stream is
 * the end of its connection. */
#include "tool/serve/mcp_ladder.h"

#include <string.h>

#include <sodium.h>

#include "base/memory.h"

/* Writes the answer and stays below. */
static bool refuse(struct adm_mcp_call *call, struct adm_reply *reply, enum adm_mcp_error code,
                   const char *message)
{
    *reply = adm_mcp_error(call, MHD_HTTP_BAD_REQUEST, code, message, NULL);
    return false;
}

static bool is_json(struct adm_mcp_call *call, struct adm_reply *reply)
{
    call->message = json_loadb(call->body.bytes, call->body.length,
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    return call->message != NULL || refuse(call, reply, ADM_MCP_PARSE, "Parse error");
}

static bool is_id(const json_t *id)
{
    return json_is_integer(id) ||
           (json_is_string(id) && json_string_length(id) <= ADM_MCP_ID_MAX);
}

static bool is_message(struct adm_mcp_call *call, struct adm_reply *reply)
{
    json_t *id = json_object_get(call->message, "id");
    call->id = is_id(id) ? id : NULL;
    call->method = json_string_value(json_object_get(call->message, "method"));
    call->params = json_object_get(call->message, "params");
    call->meta = json_object_get(call->params, "_meta");
    const char *version = json_string_value(json_object_get(call->message, "jsonrpc"));
    const bool has_version = version != NULL && strcmp(version, "2.0") == 0;
    if (!has_version || call->method == NULL || (id != NULL && call->id == NULL)) {
        return refuse(call, reply, ADM_MCP_INVALID_REQUEST, "Invalid Request");
    }
    return true;
}

static bool wants_answer(struct adm_mcp_call *call, struct adm_reply *reply)
{
    if (call->id == NULL) {
        *reply = adm_reply_text(MHD_HTTP_ACCEPTED, NULL);
        return false;
    }
    return true;
}

static bool refuse_version(struct adm_mcp_call *call, struct adm_reply *reply,
                           const char *requested)
{
    json_t *data =
        json_pack("{s[s] ss*}", "supported", ADM_MCP_VERSION, "requested", requested);
    *reply = adm_mcp_error(call, MHD_HTTP_BAD_REQUEST, ADM_MCP_UNSUPPORTED_VERSION,
                           "Unsupported protocol version", data);
    return false;
}

/* The first word of a client of an older version, which has no header to say so. */
static bool is_no_handshake(struct adm_mcp_call *call, struct adm_reply *reply)
{
    if (strcmp(call->method, "initialize") != 0 || call->version.bytes != NULL) {
        return true;
    }
    return refuse_version(call, reply,
                          json_string_value(json_object_get(call->params, "protocolVersion")));
}

static bool has_version_header(struct adm_mcp_call *call, struct adm_reply *reply)
{
    return call->version.bytes != NULL ||
           refuse(call, reply, ADM_MCP_HEADER_MISMATCH,
                  "Header mismatch: MCP-Protocol-Version is missing");
}

static const char *meta_version(const struct adm_mcp_call *call)
{
    return json_string_value(json_object_get(call->meta, ADM_MCP_META "protocolVersion"));
}

static bool has_meta(struct adm_mcp_call *call, struct adm_reply *reply)
{
    const bool has_capabilities =
        json_is_object(json_object_get(call->meta, ADM_MCP_META "clientCapabilities"));
    return (has_capabilities && meta_version(call) != NULL) ||
           refuse(call, reply, ADM_MCP_INVALID_PARAMS,
                  "Invalid params: _meta needs protocolVersion and clientCapabilities");
}

static bool has_same_version(struct adm_mcp_call *call, struct adm_reply *reply)
{
    return adm_text_is(call->version, meta_version(call)) ||
           refuse(call, reply, ADM_MCP_HEADER_MISMATCH,
                  "Header mismatch: MCP-Protocol-Version is not the version of _meta");
}

static bool has_our_version(struct adm_mcp_call *call, struct adm_reply *reply)
{
    return adm_text_is(call->version, ADM_MCP_VERSION) ||
           refuse_version(call, reply, meta_version(call));
}

static bool has_same_method(struct adm_mcp_call *call, struct adm_reply *reply)
{
    return (call->method_header.bytes != NULL &&
            adm_text_is(call->method_header, call->method)) ||
           refuse(call, reply, ADM_MCP_HEADER_MISMATCH,
                  "Header mismatch: Mcp-Method is not the method");
}

/* What Mcp-Name has to repeat; NULL: it is not needed. */
static const char *named_member(const char *method)
{
    if (strcmp(method, "tools/call") == 0 || strcmp(method, "prompts/get") == 0) {
        return "name";
    }
    return strcmp(method, "resources/read") == 0 ? "uri" : NULL;
}

/* A header carries what is not plain ASCII as =?base64?...?=. */
static bool is_encoded_name(struct adm_text header, const char *name)
{
    static const char before[] = "=?base64?";
    static const char after[] = "?=";
    const size_t frame = strlen(before) + strlen(after);
    if (header.length < frame || strncmp(header.bytes, before, strlen(before)) != 0 ||
        memcmp(header.bytes + header.length - strlen(after), after, strlen(after)) != 0) {
        return false;
    }
    unsigned char *decoded = adm_memory_new(header.length, 1);
    size_t n = 0;
    const bool is_same =
        sodium_base642bin(decoded, header.length, header.bytes + strlen(before),
                          header.length - frame, NULL, &n, NULL,
                          sodium_base64_VARIANT_ORIGINAL) == 0 &&
        n == strlen(name) && memcmp(decoded, name, n) == 0;
    free(decoded);
    return is_same;
}

static bool has_same_name(struct adm_mcp_call *call, struct adm_reply *reply)
{
    const char *member = named_member(call->method);
    if (member == NULL) {
        return true;
    }
    const char *name = json_string_value(json_object_get(call->params, member));
    const struct adm_text header = call->name_header;
    if (name != NULL && header.bytes != NULL &&
        (adm_text_is(header, name) || is_encoded_name(header, name))) {
        return true;
    }
    return refuse(call, reply, ADM_MCP_HEADER_MISMATCH,
                  "Header mismatch: Mcp-Name is not what the params name");
}

bool adm_mcp_climb(struct adm_mcp_call *call, struct adm_reply *reply)
{
    static bool (*const rungs[])(struct adm_mcp_call *, struct adm_reply *) = {
        is_json,  is_message,       wants_answer,    is_no_handshake, has_version_header,
        has_meta, has_same_version, has_our_version, has_same_method, has_same_name,
    };
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        if (!rungs[i](call, reply)) {
            return false;
        }
    }
    return true;
}
