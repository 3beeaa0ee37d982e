/* See base/hash.h.
 *
 * SipHash is written out here because the packaged one (libsodium's, with 2 and 4 rounds,
 * behind three calls) took more than the rest of an admit: docs/decisions/containers.md. */
#include "base/hash.h"

#include <endian.h>
#include <unistd.h>

#include "base/assert.h"

struct sip {
    uint64_t v0;
    uint64_t v1;
    uint64_t v2;
    uint64_t v3;
};

static inline uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void mix(struct sip *sip)
{
    sip->v0 += sip->v1;
    sip->v2 += sip->v3;
    sip->v1 = rotate(sip->v1, 13) ^ sip->v0;
    sip->v3 = rotate(sip->v3, 16) ^ sip->v2;
    sip->v0 = rotate(sip->v0, 32) + sip->v3;
    sip->v2 += sip->v1;
    sip->v3 = rotate(sip->v3, 21) ^ sip->v0;
    sip->v1 = rotate(sip->v1, 17) ^ sip->v2;
    sip->v2 = rotate(sip->v2, 32);
}

static inline void absorb(struct sip *sip, uint64_t word)
{
    sip->v3 ^= word;
    mix(sip);
    sip->v0 ^= word;
}

static inline uint64_t load_u64(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return le64toh(word);
}

static inline uint64_t load_u32(const void *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return le32toh(word);
}

/* The `n` bytes (0 to 7) as a number, without a loop: loads that overlap agree where they do.
 */
static inline uint64_t load_rest(const unsigned char *bytes, size_t n)
{
    if (n >= 4) {
        return load_u32(bytes) | load_u32(bytes + n - 4) << 8 * (n - 4);
    }
    if (n == 0) {
        return 0;
    }
    return (uint64_t)bytes[0] | (uint64_t)bytes[n / 2] << 8 * (n / 2) |
           (uint64_t)bytes[n - 1] << 8 * (n - 1);
}

struct adm_hash_key adm_hash_key_random(void)
{
    struct adm_hash_key key;
    ADM_ASSERT(getentropy(key.bytes, sizeof key.bytes) == 0);
    return key;
}

uint32_t adm_hash_name(const struct adm_hash_key *key, struct adm_name name)
{
    const uint64_t k0 = load_u64(key->bytes);
    const uint64_t k1 = load_u64(key->bytes + 8);
    struct sip sip = {
        .v0 = k0 ^ UINT64_C(0x736f6d6570736575),
        .v1 = k1 ^ UINT64_C(0x646f72616e646f6d),
        .v2 = k0 ^ UINT64_C(0x6c7967656e657261),
        .v3 = k1 ^ UINT64_C(0x7465646279746573),
    };
    const unsigned char *at = (const unsigned char *)name.bytes;
    size_t left = name.length;
    for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t)) {
        absorb(&sip, load_u64(at));
        at += sizeof(uint64_t);
    }
    absorb(&sip, (uint64_t)name.length << 56 | load_rest(at, left));
    sip.v2 ^= 0xff;
    mix(&sip);
    mix(&sip);
    mix(&sip);
    return (uint32_t)(sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3);
}
