/* See tool/serve/mcp_methods.h. Topics are the resources, publishing is the tool. What is
 * listed may change with the next message, so nothing is to be kept by a cache. */
#include "tool/serve/mcp_methods.h"

#include <string.h>

#include "tool/serve/mcp_uri.h"

/* A result that says how long it may be kept. */
static struct adm_reply cacheable(const struct adm_mcp_call *call, json_t *result)
{
    json_object_set_new(result, "ttlMs", json_integer(0));
    json_object_set_new(result, "cacheScope", json_string("private"));
    return adm_mcp_result(call, result);
}

/* Only what is delivered is advertised: the tools change in the conformance scenarios alone. */
static struct adm_reply discover(struct adm_mcp_call *call)
{
    json_t *capabilities = json_pack("{s{} s{sb sb}}", "tools", "resources", "subscribe", true,
                                     "listChanged", true);
    if (call->mcp->is_conformance) {
        json_object_set_new(capabilities, "tools", json_pack("{sb}", "listChanged", true));
        json_object_set_new(capabilities, "prompts", json_object());
    }
    json_t *instructions = json_sprintf(
        "Subscribe to the resources topic:NAME with subscriptions/listen. A principal holds at "
        "most %lld streams; a newer one ends the oldest.",
        (long long)call->mcp->max_listens);
    return cacheable(call,
                     json_pack("{s[s] so so}", "supportedVersions", ADM_MCP_VERSION,
                               "capabilities", capabilities, "instructions", instructions));
}

static json_t *tool(const char *name, const char *description)
{
    return json_pack("{ss ss s{ss}}", "name", name, "description", description, "inputSchema",
                     "type", "object");
}

static json_t *publish_tool(void)
{
    json_t *publish = tool("publish", "Publish a message to everybody who listens to a topic.");
    json_t *schema = json_object_get(publish, "inputSchema");
    json_object_set_new(
        schema, "properties",
        json_pack("{s{ss} s{ss}}", "topic", "type", "string", "body", "type", "string"));
    json_object_set_new(schema, "required", json_pack("[ss]", "topic", "body"));
    return publish;
}

static struct adm_reply list_tools(struct adm_mcp_call *call)
{
    static const char *const fixtures[] = {"test_trigger_tool_change",
                                           "test_missing_capability", "test_logging_tool",
                                           "test_streaming_elicitation"};
    json_t *tools = json_array();
    json_array_append_new(tools, publish_tool());
    for (size_t i = 0; call->mcp->is_conformance && i < sizeof fixtures / sizeof *fixtures;
         i++) {
        json_array_append_new(tools, tool(fixtures[i], "A fixture of the conformance tests."));
    }
    return cacheable(call, json_pack("{so}", "tools", tools));
}

/* Takes `text`. */
static struct adm_reply content(struct adm_mcp_call *call, json_t *text, bool is_error)
{
    json_t *result = json_pack("{s[{ss so}]}", "content", "type", "text", "text", text);
    if (is_error) {
        json_object_set_new(result, "isError", json_true());
    }
    return adm_mcp_result(call, result);
}

static struct adm_reply done(struct adm_mcp_call *call, const char *text)
{
    return content(call, json_string(text), false);
}

static struct adm_text string_of(json_t *object, const char *member)
{
    const json_t *string = json_object_get(object, member);
    return (struct adm_text){.bytes = json_string_value(string),
                             .length = json_string_length(string)};
}

static struct adm_reply publish(struct adm_mcp_call *call)
{
    json_t *arguments = json_object_get(call->params, "arguments");
    const struct adm_text topic = string_of(arguments, "topic");
    const struct adm_text body = string_of(arguments, "body");
    if (topic.bytes == NULL || body.bytes == NULL ||
        !adm_press_publish(call->mcp->press, topic, body)) {
        return content(
            call, json_sprintf("Not published: " ADM_PRESS_RULE ".", ADM_PRESS_LIMITS), true);
    }
    return done(call, "Published.");
}

static struct adm_reply change_tools(struct adm_mcp_call *call)
{
    adm_streams_tell_change(call->mcp->press->streams, ADM_STREAM_WANTS_TOOLS);
    return done(call, "The tools have changed.");
}

static struct adm_reply need_sampling(struct adm_mcp_call *call)
{
    json_t *capabilities = json_object_get(call->meta, ADM_MCP_META "clientCapabilities");
    if (json_object_get(capabilities, "sampling") != NULL) {
        return done(call, "The client can sample.");
    }
    return adm_mcp_error(call, MHD_HTTP_BAD_REQUEST, ADM_MCP_MISSING_CAPABILITY,
                         "Missing required client capability",
                         json_pack("{s{s{}}}", "requiredCapabilities", "sampling"));
}

static struct adm_reply do_nothing(struct adm_mcp_call *call)
{
    return done(call, "Done.");
}

/* A name and what answers to it. */
struct answerer {
    const char *name;
    bool is_fixture; /* of the conformance scenarios only */
    struct adm_reply (*answer)(struct adm_mcp_call *call);
};

static const struct answerer *find(const struct answerer *answerers, size_t n, const char *name,
                                   const struct adm_mcp *mcp)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(answerers[i].name, name) == 0 &&
            (!answerers[i].is_fixture || mcp->is_conformance)) {
            return &answerers[i];
        }
    }
    return NULL;
}

static struct adm_reply call_tool(struct adm_mcp_call *call)
{
    static const struct answerer tools[] = {
        {"publish", false, publish},
        {"test_trigger_tool_change", true, change_tools},
        {"test_missing_capability", true, need_sampling},
        {"test_logging_tool", true, do_nothing},
        {"test_streaming_elicitation", true, do_nothing},
    };
    const char *name = json_string_value(json_object_get(call->params, "name"));
    const struct answerer *tool = find(tools, sizeof tools / sizeof *tools, name, call->mcp);
    if (tool == NULL) {
        return adm_mcp_error(call, MHD_HTTP_OK, ADM_MCP_INVALID_PARAMS, "Unknown tool", NULL);
    }
    return tool->answer(call);
}

static json_t *resource(const struct adm_topic *topic)
{
    char uri[ADM_MCP_URI_ROOM];
    const struct adm_name name = adm_owned_name_view(&topic->name);
    adm_mcp_uri_write(uri, name);
    return json_pack("{ss ss%}", "uri", uri, "name", name.bytes, (size_t)name.length);
}

static struct adm_reply list_resources(struct adm_mcp_call *call)
{
    json_t *resources = json_array();
    struct adm_topic *topic;
    TAILQ_FOREACH (topic, &call->mcp->press->topics->spoken, spoken) {
        json_array_append_new(resources, resource(topic));
    }
    return cacheable(call, json_pack("{so}", "resources", resources));
}

static struct adm_reply read_resource(struct adm_mcp_call *call)
{
    const char *uri = json_string_value(json_object_get(call->params, "uri"));
    char bytes[ADM_NAME_MAX];
    struct adm_name name;
    const struct adm_topic *topic = NULL;
    if (adm_mcp_uri_read(uri, bytes, &name)) {
        topic = adm_topics_find(call->mcp->press->topics, name);
    }
    if (topic == NULL || topic->body == NULL) {
        return adm_mcp_error(call, MHD_HTTP_OK, ADM_MCP_INVALID_PARAMS, "Resource not found",
                             json_pack("{ss}", "uri", uri));
    }
    json_t *contents = json_pack("{ss}", "uri", uri);
    const struct adm_text body = {.bytes = topic->body, .length = topic->n_body};
    adm_press_put_body(contents, "text", "blob", body);
    return cacheable(call, json_pack("{s[o]}", "contents", contents));
}

static struct adm_reply list_templates(struct adm_mcp_call *call)
{
    return cacheable(call, json_pack("{s[{ss ss ss}]}", "resourceTemplates", "uriTemplate",
                                     "topic:{name}", "name", "topic", "description",
                                     "The last message of a topic."));
}

static struct adm_reply list_prompts(struct adm_mcp_call *call)
{
    return cacheable(call, json_pack("{s[]}", "prompts"));
}

struct adm_reply adm_mcp_answer(struct adm_mcp_call *call)
{
    static const struct answerer methods[] = {
        {"server/discover", false, discover},
        {"tools/list", false, list_tools},
        {"tools/call", false, call_tool},
        {"resources/list", false, list_resources},
        {"resources/read", false, read_resource},
        {"resources/templates/list", false, list_templates},
        {"prompts/list", true, list_prompts},
    };
    const struct answerer *method =
        find(methods, sizeof methods / sizeof *methods, call->method, call->mcp);
    if (method == NULL) {
        return adm_mcp_error(call, MHD_HTTP_NOT_FOUND, ADM_MCP_NO_METHOD, "Method not found",
                             NULL);
    }
    return method->answer(call);
}
