/* Names and ids whose hashes are equal: rare, so random traces never meet a pair of such names;
 * here one is looked for. It is still two names, whatever the tables find first. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum {
    N_CANDIDATES = 400000,
    N_KEYS = 700
};

/* Two things of one hash, as words and as numbers. */
struct twins {
    char names[2][16];
    uint64_t numbers[2];
};

struct candidate {
    uint32_t hash;
    uint32_t number;
};

TestSuite(collisions, .timeout = 30);

static int by_hash(const void *a, const void *b)
{
    const uint32_t left = ((const struct candidate *)a)->hash;
    const uint32_t right = ((const struct candidate *)b)->hash;
    return (left > right) - (left < right);
}

static uint32_t hash_of_name(uint32_t number, char *text)
{
    const struct adm_hash_key key = fixture_key();
    const int length = snprintf(text, 16, "n%" PRIu32, number);
    return adm_hash_name(&key, (struct adm_name){.bytes = text, .length = (uint8_t)length});
}

static uint32_t hash_of_id(uint32_t number, char *text)
{
    const struct adm_hash_key key = fixture_key();
    (void)text;
    return adm_hash_number(&key, number);
}

/* Candidate `number` is a pair: a provider, counted from 1, and a key, counted from 0. */
static uint32_t provider_of(uint64_t number)
{
    return (uint32_t)number / N_KEYS + 1;
}

static uint32_t key_of(uint64_t number)
{
    return (uint32_t)number % N_KEYS;
}

static uint32_t hash_of_pair(uint32_t number, char *text)
{
    const struct adm_hash_key key = fixture_key();
    (void)text;
    return adm_hash_number(&key, (uint64_t)provider_of(number) << 32 | key_of(number));
}

/* The first two of many candidates that have the same hash. */
static struct twins find_twins(uint32_t (*hash_of)(uint32_t number, char *text))
{
    static struct candidate candidates[N_CANDIDATES];
    char text[16];
    for (uint32_t i = 0; i < N_CANDIDATES; i++) {
        candidates[i] = (struct candidate){.hash = hash_of(i, text), .number = i};
    }
    qsort(candidates, N_CANDIDATES, sizeof candidates[0], by_hash);
    for (uint32_t i = 1; i < N_CANDIDATES; i++) {
        if (candidates[i].hash == candidates[i - 1].hash) {
            struct twins twins = {.numbers = {candidates[i - 1].number, candidates[i].number}};
            hash_of(candidates[i - 1].number, twins.names[0]);
            hash_of(candidates[i].number, twins.names[1]);
            return twins;
        }
    }
    cr_assert_fail("no two candidates have one hash");
    return (struct twins){0};
}

Test(collisions, L1_two_principals_of_one_hash_are_two)
{
    const struct twins twins = find_twins(hash_of_name);
    struct fixture f = begin();
    admit_listener(&f, 0, A, 1, twins.names[0]);
    admit_listener(&f, 0, A, 2, twins.names[1]);
    admit_listener(&f, 0, A, 3, twins.names[1]);
    expect(&f, admitted(A, 1, 0), admitted(A, 2, 1), superseded(A, 2), admitted(A, 3, 2));
    leave(&f, 1, A, 1);
    ask_live(&f, 1, A, twins.names[0]);
    ask_live(&f, 1, A, twins.names[1]);
    expect(&f, live(A, 0), live(A, 1), listener(A, 3, 2));
    end(&f);
}

Test(collisions, T1_two_keys_of_one_hash_are_two)
{
    const struct twins twins = find_twins(hash_of_name);
    struct fixture f = begin();
    admit_with(&f, 0, A, 1, .key = twins.names[0]);
    admit_with(&f, 0, A, 2, .key = twins.names[1]);
    admit_with(&f, 0, A, 3, .key = twins.names[0]);
    admit_with(&f, 0, A, 4, .key = twins.names[1]);
    expect(&f, granted(A, 1, 0), granted(A, 2, 0));
    leave(&f, 3, A, 2);
    expect(&f, granted(A, 4, 3));
    leave(&f, 4, A, 1);
    expect(&f, granted(A, 3, 4));
    end(&f);
}

Test(collisions, T1_two_providers_of_one_hash_are_two)
{
    const struct twins twins = find_twins(hash_of_name);
    struct fixture f = begin();
    add_provider(&f, 0, twins.names[0]);
    admit_with(&f, 0, A, 1, .provider = twins.names[1]);
    expect(&f, refused(A, 1, ADM_REASON_UNKNOWN_PROVIDER, 0));
    provider(&f, 0, twins.names[1], ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    admit_with(&f, 0, A, 1, .provider = twins.names[1]);
    admit_with(&f, 0, A, 2, .provider = twins.names[0]);
    expect(&f, granted(A, 2, 0));
    end(&f);
}

Test(collisions, H2_two_ids_of_one_hash_are_two)
{
    const struct twins twins = find_twins(hash_of_id);
    struct fixture f = begin();
    admit(&f, 0, A, twins.numbers[0]);
    admit_listener(&f, 0, A, twins.numbers[1], "P");
    admit(&f, 0, A, twins.numbers[1]);
    expect(&f, granted(A, twins.numbers[0], 0), admitted(A, twins.numbers[1], 0),
           refused(A, twins.numbers[1], ADM_REASON_DUPLICATE, 0));
    leave(&f, 1, A, twins.numbers[1]);
    admit(&f, 1, A, twins.numbers[0]);
    expect(&f, refused(A, twins.numbers[0], ADM_REASON_DUPLICATE, 0));
    end(&f);
}

/* Good until it is asked for the next name. */
static const char *numbered(uint32_t number)
{
    static char name[16];
    snprintf(name, sizeof name, "n%" PRIu32, number);
    return name;
}

/* The machine numbers providers and keys as they come; tickets of one provider and one key wait
 * together, and are found by that pair. */
Test(collisions, T3_two_pairs_of_provider_and_key_of_one_hash_are_two)
{
    const struct twins twins = find_twins(hash_of_pair);
    char providers[2][16];
    for (int i = 0; i < 2; i++) {
        strcpy(providers[i], numbered(provider_of(twins.numbers[i])));
    }
    struct fixture f = begin();
    limits(&f, 0, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    for (uint32_t i = 1; i <= provider_of(N_CANDIDATES - 1); i++) {
        add_provider(&f, 0, numbered(i));
    }
    for (uint32_t i = 0; i < N_KEYS; i++) {
        admit_with(&f, 0, A, i, .key = numbered(i));
    }
    admit_with(&f, 0, B, 1, .provider = providers[0],
               .key = numbered(key_of(twins.numbers[0])));
    admit_with(&f, 0, B, 2, .provider = providers[1],
               .key = numbered(key_of(twins.numbers[1])));
    down(&f, 0, A);
    provider(&f, 0, providers[0], ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 0);
    limits(&f, 1, ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = ADM_NO_LIMIT);
    expect(&f, granted(B, 2, 1));
    provider(&f, 2, providers[0], ADM_LIMIT_MAX_CONCURRENT, .max_concurrent = 1);
    expect(&f, granted(B, 1, 2));
    end(&f);
}
