/* See samples.h. */
#include "samples.h"

#define N_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* The requests that travel as steps: all but CLOSE, which comes last. */
enum {
    N_STEPS = ADM_REQUEST_CLOSE
};

static struct adm_name some_name(struct random *random, char bytes[ADM_NAME_MAX])
{
    static const uint8_t edges[] = {1, 17, 23, 24, ADM_NAME_MAX};
    const uint8_t length = random_chance(random, 50)
                               ? edges[random_below(random, N_OF(edges))]
                               : (uint8_t)(1 + random_below(random, ADM_NAME_MAX));
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (char)(1 + random_below(random, 255));
    }
    return (struct adm_name){.bytes = bytes, .length = length};
}

static struct adm_name perhaps_name(struct random *random, char bytes[ADM_NAME_MAX])
{
    return random_chance(random, 50) ? some_name(random, bytes) : adm_name_none();
}

static uint32_t some_count(struct random *random)
{
    static const uint32_t edges[] = {0, 1, 2, 255, 256, ADM_NO_LIMIT - 1, ADM_NO_LIMIT};
    return random_chance(random, 70) ? edges[random_below(random, N_OF(edges))]
                                     : (uint32_t)random_next(random);
}

static uint32_t some_max(struct random *random)
{
    const uint32_t count = some_count(random);
    return count == 0 || count == ADM_NO_LIMIT ? 1 : count;
}

static int64_t some_duration(struct random *random)
{
    static const int64_t edges[] = {0, 1, 255, 256, 1000000, ADM_NEVER - 1, ADM_NEVER};
    return random_chance(random, 70) ? edges[random_below(random, N_OF(edges))]
                                     : (int64_t)(random_next(random) >> 1);
}

static struct adm_limits some_limits(struct random *random)
{
    return (struct adm_limits){
        .max_concurrent = some_count(random),
        .min_interval_us = some_duration(random),
        .queue_capacity = some_count(random),
        .admission_timeout_us = some_duration(random),
        .max_listens_per_principal = some_max(random),
        .max_listeners = some_count(random),
    };
}

static void fill_ticket(struct random *random, struct sample *sample)
{
    struct adm_request *request = &sample->inbound.request;
    request->of.ticket.provider = perhaps_name(random, sample->names[0]);
    request->of.ticket.key = perhaps_name(random, sample->names[1]);
    request->of.ticket.timeout_us =
        random_chance(random, 50) ? ADM_TIMEOUT_DEFAULT : some_duration(random);
    request->of.ticket.attempt_timeout_us = some_duration(random);
}

static void fill_listener(struct random *random, struct sample *sample)
{
    struct adm_request *request = &sample->inbound.request;
    request->of.listener.principal = some_name(random, sample->names[0]);
    request->of.listener.max = random_chance(random, 50) ? ADM_MAX_DEFAULT : some_max(random);
    request->of.listener.refuse_when_full = random_chance(random, 50);
}

static void fill_provider(struct random *random, struct sample *sample)
{
    struct adm_request *request = &sample->inbound.request;
    request->of.provider.name = some_name(random, sample->names[0]);
    request->of.provider.named = random_below(random, ADM_PROVIDER_LIMIT_ALL + 1);
    request->of.provider.to.max_concurrent = some_count(random);
    request->of.provider.to.min_interval_us = some_duration(random);
    request->of.provider.to.queue_capacity = some_count(random);
}

static void fill_step(struct random *random, struct sample *sample)
{
    struct adm_request *request = &sample->inbound.request;
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        fill_ticket(random, sample);
        break;
    case ADM_REQUEST_LISTENER:
        fill_listener(random, sample);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_LIVE:
        request->of.principal = some_name(random, sample->names[0]);
        break;
    case ADM_REQUEST_DOWN:
        sample->inbound.is_death = random_chance(random, 50);
        break;
    case ADM_REQUEST_LIMITS:
        request->of.limits.named = random_below(random, ADM_LIMIT_ALL + 1);
        request->of.limits.to = some_limits(random);
        break;
    case ADM_REQUEST_PROVIDER:
        fill_provider(random, sample);
        break;
    case ADM_REQUEST_COOLDOWN:
        request->of.cooldown.provider = some_name(random, sample->names[0]);
        request->of.cooldown.delay_us = some_duration(random);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_CLOSE:
        break;
    }
}

void sample_inbound(struct random *random, unsigned kind, struct sample *sample)
{
    const bool is_step = kind < N_STEPS;
    sample->inbound = (struct adm_inbound){
        .type = is_step ? ADM_INBOUND_STEP : (enum adm_inbound_type)(kind - N_STEPS + 1),
        .request = {.type = is_step ? (enum adm_request_type)kind : ADM_REQUEST_TICKET,
                    .handle = some_count(random),
                    .id = random_next(random)},
    };
    switch (sample->inbound.type) {
    case ADM_INBOUND_STEP:
        fill_step(random, sample);
        break;
    case ADM_INBOUND_HAS_PROVIDER:
        sample->inbound.name = some_name(random, sample->names[0]);
        break;
    case ADM_INBOUND_CLOSE:
        sample->inbound.drain_us = some_duration(random);
        break;
    case ADM_INBOUND_OPEN:
    case ADM_INBOUND_STATS:
    case ADM_INBOUND_END:
        break;
    }
}

static enum adm_reason some_reason(struct random *random, enum adm_event_type type)
{
    static const enum adm_reason aborts[] = {ADM_REASON_TIMEOUT, ADM_REASON_CANCELLED,
                                             ADM_REASON_CLOSED};
    if (type == ADM_EVENT_ABORT) {
        return aborts[random_below(random, N_OF(aborts))];
    }
    return type == ADM_EVENT_REFUSED
               ? (enum adm_reason)(1 + random_below(random, ADM_N_REASONS - 1))
               : ADM_REASON_NONE;
}

struct adm_event sample_event(struct random *random, enum adm_event_type type)
{
    const bool has_span =
        type == ADM_EVENT_GRANTED || type == ADM_EVENT_REFUSED || type == ADM_EVENT_ABORT;
    return (struct adm_event){
        .type = type,
        .reason = some_reason(random, type),
        .n = type == ADM_EVENT_LIVE ? random_below(random, 9) : 0,
        .id = random_next(random),
        .span_us = has_span ? some_duration(random) : 0,
        .order = type == ADM_EVENT_ADMITTED ? random_next(random) : 0,
    };
}
