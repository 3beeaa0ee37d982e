/* See base/name.h. */
#include "base/name.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool adm_name_equal(struct adm_name a, struct adm_name b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

void adm_owned_name_init(struct adm_owned_name *owned, struct adm_name name)
{
    char *bytes = owned->bytes.here;
    if (name.length > ADM_NAME_INLINE) {
        bytes = owned->bytes.elsewhere = adm_memory_new(name.length, 1);
    }
    memcpy(bytes, name.bytes, name.length);
    owned->length = name.length;
}

void adm_owned_name_deinit(struct adm_owned_name *owned)
{
    if (owned->length > ADM_NAME_INLINE) {
        free(owned->bytes.elsewhere);
    }
    owned->length = 0;
}

struct adm_name adm_owned_name_view(const struct adm_owned_name *owned)
{
    const bool is_here = owned->length <= ADM_NAME_INLINE;
    return (struct adm_name){
        .bytes = is_here ? owned->bytes.here : owned->bytes.elsewhere,
        .length = owned->length,
    };
}
