/* Any bytes as requests in time, for the machine and the naive model side by side: every step
 * has the same effects, the same due time and the same books, and the books balance.
 *
 * The input is a message of the inlet, so it shares its seeds with fuzz_inbound. Handles and
 * ids are folded to a few, so that they meet; what is left of the number of a handle is the
 * time: how far the clock moves before the record, and whether it stops at what is due on the
 * way. */
#include <stdio.h>
#include <stdlib.h>

#include "../core/compare.h"
#include "base/time.h"
#include "fuzz.h"
#include "wire/inbound.h"

enum {
    N_IDS = 8
};

/* The bits of a handle: 0 to 7 who, 8 to 23 how many units later, 24 to 29 the unit as a power
 * of two, 31 whether the clock jumps there. */
static void take_time(struct line *line, uint32_t handle, int64_t last)
{
    const int64_t units = handle >> 8 & 0xffff;
    const unsigned shift = handle >> 24 & 0x3f;
    const int64_t later = units > ADM_NEVER >> shift ? ADM_NEVER : units << shift;
    line->now = adm_time_add(last, later);
    line->is_late = handle >> 31 != 0;
}

/* What is not a step moves the clock only, but for CLOSE. */
static void take_request(struct line *line, const struct adm_inbound *inbound)
{
    line->has_request = inbound->type == ADM_INBOUND_STEP || inbound->type == ADM_INBOUND_CLOSE;
    line->request = inbound->request;
    line->request.handle = (inbound->request.handle & 0xff) % MAX_HANDLES;
    line->request.id %= N_IDS;
    if (inbound->type == ADM_INBOUND_CLOSE) {
        line->request.type = ADM_REQUEST_CLOSE;
    }
}

static void read_trace(struct trace *trace, const uint8_t *data, size_t size)
{
    trace->limits = adm_limits_default();
    trace->n_lines = 0;
    int64_t now = 0;
    while (trace->n_lines < MAX_LINES) {
        struct adm_inbound inbound;
        const size_t length = adm_inbound_decode(data, size, &inbound);
        if (length == 0) {
            return;
        }
        struct line *line = &trace->lines[trace->n_lines++];
        take_time(line, inbound.request.handle, now);
        take_request(line, &inbound);
        now = line->now;
        data += length;
        size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace trace;
    static struct clauses clauses;
    read_trace(&trace, data, size);
    if (compare_models(&trace, &clauses, NULL).differs) {
        compare_models(&trace, &clauses, stderr);
        trace_print(stderr, &trace);
        abort();
    }
    return 0;
}
