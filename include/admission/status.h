/* What a call returns, and how symbols are exported.
 *
 * A status tells what the call could see by itself: what the actor decides is an event
 * (admission/event.h). Each function lists the statuses that it can return; whatever it returns
 * but ADMISSION_OK and ADMISSION_REFUSED, its outputs are untouched. But for two: `*culprit` is
 * written with ADMISSION_INVALID, which it explains; and the `*id` of a request also with
 * ADMISSION_CLOSED, for it is written before anything is sent: then it names nothing. */
#ifndef ADMISSION_STATUS_H
#define ADMISSION_STATUS_H

#include <stdint.h>

#if defined(__GNUC__)
#define ADMISSION_EXPORT __attribute__((visibility("default")))
#define ADMISSION_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ADMISSION_EXPORT
#define ADMISSION_MUST_CHECK
#endif

/* Durations are microseconds in an int64_t, counts are an int64_t: so a negative one is seen
 * and refused, not read as four billion. These two stand for themselves where a member or
 * parameter says so. */
#define ADMISSION_NONE INT64_MAX    /* no such limit; no end */
#define ADMISSION_DEFAULT INT64_MIN /* what the limits say; in a change: as it is */

/* Durations, in the unit that one has at hand. */
#define ADMISSION_MS(n) (INT64_C(1000) * (n))
#define ADMISSION_S(n) (INT64_C(1000000) * (n))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum admission_status {
    ADMISSION_OK = 0,
    ADMISSION_REFUSED,          /* the actor refused an admit: the event has the reason */
    ADMISSION_EMPTY,            /* no event came in that time */
    ADMISSION_BUSY,             /* the client has used up its credit: read, or leave, first */
    ADMISSION_CLOSED,           /* the actor has ended */
    ADMISSION_INVALID,          /* an argument is out of range; nothing was sent */
    ADMISSION_UNKNOWN_PROVIDER, /* there is no provider of that name */
    ADMISSION_NOT_DRAINED,      /* the drain time passed while tickets still ran */
    ADMISSION_FOREIGN_THREAD,   /* only the client's owner thread may read */
    ADMISSION_FORKED,       /* this is a child made by fork() of the process that opened it */
    ADMISSION_NO_RESOURCES, /* no thread, socket or descriptor could be had; errno says why */
} admission_status_t;

/* One sentence about a status, in English, without a full stop. Static; any thread. */
ADMISSION_EXPORT const char *admission_status_text(admission_status_t status);

/* The version of the library that is linked, as ADMISSION_VERSION is of the headers. */
ADMISSION_EXPORT const char *admission_version(void);

#ifdef __cplusplus
}
#endif

#endif
