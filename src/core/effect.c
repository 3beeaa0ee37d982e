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
