/* Keyed hashes: the same under one key, others under another, and spread. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "random.h"

enum {
    N_BUCKETS = 1024,
    N_HASHED = 4 * N_BUCKETS,
    N_KEYS = 50
};

TestSuite(hash, .timeout = 10);

static struct adm_hash_key key_of(uint64_t seed)
{
    struct random random = {.state = seed};
    const uint64_t halves[2] = {random_next(&random), random_next(&random)};
    struct adm_hash_key key;
    memcpy(key.bytes, halves, sizeof key.bytes);
    return key;
}

static struct adm_name numbered(uint64_t number)
{
    static char text[32];
    const int length = snprintf(text, sizeof text, "name-%" PRIu64, number);
    return (struct adm_name){.bytes = text, .length = (uint8_t)length};
}

Test(hash, of_equal_names_is_equal_under_one_key)
{
    const struct adm_hash_key key = key_of(1);
    char copy[] = "name-7";
    cr_assert(adm_hash_name(&key, numbered(7)) ==
              adm_hash_name(&key, (struct adm_name){.bytes = copy, .length = 6}));
    cr_assert(adm_hash_name(&key, numbered(7)) !=
              adm_hash_name(&key, (struct adm_name){.bytes = copy, .length = 5}));
}

Test(hash, of_a_name_and_of_a_number_hangs_on_the_key)
{
    const struct adm_hash_key one = key_of(1);
    const struct adm_hash_key other = key_of(2);
    uint32_t n_same = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        n_same += adm_hash_name(&one, numbered(i)) == adm_hash_name(&other, numbered(i));
        n_same += adm_hash_number(&one, i) == adm_hash_number(&other, i);
    }
    cr_assert(n_same < 3, "%" PRIu32 " of 2000 are the same", n_same);
}

Test(hash, keys_from_the_system_differ)
{
    const struct adm_hash_key one = adm_hash_key_random();
    const struct adm_hash_key other = adm_hash_key_random();
    cr_assert(memcmp(one.bytes, other.bytes, sizeof one.bytes) != 0);
}

/* The hashes are CPython's, which uses SipHash-1-3 for bytes since 3.11:
 *     PYTHONHASHSEED=0 python3 -c "print(hex(hash(b'name-007') & 0xffffffff))" */
Test(hash, of_a_name_is_siphash_with_one_and_three_rounds)
{
    static const struct adm_hash_key zero;
    static const struct {
        const char *text;
        uint32_t hash;
    } known[] = {
        {"a", 0xb89b1813},
        {"ann", 0xdaa454b8},
        {"ann-", 0xebd131ac},
        {"annie", 0xa18ef6ec},
        {"name-007", 0x43fb0a08},
        {"name-0007", 0xde731a5b},
        {"principal-0000007", 0x5c87277c},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct adm_name name = {.bytes = known[i].text,
                                      .length = (uint8_t)strlen(known[i].text)};
        cr_assert(adm_hash_name(&zero, name) == known[i].hash, "%s", known[i].text);
    }
    char longest[ADM_NAME_MAX];
    memset(longest, 'x', sizeof longest);
    cr_assert(adm_hash_name(&zero, (struct adm_name){.bytes = longest,
                                                     .length = sizeof longest}) == 0xef7d284b);
}

/* The most that fall into one bucket, by the low bits, as the table takes them. */
static uint32_t fullest(const struct adm_hash_key *key, uint64_t factor)
{
    uint32_t loads[N_BUCKETS] = {0};
    uint32_t most = 0;
    for (uint64_t i = 0; i < N_HASHED; i++) {
        const uint32_t load = ++loads[adm_hash_number(key, i * factor) % N_BUCKETS];
        most = load > most ? load : most;
    }
    return most;
}

/* 4 a bucket on average; a random function gives about 14 at most. */
Test(hash, numbers_in_a_row_and_in_steps_are_spread_under_any_key)
{
    static const uint64_t factors[] = {
        1, 2, 10, 1024, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, UINT64_C(1) << 40};
    for (uint64_t seed = 0; seed < N_KEYS; seed++) {
        const struct adm_hash_key key = key_of(seed);
        for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
            const uint32_t most = fullest(&key, factors[i]);
            cr_assert(most < 40,
                      "%" PRIu32 " in one bucket: seed %" PRIu64 ", steps of %" PRIu64, most,
                      seed, factors[i]);
        }
    }
}
