/* The loop of the actor over a transport of the test's own, whose two clocks the test sets.
 *
 * There is one handle, 0. What is sent is handled in one turn, at the elapsed clock's time; the
 * turn after it waits, and so tells when the loop wants to be woken. */
#ifndef ADM_TESTS_SCENARIOS_SEAM_H
#define ADM_TESTS_SCENARIOS_SEAM_H

#include <stddef.h>
#include <stdint.h>

#include "actor/loop.h"
#include "actor/port.h"
#include "core/limits.h"
#include "wire/event.h"

struct seam {
    struct adm_port port; /* first: the loop sees no more */
    struct adm_loop *loop;
    int64_t elapsed_us;
    int64_t wall_us;
    int64_t due_at; /* until when the loop waits */

    uint8_t message[ADM_WIRE_INBOUND_MAX];
    size_t size; /* 0: there is none */

    struct adm_event events[8]; /* those since the last seam_expect() */
    int64_t stamps_us[8];
    size_t n_events;
};

void seam_begin(struct seam *seam, const struct adm_limits *limits);
void seam_end(struct seam *seam);

/* Turns the loop at this time, with nothing to handle. */
void seam_run_to(struct seam *seam, int64_t elapsed_us);

void seam_admit(struct seam *seam, int64_t elapsed_us, uint64_t id, const char *provider,
                int64_t timeout_us);
void seam_leave(struct seam *seam, int64_t elapsed_us, uint64_t id);
void seam_cancel(struct seam *seam, int64_t elapsed_us, uint64_t id);
void seam_add_provider(struct seam *seam, const char *provider);
void seam_cooldown(struct seam *seam, const char *provider, int64_t delay_us);

/* The handle has been told exactly this, stamped with this time of the wall clock, or nothing,
 * since the last time. */
void seam_expect(struct seam *seam, enum adm_event_type type, uint64_t id, int64_t wall_us);
void seam_expect_nothing(const struct seam *seam);

#endif
