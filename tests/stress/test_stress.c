/* Sixty-four threads at once. ADMISSION_STRESS_SECONDS makes it longer. */
#include <criterion/criterion.h>

#include "stress.h"

TestSuite(stress, .timeout = 300);

Test(stress, no_cap_is_exceeded_and_the_books_are_empty_at_the_end_T1_L3_H1)
{
    const struct stress_options options = stress_options(5);
    cr_assert(stress_run(&options));
}
