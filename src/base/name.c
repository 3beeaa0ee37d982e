/* See base/name.h. */
#include "base/name.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(char *) <= ADM_NAME_INLINE, "a pointer fits where a short name does");

static char *elsewhere(const struct adm_owned_name *owned)
{
    char *bytes;
    memcpy(&bytes, owned->bytes, sizeof bytes);
    return bytes;
}

bool adm_name_equal(struct adm_name a, struct adm_name b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

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
        free(elsewhere(owned));
    }
    owned->length = 0;
}

struct adm_name adm_owned_name_view(const struct adm_owned_name *owned)
{
    return (struct adm_name){
        .bytes = owned->length <= ADM_NAME_INLINE ? owned->bytes : elsewhere(owned),
        .length = owned->length,
    };
}
