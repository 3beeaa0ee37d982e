/* See core/providers.h. It knows lanes only as numbers with an arrival. */
#include "core/providers.h"

#include "base/assert.h"

static void place(void *owner, uint32_t number, uint32_t position)
{
    adm_providers_at(owner, number)->position = position;
}

void adm_providers_init(struct adm_providers *providers, const struct adm_hash_key *hash_key,
                        adm_heap_place *place_lane, void *lanes)
{
    *providers =
        (struct adm_providers){.hash_key = *hash_key, .place_lane = place_lane, .lanes = lanes};
    adm_pool_init(&providers->providers, sizeof(struct adm_provider));
    adm_heap_init(&providers->open, place, providers);
    adm_heap_init(&providers->shut, place, providers);
    const uint32_t nameless = adm_providers_add(providers, adm_name_none());
    ADM_ASSERT(nameless == ADM_PROVIDER_NONE);
}

void adm_providers_deinit(struct adm_providers *providers)
{
    for (uint32_t i = 0; i < providers->providers.n_made; i++) {
        struct adm_provider *provider = adm_providers_at(providers, i);
        ADM_ASSERT(provider->n_running == 0 && provider->n_queued == 0);
        ADM_ASSERT(provider->ready.n == 0 && provider->seat == NULL);
        adm_heap_deinit(&provider->ready);
        adm_owned_name_deinit(&provider->name);
        adm_pool_return(&providers->providers, i);
    }
    adm_heap_deinit(&providers->open);
    adm_heap_deinit(&providers->shut);
    adm_table_deinit(&providers->by_name);
    adm_pool_deinit(&providers->providers);
}

uint32_t adm_providers_find(const struct adm_providers *providers, struct adm_name name)
{
    if (adm_name_is_none(name)) {
        return ADM_PROVIDER_NONE;
    }
    struct adm_table_walk walk;
    uint32_t number =
        adm_table_first(&providers->by_name, adm_hash_name(&providers->hash_key, name), &walk);
    while (number != ADM_TABLE_NONE) {
        const struct adm_provider *provider = adm_providers_at(providers, number);
        if (adm_name_equal(adm_owned_name_view(&provider->name), name)) {
            return number;
        }
        number = adm_table_next(&providers->by_name, &walk);
    }
    return ADM_PROVIDER_UNKNOWN;
}

uint32_t adm_providers_add(struct adm_providers *providers, struct adm_name name)
{
    const uint32_t number = adm_pool_take(&providers->providers);
    struct adm_provider *provider = adm_providers_at(providers, number);
    *provider = (struct adm_provider){
        .limits = adm_provider_limits_default(),
        .last_start_at = ADM_NEVER_STARTED,
        .position = ADM_HEAP_OUT,
    };
    adm_heap_init(&provider->ready, providers->place_lane, providers->lanes);
    adm_owned_name_init(&provider->name, name);
    if (!adm_name_is_none(name)) {
        adm_table_add(&providers->by_name, adm_hash_name(&providers->hash_key, name), number);
    }
    return number;
}

int64_t adm_provider_opens_at(const struct adm_provider *provider)
{
    if (provider->last_start_at == ADM_NEVER_STARTED) {
        return provider->not_before;
    }
    return adm_time_later(provider->not_before, adm_time_add(provider->last_start_at,
                                                             provider->limits.min_interval_us));
}

static bool has_slot(const struct adm_provider *provider)
{
    return adm_limit_has_room(provider->n_running, provider->limits.max_concurrent);
}

bool adm_provider_takes_start(const struct adm_provider *provider, int64_t now)
{
    return has_slot(provider) && adm_provider_opens_at(provider) <= now;
}

static void sit(struct adm_provider *provider, uint32_t number, struct adm_heap *seat,
                uint64_t order)
{
    if (provider->seat == seat && seat != NULL) {
        adm_heap_reorder(seat, provider->position, order, number);
        return;
    }
    if (provider->seat != NULL) {
        adm_heap_remove(provider->seat, provider->position);
    }
    provider->seat = seat;
    if (seat != NULL) {
        adm_heap_add(
            seat, (struct adm_heap_entry){.major = order, .minor = number, .number = number});
    }
}

void adm_providers_reseat(struct adm_providers *providers, uint32_t number, int64_t now)
{
    struct adm_provider *provider = adm_providers_at(providers, number);
    const struct adm_heap_entry *first = adm_heap_first(&provider->ready);
    const int64_t opens_at = adm_provider_opens_at(provider);
    if (first == NULL || !has_slot(provider)) {
        sit(provider, number, NULL, 0);
    } else if (opens_at <= now) {
        sit(provider, number, &providers->open, first->major);
    } else {
        sit(provider, number, &providers->shut, (uint64_t)opens_at);
    }
}

void adm_providers_advance(struct adm_providers *providers, int64_t now)
{
    const struct adm_heap_entry *first;
    while ((first = adm_heap_first(&providers->shut)) != NULL &&
           first->major <= (uint64_t)now) {
        adm_providers_reseat(providers, first->number, now);
    }
}

size_t adm_providers_bytes(const struct adm_providers *providers)
{
    size_t bytes = adm_pool_bytes(&providers->providers) +
                   adm_table_bytes(&providers->by_name) + adm_heap_bytes(&providers->open) +
                   adm_heap_bytes(&providers->shut);
    for (uint32_t i = 0; i < providers->providers.n_made; i++) {
        bytes += adm_heap_bytes(&adm_providers_at(providers, i)->ready);
    }
    return bytes;
}
