/* Rule I1 of the naive model: what is due at `now`, before any message is applied. */
#include "naive_model.h"

#include "base/time.h"

/* (a) goes by deadline, then by start order. */
static struct ticket *next_to_abort(const struct naive *naive)
{
    struct ticket *next = NULL;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        struct ticket *ticket = &naive->tickets[i];
        if (!ticket->is_running || ticket->attempt_deadline_at > naive->now) {
            continue;
        }
        naive_reach_if(naive, ticket->is_aborted, T11_ONCE);
        if (!ticket->is_aborted &&
            (next == NULL || ticket->attempt_deadline_at < next->attempt_deadline_at ||
             (ticket->attempt_deadline_at == next->attempt_deadline_at &&
              ticket->start_number < next->start_number))) {
            next = ticket;
        }
    }
    return next;
}

/* (a) Returns how many were told. */
static uint32_t abort_due(struct naive *naive)
{
    uint32_t n = 0;
    const struct ticket *last = NULL;
    for (struct ticket *ticket = next_to_abort(naive); ticket != NULL;
         ticket = next_to_abort(naive)) {
        naive_reach(naive, T11_ABORT);
        if (last != NULL && last->attempt_deadline_at < ticket->attempt_deadline_at) {
            naive_reach_if(naive, last->start_number > ticket->start_number, I1_A_BY_DEADLINE);
        } else if (last != NULL) {
            naive_reach_if(naive, last > ticket, I1_A_TIE); /* it had arrived later */
        }
        naive_abort(naive, ticket, ADM_REASON_TIMEOUT);
        last = ticket;
        n++;
    }
    return n;
}

/* (b) and (d) go by deadline, then by arrival. */
static struct ticket *next_to_refuse(const struct naive *naive)
{
    struct ticket *next = NULL;
    for (size_t i = 0; i < naive->n_tickets; i++) {
        struct ticket *ticket = &naive->tickets[i];
        if (!ticket->is_running && (next == NULL || ticket->deadline_at < next->deadline_at)) {
            next = ticket;
        }
    }
    return next;
}

/* (b) Refuses what is past its deadline; returns how many were. */
static uint32_t refuse_past(struct naive *naive)
{
    uint32_t n = 0;
    int64_t last_deadline_at = -1;
    size_t last_place = 0;
    for (struct ticket *ticket = next_to_refuse(naive);
         ticket != NULL && ticket->deadline_at < naive->now; ticket = next_to_refuse(naive)) {
        const size_t place = (size_t)(ticket - naive->tickets);
        naive_reach(naive, T6_LATE);
        naive_reach_if(naive, ticket->deadline_at == last_deadline_at, I1_B_TIE);
        naive_reach_if(naive, n > 0 && place < last_place, I1_B_BY_DEADLINE);
        last_deadline_at = ticket->deadline_at;
        last_place = place;
        naive_refuse_queued(naive, ticket, ADM_REASON_TIMEOUT);
        n++;
    }
    return n;
}

/* (d) Refuses what is at its deadline; returns how many were. */
static uint32_t refuse_due(struct naive *naive)
{
    uint32_t n = 0;
    for (struct ticket *ticket = next_to_refuse(naive);
         ticket != NULL && ticket->deadline_at == naive->now; ticket = next_to_refuse(naive)) {
        naive_reach(naive, T6_REFUSED_AT_DEADLINE);
        naive_refuse_queued(naive, ticket, ADM_REASON_TIMEOUT);
        n++;
    }
    naive_reach_if(naive, n > 1, I1_D_TIE);
    return n;
}

bool naive_step_to_now(struct naive *naive)
{
    const bool a = abort_due(naive) > 0;
    const bool b = refuse_past(naive) > 0;
    const bool c = naive_start_eligible(naive) > 0;
    const bool d = refuse_due(naive) > 0;
    naive_reach_if(naive, a && b, I1_A_AND_B);
    naive_reach_if(naive, a && c, I1_A_AND_C);
    naive_reach_if(naive, a && d, I1_A_AND_D);
    naive_reach_if(naive, b && c, I1_B_AND_C);
    naive_reach_if(naive, b && d, I1_B_AND_D);
    naive_reach_if(naive, c && d, I1_C_AND_D);
    return a || b || c || d;
}
