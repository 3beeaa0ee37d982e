/* What a fuzz target is: one function, by the name that libFuzzer calls. */
#ifndef ADM_TESTS_FUZZ_FUZZ_H
#define ADM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Tries one input, in a block that ends where the input does; a broken promise aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
