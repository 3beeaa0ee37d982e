/* What the naive model keeps, and the parts it is made of: for naive*.c only. */
#ifndef ADM_TESTS_CORE_NAIVE_MODEL_H
#define ADM_TESTS_CORE_NAIVE_MODEL_H

#include <stddef.h>

#include "naive.h"

struct ticket {
    uint32_t handle;
    uint64_t id;
    struct adm_name provider; /* or none */
    struct adm_name key;      /* or none */
    int64_t arrived_at;
    int64_t deadline_at; /* while it is queued */
    int64_t attempt_timeout_us;
    bool is_running; /* else it is queued, and what follows means nothing yet */
    bool is_aborted;
    int64_t started_at;
    uint64_t start_number;
    int64_t attempt_deadline_at;
};

struct listener {
    uint32_t handle;
    uint64_t id;
    uint64_t order;
    int64_t admitted_at;
    struct adm_name principal;
};

/* The last start, of any ticket or of a provider's: what a min_interval counts from (T7). */
struct last_start {
    bool is_any;
    int64_t at;
    bool had_waited;
};

struct provider {
    struct adm_name name;
    struct adm_provider_limits limits;
    struct last_start last_start;
    int64_t not_before_at; /* cooldown (T8) */
};

/* A handle and an id that have been admitted before; `is_down`: and the handle ended since. */
struct past {
    uint32_t handle;
    uint64_t id;
    bool is_down;
};

/* Tickets stand in arrival order, listeners in admission order, whatever has happened since. */
struct naive {
    struct adm_limits limits;
    struct ticket *tickets;
    size_t n_tickets, ticket_room;
    struct listener *listeners;
    size_t n_listeners, listener_room;
    struct provider *providers;
    size_t n_providers, provider_room;
    struct past *pasts;
    size_t n_pasts, past_room;
    int64_t now;
    struct last_start last_start;
    uint64_t n_starts;
    uint64_t next_order;
    bool is_closed;
    bool is_drained;
    struct adm_stats books; /* its counters only */
    struct clauses *clauses;
    struct adm_effects *effects; /* of the step that is being made */
};

/* The causes for which an admit is refused, in the order of H2. */
enum fault {
    FAULT_CLOSED,
    FAULT_DUPLICATE,
    FAULT_UNKNOWN_PROVIDER,
    FAULT_TIMEOUT,
    FAULT_OVERFLOW,
    N_FAULTS,
};

/* naive.c: what all parts use. */
void naive_reach(const struct naive *naive, enum clause clause);
void naive_reach_if(const struct naive *naive, bool is_reached, enum clause clause);
void naive_tell(struct naive *naive, struct adm_effect effect);
enum adm_reason naive_first_fault(const bool *faults);
bool naive_is_duplicate(const struct naive *naive, uint32_t handle, uint64_t id);
void naive_remember(struct naive *naive, uint32_t handle, uint64_t id);

/* naive_tickets.c */
struct provider *naive_find_provider(const struct naive *naive, struct adm_name name);
struct ticket *naive_find_ticket(const struct naive *naive, uint32_t handle, uint64_t id);
uint32_t naive_n_running(const struct naive *naive, struct adm_name provider);
uint32_t naive_n_queued(const struct naive *naive, struct adm_name provider);
bool naive_has_room(const struct naive *naive, const struct ticket *ticket);
int64_t naive_opens_at(const struct naive *naive, const struct ticket *ticket);
void naive_remove_ticket(struct naive *naive, struct ticket *ticket);
void naive_abort(struct naive *naive, struct ticket *ticket, enum adm_reason reason);
void naive_refuse_queued(struct naive *naive, struct ticket *ticket, enum adm_reason reason);
struct ticket *naive_first_started(const struct naive *naive, bool only_not_aborted);
uint32_t naive_start_eligible(struct naive *naive);
void naive_admit_ticket(struct naive *naive, const struct adm_request *request);
void naive_cancel(struct naive *naive, const struct adm_request *request);
void naive_leave_ticket(struct naive *naive, struct ticket *ticket);
void naive_cool_down(struct naive *naive, const struct adm_request *request);

/* naive_instant.c: I1 up to the message; returns whether anything happened. */
bool naive_step_to_now(struct naive *naive);

/* naive_listeners.c */
struct listener *naive_find_listener(const struct naive *naive, uint32_t handle, uint64_t id);
uint32_t naive_n_live(const struct naive *naive, struct adm_name principal);
void naive_remove_listener(struct naive *naive, struct listener *listener);
void naive_admit_listener(struct naive *naive, const struct adm_request *request);
void naive_leave_principal(struct naive *naive, const struct adm_request *request);
void naive_live(struct naive *naive, const struct adm_request *request);

#endif
