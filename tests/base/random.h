/* Random numbers for tests: small, seeded, the same on every machine. */
#ifndef ADM_TESTS_BASE_RANDOM_H
#define ADM_TESTS_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* Two rounds of multiply and fold over a counter: every seed gives its own sequence. */
static inline uint64_t random_next(struct random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = random->state;
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* A number from 0 to `n` - 1. */
static inline uint32_t random_below(struct random *random, uint32_t n)
{
    return (uint32_t)((random_next(random) >> 32) * n >> 32);
}

/* True `percent` times of a hundred. */
static inline bool random_chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

#endif
