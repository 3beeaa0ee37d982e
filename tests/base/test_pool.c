/* The pool of records against an array of what was written into them. */
#include <criterion/criterion.h>

#include <signal.h>
#include <string.h>

#include "base/pool.h"
#include "random.h"

enum {
    N_MOST = 2000,
    N_OPERATIONS = 100000
};

struct record {
    uint64_t words[3];
};

TestSuite(pool, .timeout = 30);

static void fill(struct adm_pool *pool, uint32_t number, uint64_t mark)
{
    struct record *record = adm_pool_at(pool, number);
    record->words[0] = mark;
    record->words[1] = number;
    record->words[2] = ~mark;
}

static void assert_filled(const struct adm_pool *pool, uint32_t number, uint64_t mark)
{
    const struct record *record = adm_pool_at(pool, number);
    cr_assert(record->words[0] == mark && record->words[1] == number &&
                  record->words[2] == ~mark,
              "record %u", number);
}

Test(pool, numbers_are_small_and_handed_out_once)
{
    struct adm_pool pool;
    adm_pool_init(&pool, sizeof(struct record));
    for (uint32_t i = 0; i < 3 * ADM_POOL_CHUNK; i++) {
        cr_assert(adm_pool_take(&pool) == i);
        fill(&pool, i, i);
    }
    for (uint32_t i = 0; i < 3 * ADM_POOL_CHUNK; i++) {
        assert_filled(&pool, i, i);
        adm_pool_return(&pool, i);
    }
    adm_pool_deinit(&pool);
}

Test(pool, the_last_record_returned_is_the_next_one_taken)
{
    struct adm_pool pool;
    adm_pool_init(&pool, sizeof(uint32_t));
    const uint32_t a = adm_pool_take(&pool);
    const uint32_t b = adm_pool_take(&pool);
    adm_pool_return(&pool, a);
    adm_pool_return(&pool, b);
    cr_assert(adm_pool_take(&pool) == b);
    cr_assert(adm_pool_take(&pool) == a);
    adm_pool_return(&pool, a);
    adm_pool_return(&pool, b);
    adm_pool_deinit(&pool);
}

Test(pool, records_keep_their_bytes_and_never_move)
{
    struct random random = {.state = 11};
    struct adm_pool pool;
    adm_pool_init(&pool, sizeof(struct record));
    static uint32_t numbers[N_MOST];
    static uint64_t marks[N_MOST];
    static void *places[N_MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_OPERATIONS; i++) {
        if (n < N_MOST && random_chance(&random, i / 10000 % 2 == 0 ? 70 : 30)) {
            numbers[n] = adm_pool_take(&pool);
            marks[n] = random_next(&random);
            fill(&pool, numbers[n], marks[n]);
            places[n] = adm_pool_at(&pool, numbers[n]);
            n++;
        } else if (n > 0) {
            const uint32_t at = random_below(&random, n);
            assert_filled(&pool, numbers[at], marks[at]);
            cr_assert(adm_pool_at(&pool, numbers[at]) == places[at]);
            adm_pool_return(&pool, numbers[at]);
            n--;
            numbers[at] = numbers[n];
            marks[at] = marks[n];
            places[at] = places[n];
        }
        cr_assert(pool.n_live == n);
    }
    while (n > 0) {
        n--;
        assert_filled(&pool, numbers[n], marks[n]);
        adm_pool_return(&pool, numbers[n]);
    }
    adm_pool_deinit(&pool);
}

Test(pool, a_pool_that_is_used_again_does_not_grow)
{
    struct adm_pool pool;
    adm_pool_init(&pool, sizeof(struct record));
    cr_assert(adm_pool_bytes(&pool) == 0);
    size_t bytes = 0;
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < ADM_POOL_CHUNK + 1; i++) {
            adm_pool_take(&pool);
        }
        bytes = round == 0 ? adm_pool_bytes(&pool) : bytes;
        cr_assert(adm_pool_bytes(&pool) == bytes);
        for (uint32_t i = 0; i < ADM_POOL_CHUNK + 1; i++) {
            adm_pool_return(&pool, i);
        }
    }
    cr_assert(bytes >= (ADM_POOL_CHUNK + 1) * sizeof(struct record));
    adm_pool_deinit(&pool);
}

Test(pool, ending_with_a_record_still_out_is_a_bug, .signal = SIGABRT)
{
    struct adm_pool pool;
    adm_pool_init(&pool, sizeof(struct record));
    adm_pool_take(&pool);
    adm_pool_deinit(&pool);
}
