/* A 4-ary heap of record numbers, least first, from whose middle anything can be removed.
 *
 * The order is (major, minor), compared without touching the records: a deadline and an arrival
 * number, say, so that equal deadlines have an order too. The heap tells the record where it
 * stands; the record gives that position back to be moved or removed, in O(log n). */
#ifndef ADM_BASE_HEAP_H
#define ADM_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* The position of what is in no heap. */
#define ADM_HEAP_OUT UINT32_MAX

struct adm_heap_entry {
    uint64_t major;
    uint64_t minor;
    uint32_t number;
};

/* Stores `position` in the record `number`; `owner` is whom the heap was made for. */
typedef void adm_heap_place(void *owner, uint32_t number, uint32_t position);

/* Invariant: no entry is before its parent, and every record knows its position. */
struct adm_heap {
    struct adm_heap_entry *entries;
    size_t n;
    size_t room;
    adm_heap_place *place;
    void *owner;
};

void adm_heap_init(struct adm_heap *heap, adm_heap_place *place, void *owner);
void adm_heap_deinit(struct adm_heap *heap);

void adm_heap_add(struct adm_heap *heap, struct adm_heap_entry entry);

/* The least entry; NULL when the heap is empty. Valid until the heap changes. */
static inline const struct adm_heap_entry *adm_heap_first(const struct adm_heap *heap)
{
    return heap->n == 0 ? NULL : &heap->entries[0];
}

/* No record has this number. */
#define ADM_HEAP_NONE UINT32_MAX

/* The number of the least entry, if its major is at or before `until`; else ADM_HEAP_NONE. */
static inline uint32_t adm_heap_first_until(const struct adm_heap *heap, int64_t until)
{
    return heap->n > 0 && (int64_t)heap->entries[0].major <= until ? heap->entries[0].number
                                                                   : ADM_HEAP_NONE;
}

/* Takes out the record at `position` and places it at ADM_HEAP_OUT. */
void adm_heap_remove(struct adm_heap *heap, uint32_t position);

/* Gives the record at `position` another order. */
void adm_heap_reorder(struct adm_heap *heap, uint32_t position, uint64_t major, uint64_t minor);

/* The bytes it has allocated. */
size_t adm_heap_bytes(const struct adm_heap *heap);

#endif
