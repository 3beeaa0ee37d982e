/* The exhaustion lane: memory is there, or the process ends with one line.
 *
 * libzmq aborts when it has none, so a library above it gains nothing by carrying the failure
 * through every signature. */
#ifndef ADM_BASE_MEMORY_H
#define ADM_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for `n` items of `size` bytes. Free with free(). Never NULL for n, size > 0. */
void *adm_memory_new(size_t n, size_t size);

/* Zeroed memory for one object whose type asks for `alignment`, of which its size is a
 * multiple. Free with free(). */
void *adm_memory_new_aligned(size_t alignment, size_t size);

/* Grows or shrinks `old` (or NULL) to `n` items of `size` bytes, as realloc(); what is new is
 * not initialised. */
void *adm_memory_resize(void *old, size_t n, size_t size);

/* Makes room for at least `wanted` items in `items`, which has room for `*capacity`: returns
 * the array, moved where need be, its room doubled so that growing by one costs O(1). */
void *adm_memory_reserve(void *items, size_t *capacity, size_t wanted, size_t size);

#endif
