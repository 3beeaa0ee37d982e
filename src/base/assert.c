/* The only place, beside base/memory.c, where the library prints: one line before it aborts. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void adm_assert_failed(const char *file, int line, const char *promise)
{
    fprintf(stderr, "admission: %s:%d: broken promise: %s\n", file, line, promise);
    abort();
}
