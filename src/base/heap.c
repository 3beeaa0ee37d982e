/* See base/heap.h. */
#include "base/heap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/memory.h"

enum {
    KEPT_ROOM = 64, /* below it, room is not worth giving back */
    ARITY = 4
};

static bool is_before(const struct adm_heap_entry *a, const struct adm_heap_entry *b)
{
    return a->major != b->major ? a->major < b->major : a->minor < b->minor;
}

static void put(struct adm_heap *heap, size_t position, struct adm_heap_entry entry)
{
    heap->entries[position] = entry;
    heap->place(heap->owner, entry.number, (uint32_t)position);
}

static void sift_up(struct adm_heap *heap, size_t position, struct adm_heap_entry entry)
{
    while (position > 0) {
        const size_t parent = (position - 1) / ARITY;
        if (!is_before(&entry, &heap->entries[parent])) {
            break;
        }
        put(heap, position, heap->entries[parent]);
        position = parent;
    }
    put(heap, position, entry);
}

/* The least child of `position`; heap->n or more when it has none. */
static size_t least_child(const struct adm_heap *heap, size_t position)
{
    const size_t first = position * ARITY + 1;
    const size_t end = first + ARITY < heap->n ? first + ARITY : heap->n;
    size_t least = first;
    for (size_t child = first + 1; child < end; child++) {
        if (is_before(&heap->entries[child], &heap->entries[least])) {
            least = child;
        }
    }
    return least;
}

static void sift_down(struct adm_heap *heap, size_t position, struct adm_heap_entry entry)
{
    for (;;) {
        const size_t child = least_child(heap, position);
        if (child >= heap->n || !is_before(&heap->entries[child], &entry)) {
            break;
        }
        put(heap, position, heap->entries[child]);
        position = child;
    }
    put(heap, position, entry);
}

static void settle(struct adm_heap *heap, size_t position, struct adm_heap_entry entry)
{
    if (position > 0 && is_before(&entry, &heap->entries[(position - 1) / ARITY])) {
        sift_up(heap, position, entry);
    } else {
        sift_down(heap, position, entry);
    }
}

void adm_heap_init(struct adm_heap *heap, adm_heap_place *place, void *owner)
{
    *heap = (struct adm_heap){.place = place, .owner = owner};
}

void adm_heap_deinit(struct adm_heap *heap)
{
    free(heap->entries);
    heap->entries = NULL;
}

void adm_heap_add(struct adm_heap *heap, struct adm_heap_entry entry)
{
    ADM_ASSERT(heap->n < ADM_HEAP_OUT);
    heap->entries =
        adm_memory_reserve(heap->entries, &heap->room, heap->n + 1, sizeof *heap->entries);
    heap->n++;
    sift_up(heap, heap->n - 1, entry);
}

/* Gives half of the room back when a quarter of it would do: there are many heaps, and each
 * would stay as large as its peak. */
static void shrink(struct adm_heap *heap)
{
    if (heap->room > KEPT_ROOM && heap->n < heap->room / 4) {
        heap->room /= 2;
        heap->entries = adm_memory_resize(heap->entries, heap->room, sizeof *heap->entries);
    }
}

void adm_heap_remove(struct adm_heap *heap, uint32_t position)
{
    ADM_ASSERT(position < heap->n);
    const uint32_t number = heap->entries[position].number;
    heap->n--;
    if (position < heap->n) {
        settle(heap, position, heap->entries[heap->n]);
    }
    heap->place(heap->owner, number, ADM_HEAP_OUT);
    shrink(heap);
}

void adm_heap_reorder(struct adm_heap *heap, uint32_t position, uint64_t major, uint64_t minor)
{
    ADM_ASSERT(position < heap->n);
    settle(heap, position,
           (struct adm_heap_entry){
               .major = major, .minor = minor, .number = heap->entries[position].number});
}

size_t adm_heap_bytes(const struct adm_heap *heap)
{
    return heap->room * sizeof *heap->entries;
}
