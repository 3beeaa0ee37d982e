/* A ticket: queued, then running, then gone. 64 bytes, one cache line. */
#ifndef ADM_CORE_TICKET_H
#define ADM_CORE_TICKET_H

#include <stdint.h>

#include "base/pool.h"

#define ADM_TICKET_NONE ADM_POOL_NONE

enum adm_ticket_state {
    ADM_TICKET_QUEUED,
    ADM_TICKET_RUNNING,
    ADM_TICKET_ABORTED, /* still running, and told so: it will not be told again (T11) */
};

struct adm_ticket {
    uint64_t id;
    uint64_t turn;    /* queued: arrival number; running: start number */
    int64_t since_at; /* queued: arrival; running: start */
    int64_t attempt_timeout_us;
    uint32_t handle;
    uint32_t provider;
    uint32_t key;
    uint32_t lane;     /* of a queued ticket */
    uint32_t previous; /* in its lane, or among the running in start order */
    uint32_t next;
    uint32_t position; /* in the heap of deadlines of its state; ADM_HEAP_OUT: it has none */
    enum adm_ticket_state state;
};

_Static_assert(sizeof(struct adm_ticket) == 64, "a ticket fills one cache line");

static inline struct adm_ticket *adm_ticket_at(const struct adm_pool *tickets, uint32_t number)
{
    return adm_pool_at(tickets, number);
}

/* A list of tickets in the order in which they came, linked through the tickets themselves: a
 * ticket is in one list at a time. */
struct adm_ticket_list {
    uint32_t first;
    uint32_t last;
};

static inline struct adm_ticket_list adm_ticket_list_empty(void)
{
    return (struct adm_ticket_list){.first = ADM_TICKET_NONE, .last = ADM_TICKET_NONE};
}

void adm_ticket_list_append(struct adm_ticket_list *list, const struct adm_pool *tickets,
                            uint32_t number);
void adm_ticket_list_remove(struct adm_ticket_list *list, const struct adm_pool *tickets,
                            uint32_t number);

#endif
