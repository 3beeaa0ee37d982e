/* Random records that are in range, with a leaning to the ends of each range. */
#ifndef ADM_TESTS_WIRE_SAMPLES_H
#define ADM_TESTS_WIRE_SAMPLES_H

#include "../base/random.h"
#include "wire/event.h"
#include "wire/inbound.h"

/* How many kinds of record travel to the actor. */
enum {
    SAMPLE_KINDS = 15
};

/* `inbound` borrows its names from `names`. */
struct sample {
    struct adm_inbound inbound;
    char names[2][ADM_NAME_MAX];
};

/* Fills `sample` with a record of the `kind` from 0 to SAMPLE_KINDS - 1. */
void sample_inbound(struct random *random, unsigned kind, struct sample *sample);

struct adm_event sample_event(struct random *random, enum adm_event_type type);

#endif
