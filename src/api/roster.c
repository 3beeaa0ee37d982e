/* See api/roster.h. Tickets are numbered by one client, one after the other: so their low bits
 * are as good a hash as any. */
#include "api/roster.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

#define NOBODY UINT32_MAX

static void place(void *owner, uint32_t number, uint32_t position)
{
    struct adm_roster *roster = owner;
    roster->entries[number].position = position;
}

void adm_roster_init(struct adm_roster *roster)
{
    *roster = (struct adm_roster){.free = NOBODY};
    adm_heap_init(&roster->resting, place, roster);
}

void adm_roster_deinit(struct adm_roster *roster)
{
    ADM_ASSERT(roster->n == 0);
    adm_heap_deinit(&roster->resting);
    adm_table_deinit(&roster->by_ticket);
    free(roster->entries);
}

uint32_t adm_roster_enter(struct adm_roster *roster, void *who)
{
    uint32_t number = roster->free;
    if (number != NOBODY) {
        roster->free = roster->entries[number].next_free;
    } else {
        roster->entries = adm_memory_reserve(roster->entries, &roster->room,
                                             roster->n_entries + 1, sizeof *roster->entries);
        number = (uint32_t)roster->n_entries++;
    }
    roster->entries[number] = (struct adm_roster_entry){.who = who, .position = ADM_HEAP_OUT};
    roster->n++;
    return number;
}

void adm_roster_leave(struct adm_roster *roster, uint32_t number)
{
    adm_roster_seat(roster, number, 0);
    adm_roster_wake(roster, number);
    roster->entries[number] = (struct adm_roster_entry){.next_free = roster->free};
    roster->free = number;
    roster->n--;
}

void adm_roster_seat(struct adm_roster *roster, uint32_t number, uint64_t ticket)
{
    struct adm_roster_entry *entry = &roster->entries[number];
    if (entry->ticket != 0) {
        adm_table_remove(&roster->by_ticket, (uint32_t)entry->ticket, number);
    }
    entry->ticket = ticket;
    if (ticket != 0) {
        adm_table_add(&roster->by_ticket, (uint32_t)ticket, number);
    }
}

void *adm_roster_find(const struct adm_roster *roster, uint64_t ticket)
{
    struct adm_table_walk walk;
    uint32_t number = adm_table_first(&roster->by_ticket, (uint32_t)ticket, &walk);
    while (number != ADM_TABLE_NONE && roster->entries[number].ticket != ticket) {
        number = adm_table_next(&roster->by_ticket, &walk);
    }
    return number == ADM_TABLE_NONE ? NULL : roster->entries[number].who;
}

void adm_roster_rest(struct adm_roster *roster, uint32_t number, int64_t until)
{
    ADM_ASSERT(roster->entries[number].position == ADM_HEAP_OUT);
    adm_heap_add(
        &roster->resting,
        (struct adm_heap_entry){.major = (uint64_t)until, .minor = number, .number = number});
}

void adm_roster_wake(struct adm_roster *roster, uint32_t number)
{
    const uint32_t position = roster->entries[number].position;
    if (position != ADM_HEAP_OUT) {
        adm_heap_remove(&roster->resting, position);
    }
}

int64_t adm_roster_due_at(const struct adm_roster *roster)
{
    const struct adm_heap_entry *first = adm_heap_first(&roster->resting);
    return first == NULL ? ADM_NEVER : (int64_t)first->major;
}

void *adm_roster_first_due(const struct adm_roster *roster)
{
    const struct adm_heap_entry *first = adm_heap_first(&roster->resting);
    return first == NULL ? NULL : roster->entries[first->number].who;
}
