/* Keyed hashes: names and ids come from outside, so nobody may choose what collides.
 *
 * Names go through SipHash-1-3, the variant made for hash tables. Numbers - an id, a provider
 * and its key - go through two multiplications with secret words between them, which costs a
 * third of it. The key is given by the driver, so the core stays a pure function. */
#ifndef ADM_BASE_HASH_H
#define ADM_BASE_HASH_H

#include <stdint.h>
#include <string.h>

#include "base/name.h"

struct adm_hash_key {
    uint8_t bytes[16];
};

/* A key from the operating system's random source. */
struct adm_hash_key adm_hash_key_random(void);

/* The low half of the name's SipHash-1-3. */
uint32_t adm_hash_name(const struct adm_hash_key *key, struct adm_name name);

static inline uint32_t adm_hash_number(const struct adm_hash_key *key, uint64_t number)
{
    uint64_t secret[2];
    memcpy(secret, key->bytes, sizeof secret);
    uint64_t hash = (number ^ secret[0]) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32 ^ secret[1]) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(hash ^ hash >> 32);
}

#endif
