/* The stress test as a plain program, for ThreadSanitizer cannot live with Criterion.
 *
 *     stress [SECONDS] */
#include <stdlib.h>

#include "stress.h"

int main(int argc, char **argv)
{
    const struct stress_options options = stress_options(argc > 1 ? atoll(argv[1]) : 3);
    return stress_run(&options) ? 0 : 1;
}
