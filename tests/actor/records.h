/* Inbound records in few words. Ids and handles are the test's to choose. */
#ifndef ADM_TESTS_ACTOR_RECORDS_H
#define ADM_TESTS_ACTOR_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/effect.h"
#include "wire/inbound.h"

static inline struct adm_name name_of(const char *text)
{
    return text == NULL ? adm_name_none()
                        : (struct adm_name){.bytes = text, .length = (uint8_t)strlen(text)};
}

static inline struct adm_inbound step_of(enum adm_request_type type, uint32_t handle,
                                         uint64_t id)
{
    return (struct adm_inbound){.type = ADM_INBOUND_STEP,
                                .request = {.type = type, .handle = handle, .id = id}};
}

static inline struct adm_inbound hello(uint32_t handle)
{
    return (struct adm_inbound){.type = ADM_INBOUND_OPEN, .request = {.handle = handle}};
}

static inline struct adm_inbound down(uint32_t handle)
{
    return step_of(ADM_REQUEST_DOWN, handle, 0);
}

static inline struct adm_inbound death(uint32_t handle)
{
    struct adm_inbound inbound = down(handle);
    inbound.is_death = true;
    return inbound;
}

static inline struct adm_inbound leave(uint32_t handle, uint64_t id)
{
    return step_of(ADM_REQUEST_LEAVE, handle, id);
}

static inline struct adm_inbound cancel(uint32_t handle, uint64_t id)
{
    return step_of(ADM_REQUEST_CANCEL, handle, id);
}

struct ticket_options {
    const char *provider;
    const char *key;
    int64_t timeout_us; /* 0: what the limit says; less: at once or not at all */
    int64_t attempt_us;
};

static inline struct adm_inbound ticket_of(uint32_t handle, uint64_t id,
                                           struct ticket_options options)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_TICKET, handle, id);
    const int64_t timeout_us = options.timeout_us < 0 ? 0 : options.timeout_us;
    inbound.request.of.ticket.provider = name_of(options.provider);
    inbound.request.of.ticket.key = name_of(options.key);
    inbound.request.of.ticket.timeout_us =
        options.timeout_us == 0 ? ADM_TIMEOUT_DEFAULT : timeout_us;
    inbound.request.of.ticket.attempt_timeout_us = options.attempt_us;
    return inbound;
}

/* ticket_with(A, 1, .key = "k"): a ticket with options. */
#define ticket_with(handle, id, ...)                                                           \
    ticket_of((handle), (id), (struct ticket_options){__VA_ARGS__})

static inline struct adm_inbound ticket(uint32_t handle, uint64_t id)
{
    return ticket_with(handle, id, .key = NULL);
}

static inline struct adm_inbound listener(uint32_t handle, uint64_t id, const char *principal,
                                          uint32_t max)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_LISTENER, handle, id);
    inbound.request.of.listener.principal = name_of(principal);
    inbound.request.of.listener.max = max;
    return inbound;
}

static inline struct adm_inbound leave_principal(uint32_t handle, const char *principal)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_LEAVE_PRINCIPAL, handle, 0);
    inbound.request.of.principal = name_of(principal);
    return inbound;
}

static inline struct adm_inbound live(uint32_t handle, uint64_t id, const char *principal)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_LIVE, handle, id);
    inbound.request.of.principal = name_of(principal);
    return inbound;
}

/* Calls: of nobody's handle, and `call` waits. */

static inline struct adm_inbound max_concurrent(uint64_t call, uint32_t max)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_LIMITS, ADM_NOBODY, call);
    inbound.request.of.limits.named = ADM_LIMIT_MAX_CONCURRENT;
    inbound.request.of.limits.to = adm_limits_default();
    inbound.request.of.limits.to.max_concurrent = max;
    return inbound;
}

static inline struct adm_inbound min_interval(uint64_t call, int64_t min_interval_us)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_LIMITS, ADM_NOBODY, call);
    inbound.request.of.limits.named = ADM_LIMIT_MIN_INTERVAL;
    inbound.request.of.limits.to = adm_limits_default();
    inbound.request.of.limits.to.min_interval_us = min_interval_us;
    return inbound;
}

static inline struct adm_inbound provider(uint64_t call, const char *name, uint32_t max)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_PROVIDER, ADM_NOBODY, call);
    inbound.request.of.provider.name = name_of(name);
    inbound.request.of.provider.named = ADM_LIMIT_MAX_CONCURRENT;
    inbound.request.of.provider.to = adm_provider_limits_default();
    inbound.request.of.provider.to.max_concurrent = max;
    return inbound;
}

static inline struct adm_inbound cooldown(uint64_t call, const char *name, int64_t delay_us)
{
    struct adm_inbound inbound = step_of(ADM_REQUEST_COOLDOWN, ADM_NOBODY, call);
    inbound.request.of.cooldown.provider = name_of(name);
    inbound.request.of.cooldown.delay_us = delay_us;
    return inbound;
}

static inline struct adm_inbound call_of(enum adm_inbound_type type, uint64_t call)
{
    return (struct adm_inbound){.type = type, .request = {.handle = ADM_NOBODY, .id = call}};
}

static inline struct adm_inbound stats(uint64_t call)
{
    return call_of(ADM_INBOUND_STATS, call);
}

static inline struct adm_inbound has_provider(uint64_t call, const char *name)
{
    struct adm_inbound inbound = call_of(ADM_INBOUND_HAS_PROVIDER, call);
    inbound.name = name_of(name);
    return inbound;
}

static inline struct adm_inbound closing(uint64_t call, int64_t drain_us)
{
    struct adm_inbound inbound = call_of(ADM_INBOUND_CLOSE, call);
    inbound.drain_us = drain_us;
    return inbound;
}

static inline struct adm_inbound the_end(void)
{
    return call_of(ADM_INBOUND_END, 0);
}

#endif
