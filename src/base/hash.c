/* See base/hash.h. */
#include "base/hash.h"

#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(struct adm_hash_key) == crypto_shorthash_KEYBYTES,
               "SipHash takes 16 bytes");

struct adm_hash_key adm_hash_key_random(void)
{
    struct adm_hash_key key;
    randombytes_buf(key.bytes, sizeof key.bytes);
    return key;
}

uint32_t adm_hash_name(const struct adm_hash_key *key, struct adm_name name)
{
    uint8_t digest[crypto_shorthash_BYTES];
    crypto_shorthash(digest, (const unsigned char *)name.bytes, name.length, key->bytes);
    uint32_t hash;
    memcpy(&hash, digest, sizeof hash);
    return hash;
}
