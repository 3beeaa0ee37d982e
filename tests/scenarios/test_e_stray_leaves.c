/* What a trace cannot say, E: a stray leave can be seen (T10).
 * llm-d/llm-d-batch-gateway#206 */
#include <criterion/criterion.h>

#include "fixture.h"

TestSuite(stray_leaves, .timeout = 60);

Test(stray_leaves, T10_the_books_count_a_leave_that_named_nothing)
{
    enum {
        GHOST = 1000
    };
    admission_actor_t *actor = start_actor(1, 4);
    admission_client_t *web = open_client(actor);
    leave(web, GHOST);
    const uint64_t one = post(web);
    const uint64_t two = post(web);
    leave(web, one);
    leave(web, one);
    leave(web, two);
    expect(web, granted(one), granted(two));
    expect_gauges(actor, 0);
    check(books(actor).stray_leaves == 2);

    const uint64_t three = post(web);
    post(web);
    expect(web, granted(three));
    expect_quiet(web);
    expect_gauges(actor, .running = 1, .queued = 1);
    check(books(actor).stray_leaves == 2);

    admission_client_destroy(&web);
    end_actor(&actor);
}
