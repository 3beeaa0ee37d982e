/* See base/name.h. */
#include "base/name.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(char *) <= ADM_NAME_INLINE, "a pointer fits where a short name does");

void adm_owned_name_init(struct adm_owned_name *owned, struct adm_name name)
{
    owned->length = name.length;
    if (name.length <= ADM_NAME_INLINE) {
        memcpy(owned->bytes, name.bytes, name.length);
        return;
    }
    char *bytes = adm_memory_new(name.length, 1);
    memcpy(bytes, name.bytes, name.length);
    memcpy(owned->bytes, &bytes, sizeof bytes);
}

void adm_owned_name_deinit(struct adm_owned_name *owned)
{
    if (owned->length > ADM_NAME_INLINE) {
        char *bytes;
        memcpy(&bytes, owned->bytes, sizeof bytes);
        free(bytes);
    }
    owned->length = 0;
}
