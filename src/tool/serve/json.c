/* See tool/serve/json.h. Whoever packs a value need not look whether that went well: what could
 * not be made, for a string that is no UTF-8 or for want of memory, ends here. */
#include "tool/serve/json.h"

#include "base/assert.h"

char *adm_json_text(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    ADM_ASSERT(text != NULL);
    json_decref(json);
    return text;
}
