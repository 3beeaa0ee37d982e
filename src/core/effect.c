/* See core/effect.h. */
#include "core/effect.h"

#include <stdlib.h>

#include "base/memory.h"

void adm_effects_grow(struct adm_effects *effects)
{
    effects->items = adm_memory_reserve(effects->items, &effects->room, effects->n + 1,
                                        sizeof *effects->items);
}

void adm_effects_clear(struct adm_effects *effects)
{
    effects->n = 0;
}

void adm_effects_deinit(struct adm_effects *effects)
{
    free(effects->items);
    *effects = (struct adm_effects){0};
}

const char *adm_reason_text(enum adm_reason reason)
{
    switch (reason) {
    case ADM_REASON_NONE:
        return "none";
    case ADM_REASON_OVERFLOW:
        return "overflow";
    case ADM_REASON_TIMEOUT:
        return "timeout";
    case ADM_REASON_CANCELLED:
        return "cancelled";
    case ADM_REASON_CLOSED:
        return "closed";
    case ADM_REASON_UNKNOWN_PROVIDER:
        return "unknown-provider";
    case ADM_REASON_DUPLICATE:
        return "duplicate";
    }
    return "not a reason";
}
