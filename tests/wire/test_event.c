/* What travels to a handle: every record comes back as it was, and nothing else is read. */
#include <criterion/criterion.h>
#include <signal.h>

#include "describe.h"
#include "exact.h"
#include "samples.h"

enum {
    N_SAMPLES = 4000,
    N_TYPES = ADM_EVENT_END + 1,
    TAG = ADM_WIRE_VERSION << 5,
    WITH_ROWS = 10 * ADM_EVENT_RECORD
};

TestSuite(event, .timeout = 60);

/* Decodes from an exact block. A refusal leaves the output untouched; what is read encodes to
 * the same bytes again, so it is in range: the encoder asserts it. */
static bool is_read_exactly(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = exact_copy(bytes, size);
    struct adm_event event;
    struct adm_event untouched;
    memset(&event, 0xa5, sizeof event);
    memset(&untouched, 0xa5, sizeof untouched);
    const bool is_read = adm_event_decode(copy, size, &event);
    if (is_read) {
        uint8_t again[ADM_EVENT_RECORD];
        adm_event_encode(&event, again);
        cr_assert_arr_eq(again, bytes, sizeof again);
        cr_assert(event.n <= size / ADM_EVENT_RECORD - 1);
    } else {
        cr_assert_arr_eq(&event, &untouched, sizeof event);
    }
    exact_free(copy);
    return is_read;
}

Test(event, every_record_comes_back_as_it_was)
{
    struct random random = {.state = 1};
    for (unsigned i = 0; i < N_SAMPLES; i++) {
        const struct adm_event event =
            sample_event(&random, (enum adm_event_type)(i % N_TYPES));
        uint8_t bytes[WITH_ROWS] = {0};
        adm_event_encode(&event, bytes);
        cr_assert(is_read_exactly(bytes, (event.n + 1) * ADM_EVENT_RECORD));
        struct adm_event found;
        cr_assert(adm_event_decode(bytes, sizeof bytes, &found), "more may follow");
        char *before = describe_event(&event);
        char *after = describe_event(&found);
        cr_assert_str_eq(after, before);
        free(before);
        free(after);
    }
}

Test(event, every_truncation_is_refused)
{
    struct random random = {.state = 2};
    for (unsigned i = 0; i < N_SAMPLES / 10; i++) {
        const struct adm_event event =
            sample_event(&random, (enum adm_event_type)(i % N_TYPES));
        uint8_t bytes[WITH_ROWS] = {0};
        adm_event_encode(&event, bytes);
        const size_t size = (event.n + 1) * ADM_EVENT_RECORD;
        for (size_t cut = 0; cut < size; cut++) {
            cr_assert_not(is_read_exactly(bytes, cut), "%zu of %zu bytes", cut, size);
        }
    }
}

Test(event, a_flipped_bit_is_refused_or_in_range)
{
    struct random random = {.state = 3};
    unsigned n_refused = 0;
    unsigned n_read = 0;
    for (unsigned i = 0; i < N_SAMPLES / 10; i++) {
        const struct adm_event event =
            sample_event(&random, (enum adm_event_type)(i % N_TYPES));
        uint8_t bytes[WITH_ROWS] = {0};
        adm_event_encode(&event, bytes);
        const size_t size = (event.n + 1) * ADM_EVENT_RECORD;
        for (size_t bit = 0; bit < ADM_EVENT_RECORD * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (is_read_exactly(bytes, size)) {
                n_read++;
            } else {
                n_refused++;
            }
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    cr_assert(n_refused > 10000 && n_read > 10000, "%u and %u", n_refused, n_read);
}

Test(event, one_answer_needs_no_malloc_in_libzmq)
{
    cr_assert(ADM_EVENT_RECORD == 24);
    cr_assert(ADM_EVENT_STAMP + ADM_EVENT_RECORD == 32);
}

Test(event, an_unknown_version_or_type_is_refused)
{
    for (unsigned first = 0; first < 256; first++) {
        const uint8_t bytes[ADM_EVENT_RECORD] = {(uint8_t)first};
        const unsigned type = first & 31;
        const bool needs_reason = type == ADM_EVENT_REFUSED || type == ADM_EVENT_ABORT;
        const bool is_known = first >> 5 == ADM_WIRE_VERSION && type < N_TYPES;
        cr_assert(is_read_exactly(bytes, sizeof bytes) == (is_known && !needs_reason),
                  "first byte %u", first);
    }
}

Test(event, a_reason_is_read_only_where_it_can_be_one)
{
    static const bool can_be[N_TYPES][ADM_N_REASONS] = {
        [ADM_EVENT_GRANTED] = {true},
        [ADM_EVENT_REFUSED] = {false, true, true, true, true, true, true},
        [ADM_EVENT_ABORT] = {[2] = true, [3] = true, [4] = true},
        [ADM_EVENT_ADMITTED] = {true},
        [ADM_EVENT_SUPERSEDED] = {true},
        [ADM_EVENT_CLOSED] = {true},
        [ADM_EVENT_LIVE] = {true},
        [ADM_EVENT_END] = {true},
    };
    for (unsigned type = 0; type < N_TYPES; type++) {
        for (unsigned reason = 0; reason < 256; reason++) {
            const uint8_t bytes[ADM_EVENT_RECORD] = {(uint8_t)(TAG | type), (uint8_t)reason};
            const bool is_one = reason < ADM_N_REASONS && can_be[type][reason];
            cr_assert(is_read_exactly(bytes, sizeof bytes) == is_one, "type %u, reason %u",
                      type, reason);
        }
    }
}

Test(event, a_reason_keeps_its_number_on_the_wire)
{
    static const enum adm_reason reasons[] = {
        ADM_REASON_NONE,      ADM_REASON_OVERFLOW, ADM_REASON_TIMEOUT,
        ADM_REASON_CANCELLED, ADM_REASON_CLOSED,   ADM_REASON_UNKNOWN_PROVIDER,
        ADM_REASON_DUPLICATE,
    };
    for (uint8_t i = 1; i < sizeof reasons / sizeof *reasons; i++) {
        const struct adm_event event = {.type = ADM_EVENT_REFUSED, .reason = reasons[i]};
        uint8_t bytes[ADM_EVENT_RECORD];
        adm_event_encode(&event, bytes);
        cr_assert(bytes[1] == i);
    }
}

Test(event, what_a_type_has_no_use_for_is_zero)
{
    static const enum adm_reason reasons[N_TYPES] = {
        [ADM_EVENT_REFUSED] = ADM_REASON_OVERFLOW,
        [ADM_EVENT_ABORT] = ADM_REASON_TIMEOUT,
    };
    for (unsigned type = 0; type < N_TYPES; type++) {
        const bool has_measure = type <= ADM_EVENT_ADMITTED;
        uint8_t bytes[2 * ADM_EVENT_RECORD] = {(uint8_t)(TAG | type), (uint8_t)reasons[type]};
        cr_assert(is_read_exactly(bytes, sizeof bytes));
        for (size_t at = 2; at < 4; at++) {
            bytes[at] = 1;
            cr_assert_not(is_read_exactly(bytes, sizeof bytes), "type %u, byte %zu", type, at);
            bytes[at] = 0;
        }
        bytes[4] = 1;
        cr_assert(is_read_exactly(bytes, sizeof bytes) == (type == ADM_EVENT_LIVE),
                  "type %u with rows", type);
        bytes[4] = 0;
        bytes[16] = 1;
        cr_assert(is_read_exactly(bytes, sizeof bytes) == has_measure, "type %u with a measure",
                  type);
    }
}

Test(event, a_live_whose_rows_do_not_fit_is_refused)
{
    uint8_t bytes[3 * ADM_EVENT_RECORD] = {TAG | ADM_EVENT_LIVE};
    bytes[4] = 2;
    cr_assert(is_read_exactly(bytes, sizeof bytes));
    cr_assert_not(is_read_exactly(bytes, sizeof bytes - 1));
    bytes[4] = 3;
    cr_assert_not(is_read_exactly(bytes, sizeof bytes));
    memset(bytes + 4, 0xff, 4);
    cr_assert_not(is_read_exactly(bytes, sizeof bytes), "4294967295 rows");
}

Test(event, a_row_comes_back_as_it_was)
{
    struct random random = {.state = 4};
    for (unsigned i = 0; i < N_SAMPLES; i++) {
        const struct adm_event_row row = {.owner = random_next(&random),
                                          .id = random_next(&random),
                                          .order = random_next(&random)};
        uint8_t bytes[ADM_EVENT_RECORD];
        adm_event_row_encode(&row, bytes);
        uint8_t *copy = exact_copy(bytes, sizeof bytes);
        struct adm_event_row found = {0};
        cr_assert_not(adm_event_row_decode(copy + 1, sizeof bytes - 1, &found));
        cr_assert(found.owner == 0 && found.id == 0 && found.order == 0);
        cr_assert(adm_event_row_decode(copy, sizeof bytes, &found));
        cr_assert(found.owner == row.owner && found.id == row.id && found.order == row.order);
        exact_free(copy);
    }
}

Test(event, any_stamp_comes_back_for_no_decision_reads_it_Z3)
{
    static const int64_t stamps[] = {INT64_MIN, -1, 0, 1, 1700000000000000, INT64_MAX};
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++) {
        uint8_t bytes[ADM_EVENT_STAMP];
        adm_event_stamp_encode(stamps[i], bytes);
        uint8_t *copy = exact_copy(bytes, sizeof bytes);
        int64_t found = 42;
        cr_assert_not(adm_event_stamp_decode(copy + 1, sizeof bytes - 1, &found));
        cr_assert(found == 42);
        cr_assert(adm_event_stamp_decode(copy, sizeof bytes, &found));
        cr_assert(found == stamps[i]);
        exact_free(copy);
    }
}

/* Promises of the caller: out of range is a bug there, and ends the process. */

static void encode(struct adm_event event)
{
    uint8_t bytes[ADM_EVENT_RECORD];
    adm_event_encode(&event, bytes);
}

Test(event, a_grant_with_a_reason_is_a_bug, .signal = SIGABRT)
{
    encode((struct adm_event){.type = ADM_EVENT_GRANTED, .reason = ADM_REASON_TIMEOUT});
}

Test(event, a_refusal_without_a_reason_is_a_bug, .signal = SIGABRT)
{
    encode((struct adm_event){.type = ADM_EVENT_REFUSED});
}

Test(event, a_negative_span_is_a_bug, .signal = SIGABRT)
{
    encode((struct adm_event){.type = ADM_EVENT_GRANTED, .span_us = -1});
}

Test(event, an_order_of_what_was_not_admitted_is_a_bug, .signal = SIGABRT)
{
    encode((struct adm_event){.type = ADM_EVENT_SUPERSEDED, .order = 1});
}
