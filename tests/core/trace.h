/* A random trace: what is fed to both models, and how it is shown to whoever has to find out.
 */
#ifndef ADM_TESTS_CORE_TRACE_H
#define ADM_TESTS_CORE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/effect.h"
#include "core/limits.h"
#include "core/request.h"

enum {
    MAX_LINES = 1500,
    MAX_HANDLES = 5
};

/* Providers a trace may know; the last one is never added. */
enum {
    N_PROVIDERS = 12,
    PROVIDER_UNKNOWN = N_PROVIDERS - 1
};

/* `now` may lie before the line above (Z2), or be too large (Z1). On its way to a `now` that is
 * not late the clock stops at every due time (I2). */
struct line {
    int64_t now;
    bool is_late;
    bool has_request;
    struct adm_request request;
};

struct trace {
    uint64_t seed;
    struct adm_limits limits;
    struct line lines[MAX_LINES];
    size_t n_lines;
};

/* Makes the trace of `seed`: always the same one. */
void trace_generate(struct trace *trace, uint64_t seed);

/* The provider names that the generator draws from. */
struct adm_name trace_provider(uint32_t number);

/* The ids that it draws from: half of them lie above 32 bits, and are the others moved up. */
uint64_t trace_id(uint32_t number);

/* Writes the trace in the format of `admission replay`. A `now` that the format cannot say is
 * written as the machine reads it. */
void trace_print(FILE *file, const struct trace *trace);

/* Writes all of one effect, in words like those of replay. */
void trace_print_effect(FILE *file, const struct adm_effect *effect);

#endif
