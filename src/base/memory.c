/* See base/memory.h. The size arithmetic is checked here, so that no caller has to. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum {
    FIRST_CAPACITY = 8
};

static _Noreturn void exhausted(size_t n, size_t size)
{
    fprintf(stderr, "admission: out of memory for %zu items of %zu bytes\n", n, size);
    abort();
}

void *adm_memory_new(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (memory == NULL) {
        exhausted(n, size);
    }
    return memory;
}

void *adm_memory_new_aligned(size_t alignment, size_t size)
{
    ADM_ASSERT(size % alignment == 0);
    void *memory = aligned_alloc(alignment, size);
    if (memory == NULL) {
        exhausted(1, size);
    }
    return memset(memory, 0, size);
}

void *adm_memory_resize(void *old, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size) {
        exhausted(n, size);
    }
    void *memory = realloc(old, n * size);
    if (memory == NULL) {
        exhausted(n, size);
    }
    return memory;
}

void *adm_memory_reserve(void *items, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) {
        return items;
    }
    size_t room = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity;
    while (room < wanted) {
        room = room > SIZE_MAX / 2 ? wanted : room * 2;
    }
    items = adm_memory_resize(items, room, size);
    *capacity = room;
    return items;
}
