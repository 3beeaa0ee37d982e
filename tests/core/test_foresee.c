/* Looking ahead changes nothing (core/machine.h): of two machines that are sent the same, one
 * foresees every batch and tells the same. There are more listeners than fit a cache, for with
 * fewer nobody looks ahead. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/random.h"
#include "fixture.h"

enum {
    N_PRINCIPALS = 20000,
    N_LISTENERS = 60000,
    N_BATCHES = 3000
};

TestSuite(foresee, .timeout = 60);

static struct adm_name principal_name(uint32_t number)
{
    static char names[N_PRINCIPALS][16];
    const int length = snprintf(names[number], sizeof names[number], "P%" PRIu32, number);
    return (struct adm_name){.bytes = names[number], .length = (uint8_t)length};
}

/* Mostly listeners; some of them new, some duplicates, some of principals nobody has seen. */
static struct adm_request draw(struct random *random)
{
    static const enum adm_request_type types[] = {
        ADM_REQUEST_LISTENER,       ADM_REQUEST_LISTENER, ADM_REQUEST_LISTENER,
        ADM_REQUEST_LISTENER,       ADM_REQUEST_LEAVE,    ADM_REQUEST_LIVE,
        ADM_REQUEST_LEAVE_PRINCIPAL};
    struct adm_request request = {
        .type = types[random_below(random, sizeof types / sizeof types[0])],
        .handle = random_below(random, 5),
        .id = random_below(random, N_LISTENERS + N_LISTENERS / 4),
    };
    const struct adm_name principal = principal_name(random_below(random, N_PRINCIPALS));
    if (request.type == ADM_REQUEST_LISTENER) {
        request.of.listener.principal = principal;
        request.of.listener.max = 1 + random_below(random, 4);
    } else {
        request.of.principal = principal;
    }
    return request;
}

static void fill(struct fixture *f)
{
    for (uint32_t id = 0; id < N_LISTENERS; id++) {
        struct adm_request request = {.type = ADM_REQUEST_LISTENER, .handle = id % 3, .id = id};
        request.of.listener.principal = principal_name(id % (N_PRINCIPALS - 100));
        request.of.listener.max = 100;
        send_request(f, 0, &request);
    }
    adm_effects_clear(&f->effects);
}

Test(foresee, changes_no_effect)
{
    struct random random = {.state = 5};
    struct fixture plain = begin();
    struct fixture ahead = begin();
    fill(&plain);
    fill(&ahead);
    for (int64_t batch = 0; batch < N_BATCHES; batch++) {
        struct adm_request requests[ADM_FORESEE_MAX];
        struct adm_request *pointers[ADM_FORESEE_MAX];
        const size_t n = random_below(&random, ADM_FORESEE_MAX + 1);
        for (size_t i = 0; i < n; i++) {
            requests[i] = draw(&random);
            pointers[i] = &requests[i];
            send_request(&plain, batch, &requests[i]);
        }
        adm_machine_foresee(ahead.machine, pointers, n);
        for (size_t i = 0; i < n; i++) {
            send_request(&ahead, batch, &requests[i]);
        }
        expect_effects(__FILE__, __LINE__, &ahead, plain.effects.items, plain.effects.n);
        adm_effects_clear(&plain.effects);
    }
    cr_assert(books(&plain).listeners > 50000, "%" PRIu32 " listeners",
              books(&plain).listeners);
    cr_assert(books(&plain).listeners == books(&ahead).listeners);
    end(&plain);
    end(&ahead);
}
