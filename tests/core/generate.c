/* Random traces. Names, ids and times are few and small, so that they collide: what is worth
 * comparing happens when several things fall on one instant, one key or one id. Each trace has
 * a shape of its own, so that some are all queue, some all listeners, some mostly late. */
#include "trace.h"

#include <inttypes.h>
#include <string.h>

#include "../base/random.h"
#include "base/time.h"

enum {
    N_REQUEST_TYPES = ADM_REQUEST_CLOSE + 1,
    MAX_NAMES = 100
};

/* What one trace draws from. */
struct shape {
    struct random random;
    uint32_t n_handles;
    uint32_t n_ids;
    uint32_t n_providers;
    uint32_t n_keys;
    uint32_t n_principals;
    uint32_t max_gap;
    uint32_t max_duration;
    uint32_t percent_same_instant;
    uint32_t percent_late;
    uint32_t percent_close;
    uint32_t scale; /* of counts: more than 1 in a large trace */
    uint32_t weights[N_REQUEST_TYPES];
};

/* The names of providers, keys and principals are the same words, for they must not be mistaken
 * for one another. Every third is longer than what a record holds inside. */
static struct adm_name name_of(uint32_t number)
{
    static char names[MAX_NAMES][64];
    char *name = names[number];
    if (name[0] == '\0') {
        snprintf(name, sizeof names[number], "n%" PRIu32 "%s", number,
                 number % 3 == 2 ? "-is-longer-than-a-record-has-room-for" : "");
    }
    return (struct adm_name){.bytes = name, .length = (uint8_t)strlen(name)};
}

struct adm_name trace_provider(uint32_t number)
{
    return name_of(number);
}

uint64_t trace_id(uint32_t number)
{
    const uint64_t half = number / 2 + 1;
    return number % 2 == 0 ? half : half << 32;
}

static uint32_t between(struct shape *shape, uint32_t least, uint32_t most)
{
    return least + random_below(&shape->random, most - least + 1);
}

static bool chance(struct shape *shape, uint32_t percent)
{
    return random_chance(&shape->random, percent);
}

/* A duration that is short, zero, or so long that every time it is added to saturates (Z1). */
static int64_t draw_duration(struct shape *shape)
{
    if (chance(shape, 2)) {
        return ADM_NEVER - 1 - between(shape, 0, 2);
    }
    return chance(shape, 8) ? 0 : between(shape, 1, shape->max_duration);
}

static int64_t draw_timeout(struct shape *shape)
{
    if (chance(shape, 25)) {
        return ADM_TIMEOUT_DEFAULT;
    }
    return chance(shape, 12) ? ADM_NEVER : draw_duration(shape);
}

static int64_t draw_interval(struct shape *shape)
{
    return chance(shape, 50) ? 0 : draw_duration(shape) / between(shape, 1, 4);
}

/* A count that is often none or 0, else at most `most`. */
static uint32_t draw_count(struct shape *shape, uint32_t percent_none, uint32_t percent_0,
                           uint32_t most)
{
    if (chance(shape, percent_none)) {
        return ADM_NO_LIMIT;
    }
    return chance(shape, percent_0) ? 0 : between(shape, 1, most * shape->scale);
}

static struct adm_limits draw_limits(struct shape *shape)
{
    return (struct adm_limits){
        .max_concurrent = draw_count(shape, 15, 8, 4),
        .min_interval_us = draw_interval(shape),
        .queue_capacity = chance(shape, 25) ? 1024 : draw_count(shape, 0, 12, 6),
        .admission_timeout_us = chance(shape, 40) ? ADM_NEVER : draw_duration(shape),
        .max_listens_per_principal = between(shape, 1, 3),
        .max_listeners = draw_count(shape, 40, 5, 5),
    };
}

static struct adm_provider_limits draw_provider_limits(struct shape *shape)
{
    return (struct adm_provider_limits){
        .max_concurrent = draw_count(shape, 25, 10, 3),
        .min_interval_us = draw_interval(shape),
        .queue_capacity = draw_count(shape, 50, 10, 3),
    };
}

static struct shape draw_shape(uint64_t seed)
{
    struct shape drawn = {.random = {.state = seed}};
    struct shape *shape = &drawn;
    const bool is_large = between(shape, 1, 250) == 1;
    shape->scale = is_large ? 30 : between(shape, 1, 2);
    shape->n_handles = between(shape, 1, MAX_HANDLES);
    shape->n_ids = between(shape, 2, 10) * shape->scale;
    shape->n_providers = is_large ? N_PROVIDERS - 1 : between(shape, 0, 3);
    shape->n_keys = between(shape, 1, is_large ? MAX_NAMES : 4);
    shape->n_principals = between(shape, 1, is_large ? MAX_NAMES : 3);
    const bool is_tight = chance(shape, 40); /* so few instants that most of them are shared */
    shape->max_gap = between(shape, 1, is_tight ? 2 : 12);
    shape->max_duration = between(shape, 2, is_tight ? 6 : 40) * (is_large ? 900 : 1);
    shape->percent_same_instant = between(shape, 10, 80);
    shape->percent_late = chance(shape, 50) ? 0 : between(shape, 5, 60);
    shape->percent_close = between(shape, 0, 12);
    const bool is_slow = is_large || chance(shape, 30); /* to leave: much runs at once */
    const bool has_tickets = chance(shape, 90);
    const bool has_listeners = !has_tickets || chance(shape, 60);
    const uint32_t weights[N_REQUEST_TYPES] = {
        [ADM_REQUEST_TICKET] = has_tickets ? between(shape, 30, 80) : 0,
        [ADM_REQUEST_LISTENER] = has_listeners ? between(shape, 10, 60) : 0,
        [ADM_REQUEST_LEAVE] = is_slow ? between(shape, 1, 8) : between(shape, 5, 40),
        [ADM_REQUEST_LEAVE_PRINCIPAL] = has_listeners ? between(shape, 0, 5) : 0,
        [ADM_REQUEST_CANCEL] = between(shape, 0, 15),
        [ADM_REQUEST_LIVE] = has_listeners ? between(shape, 0, 8) : 0,
        [ADM_REQUEST_DOWN] = between(shape, 0, is_large ? 1 : 4),
        [ADM_REQUEST_LIMITS] = between(shape, 0, 10),
        [ADM_REQUEST_PROVIDER] = shape->n_providers > 0 ? between(shape, 0, 8) : 0,
        [ADM_REQUEST_COOLDOWN] = between(shape, 0, is_slow ? 20 : 8),
    };
    memcpy(shape->weights, weights, sizeof weights);
    return drawn;
}

static enum adm_request_type draw_type(struct shape *shape)
{
    uint32_t sum = 0;
    for (int type = 0; type < N_REQUEST_TYPES; type++) {
        sum += shape->weights[type];
    }
    uint32_t at = between(shape, 0, sum - 1);
    int type = 0;
    while (at >= shape->weights[type]) {
        at -= shape->weights[type++];
    }
    return (enum adm_request_type)type;
}

static struct adm_name draw_provider(struct shape *shape)
{
    if (chance(shape, 4)) {
        return trace_provider(PROVIDER_UNKNOWN);
    }
    return shape->n_providers == 0 || chance(shape, 35)
               ? adm_name_none()
               : trace_provider(between(shape, 0, shape->n_providers - 1));
}

/* Fills in what `request->type` asks for. */
static void draw_details(struct shape *shape, struct adm_request *request)
{
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        request->of.ticket.provider = draw_provider(shape);
        request->of.ticket.key =
            chance(shape, 50) ? adm_name_none() : name_of(between(shape, 0, shape->n_keys - 1));
        request->of.ticket.timeout_us = draw_timeout(shape);
        request->of.ticket.attempt_timeout_us = chance(shape, 40) ? 0 : draw_duration(shape);
        break;
    case ADM_REQUEST_LISTENER:
        request->of.listener.principal = name_of(between(shape, 0, shape->n_principals - 1));
        request->of.listener.max =
            chance(shape, 30) ? ADM_MAX_DEFAULT : between(shape, 1, 4 * shape->scale);
        request->of.listener.refuse_when_full = chance(shape, 25);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_LIVE:
        request->of.principal = name_of(between(shape, 0, shape->n_principals - 1));
        break;
    case ADM_REQUEST_LIMITS:
        request->of.limits.named = between(shape, 0, ADM_LIMIT_ALL);
        request->of.limits.to = draw_limits(shape);
        break;
    case ADM_REQUEST_PROVIDER:
        request->of.provider.name = trace_provider(between(shape, 0, shape->n_providers - 1));
        request->of.provider.named = between(shape, 0, ADM_PROVIDER_LIMIT_ALL);
        request->of.provider.to = draw_provider_limits(shape);
        break;
    case ADM_REQUEST_COOLDOWN:
        request->of.cooldown.provider = draw_provider(shape);
        if (adm_name_is_none(request->of.cooldown.provider)) {
            request->of.cooldown.provider = trace_provider(PROVIDER_UNKNOWN);
        }
        request->of.cooldown.delay_us = draw_duration(shape);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_DOWN:
    case ADM_REQUEST_CLOSE:
        break;
    }
}

static struct adm_request draw_request(struct shape *shape, bool is_late_in_trace)
{
    const bool is_close = is_late_in_trace && chance(shape, shape->percent_close);
    struct adm_request request = {
        .type = is_close ? ADM_REQUEST_CLOSE : draw_type(shape),
        .handle = between(shape, 0, shape->n_handles - 1),
        .id = trace_id(between(shape, 0, shape->n_ids - 1)),
    };
    draw_details(shape, &request);
    return request;
}

/* Mostly on from `last`; now and then back, below zero, or past the end of time (Z1,
 * Z2). What is late jumps far, over several due times. */
static int64_t draw_now(struct shape *shape, int64_t last, bool is_late)
{
    if (chance(shape, shape->percent_same_instant)) {
        return last;
    }
    if (chance(shape, 2)) {
        return chance(shape, 50) ? last - between(shape, 1, 20)
                                 : -(int64_t)between(shape, 1, 20);
    }
    return adm_time_add(last, between(shape, 1, shape->max_gap * (is_late ? 8 : 1)));
}

static void add_line(struct trace *trace, struct line line)
{
    trace->lines[trace->n_lines++] = line;
}

static void add_providers(struct trace *trace, struct shape *shape)
{
    for (uint32_t i = 0; i < shape->n_providers; i++) {
        if (chance(shape, 80)) {
            struct adm_request request = {.type = ADM_REQUEST_PROVIDER};
            request.of.provider.name = trace_provider(i);
            request.of.provider.named = ADM_PROVIDER_LIMIT_ALL;
            request.of.provider.to = draw_provider_limits(shape);
            add_line(trace, (struct line){.has_request = true, .request = request});
        }
    }
}

void trace_generate(struct trace *trace, uint64_t seed)
{
    struct shape drawn = draw_shape(seed);
    struct shape *shape = &drawn;
    trace->seed = seed;
    trace->limits = draw_limits(shape);
    trace->n_lines = 0;
    add_providers(trace, shape);

    const size_t n_lines = shape->scale > 2 ? MAX_LINES : between(shape, 20, 200);
    int64_t last = chance(shape, 4) ? ADM_NEVER - between(shape, 1, 300) : 0;
    while (trace->n_lines < n_lines) {
        const bool is_late = chance(shape, shape->percent_late);
        const int64_t now = draw_now(shape, last, is_late);
        struct line line = {
            .now = now,
            .is_late = is_late,
            .has_request = !chance(shape, 5),
        };
        if (line.has_request) {
            line.request = draw_request(shape, trace->n_lines > n_lines * 2 / 3);
        }
        add_line(trace, line);
        last = adm_time_later(last, now);
    }
}
