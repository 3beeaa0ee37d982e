/* What a trace cannot say, B: the wall clock steps back (Z3, T7).
 * ProfessionalWiki/MediaWiki-MCP-Server#557, tomasbasham/ratelimit#11 */
#include <criterion/criterion.h>

#include "fixture.h"
#include "seam.h"

TestSuite(wall_clock, .timeout = 10);

static const int64_t NOON_US = INT64_C(1700000000000000);
static const int64_t HOUR_US = ADMISSION_S(3600);

Test(wall_clock, Z3_T7_an_hour_back_on_the_wall_moves_a_stamp_and_no_start)
{
    struct adm_limits limits = adm_limits_default();
    limits.max_concurrent = 1;
    limits.min_interval_us = ADMISSION_MS(100);
    struct seam seam;
    seam_begin(&seam, &limits);
    seam.wall_us = NOON_US;
    seam_admit(&seam, 0, 1, NULL, ADM_NEVER);
    seam_expect(&seam, ADM_EVENT_GRANTED, 1, NOON_US);
    seam_leave(&seam, ADMISSION_MS(1), 1);
    seam_admit(&seam, ADMISSION_MS(2), 2, NULL, ADMISSION_MS(500));

    seam.wall_us = NOON_US - HOUR_US;
    seam_run_to(&seam, ADMISSION_MS(10));
    seam_run_to(&seam, ADMISSION_MS(99));
    seam_expect_nothing(&seam);
    check(seam.due_at == ADMISSION_MS(100));
    seam_run_to(&seam, ADMISSION_MS(100));
    seam_expect(&seam, ADM_EVENT_GRANTED, 2, NOON_US - HOUR_US);

    seam_leave(&seam, ADMISSION_MS(101), 2);
    seam_end(&seam);
}
