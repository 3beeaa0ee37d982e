/* What a client has received and not yet read, in order. */
#ifndef ADM_API_INBOX_H
#define ADM_API_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/event.h"
#include "wire/event.h"

struct adm_inbox_item {
    struct adm_event event;
    int64_t stamp_us;
    struct admission_listener *live; /* the rows of LIVE, owned; else NULL */
};

/* A ring; zeroed, it is empty. */
struct adm_inbox {
    struct adm_inbox_item *items;
    size_t first;
    size_t n;
    size_t room; /* 0 or a power of two */
};

void adm_inbox_deinit(struct adm_inbox *inbox);
void adm_inbox_push(struct adm_inbox *inbox, const struct adm_inbox_item *item);

/* Takes out the oldest, whose rows are then the caller's; there is one. */
struct adm_inbox_item adm_inbox_pop(struct adm_inbox *inbox);

/* The words of one outlet message after the other, read from its bytes. */
struct adm_inbox_reader {
    const uint8_t *bytes;
    size_t size;
    int64_t stamp_us;
};

/* Begins to read a message. */
void adm_inbox_read(struct adm_inbox_reader *reader, const uint8_t *bytes, size_t size);

/* The next item of it; false at its end. */
bool adm_inbox_read_next(struct adm_inbox_reader *reader, struct adm_inbox_item *item);

#endif
