/* The machine knows how much memory it has: held against what malloc has given out. Each test
 * makes a machine large in one way, so that forgetting one part would show. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

enum {
    MANY = 20000
};

TestSuite(bytes, .timeout = 60);

/* What malloc has given out. */
static size_t in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* The malloc of a sanitizer and of valgrind does not say what it has given out. */
static bool has_books(void)
{
    const size_t before = in_use();
    void *volatile memory = malloc(100000);
    const bool has_grown = in_use() >= before + 100000;
    free(memory);
    return has_grown;
}

/* Makes a machine large with `grow` and compares; names are short, so that all memory counts.
 */
static void compare_with_malloc(void (*grow)(struct fixture *f, uint64_t i))
{
    if (!has_books()) {
        cr_skip_test("this malloc keeps no books");
    }
    const size_t before = in_use();
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_QUEUE_CAPACITY, .queue_capacity = UINT32_MAX - 1);
    for (uint64_t i = 0; i < MANY; i++) {
        grow(&f, i);
        adm_effects_clear(&f.effects);
    }
    adm_effects_deinit(&f.effects);
    const size_t given = in_use() - before;
    const size_t told = adm_machine_bytes(f.machine);
    cr_assert(told <= given, "%zu bytes told, %zu given", told, given);
    cr_assert(told >= given / 100 * 80, "%zu bytes told, %zu given", told, given);
    end(&f);
}

static const char *numbered(uint64_t i)
{
    static char name[16];
    snprintf(name, sizeof name, "n%" PRIu64, i);
    return name;
}

static void add_listener_of_one_principal(struct fixture *f, uint64_t i)
{
    admit_listener_with(f, 0, A, i, "P", .max = MANY);
}

static void add_principal(struct fixture *f, uint64_t i)
{
    admit_listener(f, 0, A, i, numbered(i));
}

static void add_handle(struct fixture *f, uint64_t i)
{
    admit_listener_with(f, 0, (uint32_t)i, 0, "P", .max = MANY);
}

static void add_running_key(struct fixture *f, uint64_t i)
{
    admit_with(f, 0, A, i, .key = numbered(i));
}

static void add_attempt(struct fixture *f, uint64_t i)
{
    admit_with(f, 0, A, i, .attempt_timeout_us = 1000000);
}

static void add_queued(struct fixture *f, uint64_t i)
{
    if (i == 0) {
        limits(f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    }
    admit_with(f, 0, A, i, .timeout = at_most(1000000));
}

static void add_queued_key(struct fixture *f, uint64_t i)
{
    if (i == 0) {
        limits(f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    }
    admit_with(f, 0, A, i, .key = numbered(i));
}

static void add_provider_with_a_queue(struct fixture *f, uint64_t i)
{
    provider(f, 0, numbered(i), ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(f, 0, A, i, .provider = numbered(i));
}

Test(bytes, of_an_empty_machine_are_few)
{
    struct fixture f = begin();
    cr_assert(adm_machine_bytes(f.machine) > 0);
    cr_assert(adm_machine_bytes(f.machine) < 65536);
    end(&f);
}

Test(bytes, of_listeners)
{
    compare_with_malloc(add_listener_of_one_principal);
}

Test(bytes, of_principals)
{
    compare_with_malloc(add_principal);
}

Test(bytes, of_handles)
{
    compare_with_malloc(add_handle);
}

Test(bytes, of_running_keys)
{
    compare_with_malloc(add_running_key);
}

Test(bytes, of_attempt_deadlines)
{
    compare_with_malloc(add_attempt);
}

Test(bytes, of_the_queue)
{
    compare_with_malloc(add_queued);
}

Test(bytes, of_queued_keys)
{
    compare_with_malloc(add_queued_key);
}

Test(bytes, of_providers)
{
    compare_with_malloc(add_provider_with_a_queue);
}
