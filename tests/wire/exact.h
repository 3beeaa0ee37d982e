/* Decoding from a block that ends where the record does, so that the sanitizer sees every byte
 * that is read too much. */
#ifndef ADM_TESTS_WIRE_EXACT_H
#define ADM_TESTS_WIRE_EXACT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A copy of `bytes` that ends where its block ends and lies at an odd address, so that nothing
 * is aligned; give it back with exact_free(). */
static inline uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *block = malloc(size + 1);
    memcpy(block + 1, bytes, size);
    return block + 1;
}

static inline void exact_free(uint8_t *copy)
{
    free(copy - 1);
}

#endif
