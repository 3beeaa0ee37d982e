/* What a pool's dispatcher has in hand: its cycles by number, by ticket, and by the time until
 * which they rest. It knows nothing of what a cycle is. */
#ifndef ADM_API_ROSTER_H
#define ADM_API_ROSTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/table.h"

struct adm_roster_entry {
    void *who;
    uint64_t ticket;    /* 0: none */
    uint32_t position;  /* in the heap, or ADM_HEAP_OUT */
    uint32_t next_free; /* while it is nobody's */
};

struct adm_roster {
    struct adm_roster_entry *entries; /* by number; those without `who` are free */
    size_t n_entries;
    size_t room;
    uint32_t free;
    uint32_t n; /* those that are not */
    struct adm_table by_ticket;
    struct adm_heap resting;
};

void adm_roster_init(struct adm_roster *roster);
void adm_roster_deinit(struct adm_roster *roster);

/* Gives `who` a number. */
uint32_t adm_roster_enter(struct adm_roster *roster, void *who);

/* Takes a number back, with its ticket and its rest. */
void adm_roster_leave(struct adm_roster *roster, uint32_t number);

/* Names the ticket of a number, instead of the one before; 0: none. */
void adm_roster_seat(struct adm_roster *roster, uint32_t number, uint64_t ticket);

/* Whose ticket it is; NULL: nobody's. */
void *adm_roster_find(const struct adm_roster *roster, uint64_t ticket);

/* It rests until `until`; wake takes it out again, if it is there. */
void adm_roster_rest(struct adm_roster *roster, uint32_t number, int64_t until);
void adm_roster_wake(struct adm_roster *roster, uint32_t number);

/* When the first rest ends (ADM_NEVER: none does), and whose that is. */
int64_t adm_roster_due_at(const struct adm_roster *roster);
void *adm_roster_first_due(const struct adm_roster *roster);

#endif
