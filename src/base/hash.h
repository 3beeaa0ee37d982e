/* Keyed hashes: names and ids come from outside, so nobody may choose what collides.
 *
 * Names go through SipHash (libsodium's crypto_shorthash). Pairs of numbers - a handle and its
 * id, a provider and its key - go through a multiplication folded with secret words, which
 * costs a tenth of it. The key is given by the driver, so the core stays a pure function. */
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

uint32_t adm_hash_name(const struct adm_hash_key *key, struct adm_name name);

__extension__ typedef unsigned __int128 adm_wide;

static inline uint32_t adm_hash_number(const struct adm_hash_key *key, uint64_t number)
{
    uint64_t secret[2];
    memcpy(secret, key->bytes, sizeof secret);
    const adm_wide product = (adm_wide)(number ^ secret[0]) * (secret[1] | 1);
    const uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    return (uint32_t)(folded ^ folded >> 32);
}

#endif
