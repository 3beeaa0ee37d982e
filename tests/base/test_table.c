/* The table of record numbers against an array of flags, under hashes that hardly differ. */
#include <criterion/criterion.h>

#include "base/table.h"
#include "random.h"

enum {
    N_NUMBERS = 3000,
    N_OPERATIONS = 60000
};

TestSuite(table, .timeout = 60);

static bool has(const struct adm_table *table, uint32_t hash, uint32_t number)
{
    struct adm_table_walk walk;
    for (uint32_t found = adm_table_first(table, hash, &walk); found != ADM_TABLE_NONE;
         found = adm_table_next(table, &walk)) {
        if (found == number) {
            return true;
        }
    }
    return false;
}

static uint32_t count(const struct adm_table *table, uint32_t hash)
{
    uint32_t n = 0;
    struct adm_table_walk walk;
    for (uint32_t found = adm_table_first(table, hash, &walk); found != ADM_TABLE_NONE;
         found = adm_table_next(table, &walk)) {
        n++;
    }
    return n;
}

/* Does the table hold exactly the numbers that are flagged, each under its own hash, once? */
static void assert_same(const struct adm_table *table, const bool *is_in,
                        const uint32_t *hashes, uint32_t n_hashes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_NUMBERS; i++) {
        cr_assert(has(table, hashes[i], i) == is_in[i], "number %u", i);
        n += is_in[i];
    }
    cr_assert(table->n == n);
    uint32_t n_walked = 0;
    for (uint32_t hash = 0; hash < n_hashes; hash++) {
        n_walked += count(table, hash);
    }
    cr_assert(n_walked == n, "%u walked, %u in", n_walked, n);
}

/* Fills and empties by turns, so that the table grows and shrinks again and again. */
static void run_random(uint64_t seed, uint32_t n_hashes)
{
    struct random random = {.state = seed};
    struct adm_table table = {0};
    static bool is_in[N_NUMBERS];
    static uint32_t hashes[N_NUMBERS];
    for (uint32_t i = 0; i < N_NUMBERS; i++) {
        is_in[i] = false;
        hashes[i] = random_below(&random, n_hashes);
    }
    for (uint32_t i = 0; i < N_OPERATIONS; i++) {
        const uint32_t number = random_below(&random, N_NUMBERS);
        const bool is_filling = i / 6000 % 2 == 0;
        if (!is_in[number] && random_chance(&random, is_filling ? 90 : 5)) {
            adm_table_add(&table, hashes[number], number);
            is_in[number] = true;
        } else if (is_in[number] && random_chance(&random, is_filling ? 5 : 90)) {
            adm_table_remove(&table, hashes[number], number);
            is_in[number] = false;
        }
        if (i % 2000 == 0) {
            assert_same(&table, is_in, hashes, n_hashes);
        }
    }
    assert_same(&table, is_in, hashes, n_hashes);
    adm_table_deinit(&table);
}

Test(table, nothing_is_found_in_an_empty_table)
{
    struct adm_table table = {0};
    struct adm_table_walk walk;
    cr_assert(adm_table_first(&table, 7, &walk) == ADM_TABLE_NONE);
    adm_table_prefetch(&table, 7);
    cr_assert(adm_table_bytes(&table) == 0);
    adm_table_deinit(&table);
}

Test(table, numbers_of_one_hash_are_all_found_and_no_others)
{
    struct adm_table table = {0};
    for (uint32_t i = 0; i < 20; i++) {
        adm_table_add(&table, i % 2 == 0 ? 4 : 4 + 64, i); /* the same slot, another hash */
    }
    cr_assert(count(&table, 4) == 10);
    cr_assert(count(&table, 4 + 64) == 10);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert(has(&table, 4, i) == (i % 2 == 0));
    }
    adm_table_deinit(&table);
}

Test(table, a_run_that_wraps_round_the_end_is_closed_up)
{
    struct adm_table table = {0};
    for (uint32_t i = 0; i < 6; i++) {
        adm_table_add(&table, UINT32_MAX - i % 2, i); /* the last two slots of any capacity */
    }
    for (uint32_t i = 0; i < 6; i++) {
        adm_table_remove(&table, UINT32_MAX - i % 2, i);
        for (uint32_t left = i + 1; left < 6; left++) {
            cr_assert(has(&table, UINT32_MAX - left % 2, left), "%u after %u", left, i);
        }
    }
    cr_assert(table.n == 0);
    adm_table_deinit(&table);
}

Test(table, equals_an_array_when_every_hash_collides_with_many)
{
    run_random(1, 40);
}

Test(table, equals_an_array_when_hashes_differ_in_few_bits)
{
    run_random(2, 5000);
}

Test(table, equals_an_array_when_hashes_seldom_collide)
{
    run_random(3, 1000000);
}

Test(table, gives_memory_back_as_it_empties)
{
    struct adm_table table = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        adm_table_add(&table, i * 2654435761u, i);
    }
    const size_t full = adm_table_bytes(&table);
    for (uint32_t i = 0; i < 10000; i++) {
        adm_table_remove(&table, i * 2654435761u, i);
    }
    cr_assert(adm_table_bytes(&table) <= full / 100, "%zu of %zu bytes",
              adm_table_bytes(&table), full);
    adm_table_deinit(&table);
}

Test(table, moves_nothing_while_it_stays_the_same_size)
{
    struct adm_table table = {0};
    for (uint32_t i = 0; i < 100; i++) {
        adm_table_add(&table, i, i);
    }
    const size_t bytes = adm_table_bytes(&table);
    for (uint32_t i = 0; i < 100000; i++) {
        adm_table_remove(&table, i, i);
        adm_table_add(&table, i + 100, i + 100);
        cr_assert(adm_table_bytes(&table) == bytes, "after %u turns", i);
    }
    cr_assert(count(&table, 100099) == 1);
    adm_table_deinit(&table);
}
