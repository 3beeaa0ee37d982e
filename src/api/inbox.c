/* See api/inbox.h. Messages come from our own actor, so a malformed one is a bug. */
#include "api/inbox.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_inbox_deinit(struct adm_inbox *inbox)
{
    while (inbox->n > 0) {
        free(adm_inbox_pop(inbox).live);
    }
    free(inbox->items);
    *inbox = (struct adm_inbox){0};
}

static void grow(struct adm_inbox *inbox)
{
    const struct adm_inbox old = *inbox;
    inbox->room = old.room == 0 ? 8 : old.room * 2;
    inbox->items = adm_memory_new(inbox->room, sizeof *inbox->items);
    for (size_t i = 0; i < old.n; i++) {
        inbox->items[i] = old.items[(old.first + i) & (old.room - 1)];
    }
    inbox->first = 0;
    free(old.items);
}

void adm_inbox_push(struct adm_inbox *inbox, const struct adm_inbox_item *item)
{
    if (inbox->n == inbox->room) {
        grow(inbox);
    }
    inbox->items[(inbox->first + inbox->n++) & (inbox->room - 1)] = *item;
}

struct adm_inbox_item adm_inbox_pop(struct adm_inbox *inbox)
{
    ADM_ASSERT(inbox->n > 0);
    const struct adm_inbox_item item = inbox->items[inbox->first];
    inbox->first = (inbox->first + 1) & (inbox->room - 1);
    inbox->n--;
    return item;
}

static void skip(struct adm_inbox_reader *reader, size_t size)
{
    reader->bytes += size;
    reader->size -= size;
}

void adm_inbox_read(struct adm_inbox_reader *reader, const uint8_t *bytes, size_t size)
{
    *reader = (struct adm_inbox_reader){.bytes = bytes, .size = size};
    ADM_ASSERT(adm_event_stamp_decode(bytes, size, &reader->stamp_us));
    skip(reader, ADM_EVENT_STAMP);
}

static struct admission_listener *read_rows(struct adm_inbox_reader *reader, uint32_t n)
{
    if (n == 0) {
        return NULL;
    }
    struct admission_listener *rows = adm_memory_new(n, sizeof *rows);
    for (uint32_t i = 0; i < n; i++) {
        struct adm_event_row row;
        ADM_ASSERT(adm_event_row_decode(reader->bytes, reader->size, &row));
        rows[i] =
            (struct admission_listener){.owner = row.owner, .id = row.id, .order = row.order};
        skip(reader, ADM_EVENT_RECORD);
    }
    return rows;
}

bool adm_inbox_read_next(struct adm_inbox_reader *reader, struct adm_inbox_item *item)
{
    if (reader->size == 0) {
        return false;
    }
    item->stamp_us = reader->stamp_us;
    ADM_ASSERT(adm_event_decode(reader->bytes, reader->size, &item->event));
    skip(reader, ADM_EVENT_RECORD);
    item->live = read_rows(reader, item->event.n);
    return true;
}
