/* What goes into the machine. */
#ifndef ADM_CORE_REQUEST_H
#define ADM_CORE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name.h"
#include "core/limits.h"

enum adm_request_type {
    ADM_REQUEST_TICKET,          /* admit a ticket (T1 to T6, T12) */
    ADM_REQUEST_LISTENER,        /* admit a listener (L1, L2, L6, L7) */
    ADM_REQUEST_LEAVE,           /* of one ticket or listener (T10, L4) */
    ADM_REQUEST_LEAVE_PRINCIPAL, /* of all the handle's listeners of one principal (L4) */
    ADM_REQUEST_CANCEL,          /* of one ticket (T9) */
    ADM_REQUEST_LIVE,            /* who is live for a principal (L5) */
    ADM_REQUEST_DOWN,            /* the handle has ended or died (H1) */
    ADM_REQUEST_LIMITS,          /* change limits (R1) */
    ADM_REQUEST_PROVIDER,        /* change or add a provider (R1) */
    ADM_REQUEST_COOLDOWN,        /* of a provider (T8) */
    ADM_REQUEST_CLOSE,           /* K1 */
};

/* What an admit says by leaving a duration out: the limit decides (T6). */
#define ADM_TIMEOUT_DEFAULT INT64_C(-1)

/* What an admit of a listener says by leaving `max` out: the limit decides (L2). */
#define ADM_MAX_DEFAULT 0u

/* Handles are below this: a table of them is as long as the highest. */
#define ADM_HANDLES_MAX (UINT32_C(1) << 24)

/* `handle` owns what it admits. Handles are small numbers that the driver gives out densely;
 * one may be given out again once it holds nothing, or after its ADM_REQUEST_DOWN. `id` belongs
 * to its handle (H2). Of a question and of a cooldown, `handle` and `id` come back in the
 * answer. Names are borrowed for the step only. Who makes a request has checked its ranges: the
 * machine asserts them. */
struct adm_request {
    enum adm_request_type type;
    uint32_t handle;
    uint64_t id;
    union {
        struct {
            struct adm_name provider;   /* none: no provider */
            struct adm_name key;        /* none: no key */
            int64_t timeout_us;         /* ADM_TIMEOUT_DEFAULT, or 0 to ADM_NEVER (none) */
            int64_t attempt_timeout_us; /* 0: none (T11) */
        } ticket;
        struct {
            struct adm_name principal;
            uint32_t max; /* ADM_MAX_DEFAULT, or 1 to 4294967294 */
            bool refuse_when_full;
            bool is_hashed; /* adm_machine_foresee() sets these two, for the step to use */
            uint32_t hash;
        } listener;
        struct adm_name principal; /* of LEAVE_PRINCIPAL and LIVE */
        struct {
            unsigned named; /* of enum adm_limit_bit */
            struct adm_limits to;
        } limits;
        struct {
            struct adm_name name;
            unsigned named;
            struct adm_provider_limits to;
        } provider;
        struct {
            struct adm_name provider;
            int64_t delay_us;
        } cooldown;
    } of;
};

/* Asserts that every member that counts for its type is in range. */
void adm_request_check(const struct adm_request *request);

/* The same of the limits that `named` (of enum adm_limit_bit) names. */
void adm_limits_check(const struct adm_limits *limits, unsigned named);

#endif
