/* Memory is there, zeroed where it says so, or the process ends. */
#include <criterion/criterion.h>

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

TestSuite(memory, .timeout = 10);

static bool is_zero(const void *memory, size_t n)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

Test(memory, new_memory_is_zero)
{
    void *memory = adm_memory_new(100, 7);
    cr_assert(is_zero(memory, 700));
    free(memory);
}

Test(memory, aligned_memory_is_aligned_and_zero)
{
    void *memory = adm_memory_new_aligned(64, 192);
    cr_assert((uintptr_t)memory % 64 == 0);
    cr_assert(is_zero(memory, 192));
    free(memory);
}

Test(memory, resizing_keeps_what_was_there)
{
    char *memory = adm_memory_resize(NULL, 4, 1);
    memcpy(memory, "abcd", 4);
    memory = adm_memory_resize(memory, 100000, 1);
    cr_assert(memcmp(memory, "abcd", 4) == 0);
    memory = adm_memory_resize(memory, 2, 1);
    cr_assert(memcmp(memory, "ab", 2) == 0);
    free(memory);
}

Test(memory, room_that_is_there_is_not_made_again)
{
    size_t capacity = 0;
    uint64_t *items = adm_memory_reserve(NULL, &capacity, 1, sizeof *items);
    cr_assert(capacity >= 1);
    const size_t first = capacity;
    cr_assert(adm_memory_reserve(items, &capacity, first, sizeof *items) == items);
    cr_assert(capacity == first);
    free(items);
}

Test(memory, growing_by_one_moves_the_items_seldom)
{
    size_t capacity = 0;
    uint64_t *items = NULL;
    int n_moves = 0;
    for (size_t n = 1; n <= 100000; n++) {
        const size_t before = capacity;
        items = adm_memory_reserve(items, &capacity, n, sizeof *items);
        cr_assert(capacity >= n && capacity <= 2 * n + 8);
        n_moves += capacity != before;
        items[n - 1] = n;
    }
    cr_assert(n_moves < 20, "%d moves", n_moves);
    for (size_t n = 1; n <= 100000; n++) {
        cr_assert(items[n - 1] == n);
    }
    free(items);
}

Test(memory, a_size_that_does_not_fit_a_number_ends_the_process, .signal = SIGABRT)
{
    adm_memory_resize(NULL, SIZE_MAX / 4, 8);
}
