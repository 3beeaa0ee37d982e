/* What comes out of the machine: each effect says whom it is for and what happened, in order.
 */
#ifndef ADM_CORE_EFFECT_H
#define ADM_CORE_EFFECT_H

#include <stddef.h>
#include <stdint.h>

enum adm_effect_type {
    ADM_EFFECT_GRANTED,    /* a ticket runs; `span_us` is how long it was queued */
    ADM_EFFECT_REFUSED,    /* an admit, with `reason`; `span_us` is how long it was queued */
    ADM_EFFECT_ABORT,      /* a running ticket is to end, with `reason`; `span_us` it has run */
    ADM_EFFECT_ADMITTED,   /* a listener is live; `order` is its admission order number */
    ADM_EFFECT_SUPERSEDED, /* a listener is no longer live: newer ones took its place */
    ADM_EFFECT_CLOSED,     /* a listener is no longer live: close */
    ADM_EFFECT_LIVE,       /* the answer to LIVE: `n` effects ADM_EFFECT_LISTENER follow */
    ADM_EFFECT_LISTENER,   /* one row of it: `handle` is the listener's owner, not the reader */
    ADM_EFFECT_NO_PROVIDER, /* a cooldown named an unknown provider */
    ADM_EFFECT_DRAINED,     /* closed and nothing runs any more; for nobody's `handle` */
};

enum adm_reason {
    ADM_REASON_NONE,
    ADM_REASON_OVERFLOW,
    ADM_REASON_TIMEOUT,
    ADM_REASON_CANCELLED,
    ADM_REASON_CLOSED,
    ADM_REASON_UNKNOWN_PROVIDER,
    ADM_REASON_DUPLICATE,
};
enum {
    ADM_N_REASONS = ADM_REASON_DUPLICATE + 1
};

/* The word for a reason, as traces and programs print it; static. */
const char *adm_reason_text(enum adm_reason reason);

/* The handle of an effect that is for no handle. */
#define ADM_NOBODY UINT32_MAX

struct adm_effect {
    enum adm_effect_type type;
    enum adm_reason reason;
    uint32_t handle;
    uint32_t n;
    uint64_t id;
    uint64_t order;
    int64_t span_us;
};

/* An array that grows; zeroed, it is empty. Whoever reads it clears it. */
struct adm_effects {
    struct adm_effect *items;
    size_t n;
    size_t room;
};

/* Makes room for one more. */
void adm_effects_grow(struct adm_effects *effects);

/* One more, for the caller to fill: in place, for a copy of what was just written in parts
 * makes the processor wait. Valid until the next. */
static inline struct adm_effect *adm_effects_add(struct adm_effects *effects)
{
    if (effects->n == effects->room) {
        adm_effects_grow(effects);
    }
    return &effects->items[effects->n++];
}

void adm_effects_clear(struct adm_effects *effects);
void adm_effects_deinit(struct adm_effects *effects);

#endif
