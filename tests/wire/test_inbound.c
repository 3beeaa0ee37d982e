/* What travels to the actor: every record comes back as it was, and nothing else comes in. */
#include <criterion/criterion.h>
#include <signal.h>

#include "describe.h"
#include "exact.h"
#include "samples.h"

enum {
    N_SAMPLES = 6000,
    N_FLIPPED = 300
};

/* The ops by their numbers, as docs/messages.md gives them. */
enum {
    TICKET,
    LISTENER,
    LEAVE,
    LEAVE_PRINCIPAL,
    CANCEL,
    LIVE,
    DOWN,
    LIMITS,
    PROVIDER,
    COOLDOWN,
    CLOSE,
    OPEN,
    STATS,
    HAS_PROVIDER,
    END
};

static const bool needs_name[SAMPLE_KINDS] = {
    [LISTENER] = true, [LEAVE_PRINCIPAL] = true, [LIVE] = true,
    [PROVIDER] = true, [COOLDOWN] = true,        [HAS_PROVIDER] = true,
};

TestSuite(inbound, .timeout = 60);

static uint8_t tag(unsigned op)
{
    return (uint8_t)(ADM_WIRE_VERSION << 5 | op);
}

static struct adm_name name_of(const char *string)
{
    return (struct adm_name){.bytes = string, .length = (uint8_t)strlen(string)};
}

static struct adm_inbound step(struct adm_request request)
{
    return (struct adm_inbound){.type = ADM_INBOUND_STEP, .request = request};
}

static struct adm_inbound listener(const char *principal, uint32_t max)
{
    return step((struct adm_request){.type = ADM_REQUEST_LISTENER,
                                     .handle = 3,
                                     .id = 41,
                                     .of.listener.principal = name_of(principal),
                                     .of.listener.max = max});
}

static size_t encoded_size(struct adm_inbound inbound)
{
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    return adm_inbound_encode(&inbound, bytes);
}

/* Decodes from an exact block. A refusal leaves the output untouched; what is read encodes to
 * the same bytes again, so it is in range: the encoder asserts it. Returns the length. */
static size_t decode_exactly(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = exact_copy(bytes, size);
    struct adm_inbound inbound;
    struct adm_inbound untouched;
    memset(&inbound, 0xa5, sizeof inbound);
    memset(&untouched, 0xa5, sizeof untouched);
    const size_t length = adm_inbound_decode(copy, size, &inbound);
    if (length == 0) {
        cr_assert_arr_eq(&inbound, &untouched, sizeof inbound);
    } else {
        uint8_t again[ADM_WIRE_INBOUND_MAX];
        cr_assert(length <= size);
        cr_assert(adm_inbound_encode(&inbound, again) == length);
        cr_assert_arr_eq(again, bytes, length);
    }
    exact_free(copy);
    return length;
}

static void assert_comes_back(const struct adm_inbound *inbound)
{
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    const size_t size = adm_inbound_encode(inbound, bytes);
    cr_assert(size >= ADM_WIRE_HEAD && size <= ADM_WIRE_INBOUND_MAX);
    cr_assert(decode_exactly(bytes, size) == size);

    struct adm_inbound found;
    cr_assert(adm_inbound_decode(bytes, sizeof bytes, &found) == size, "more may follow");
    char *before = describe_inbound(inbound);
    char *after = describe_inbound(&found);
    cr_assert_str_eq(after, before);
    free(before);
    free(after);
}

Test(inbound, every_record_comes_back_as_it_was)
{
    struct random random = {.state = 1};
    struct sample sample;
    for (unsigned i = 0; i < N_SAMPLES; i++) {
        sample_inbound(&random, i % SAMPLE_KINDS, &sample);
        assert_comes_back(&sample.inbound);
    }
}

Test(inbound, every_truncation_is_refused)
{
    struct random random = {.state = 2};
    struct sample sample;
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    for (unsigned i = 0; i < N_FLIPPED; i++) {
        sample_inbound(&random, i % SAMPLE_KINDS, &sample);
        const size_t size = adm_inbound_encode(&sample.inbound, bytes);
        for (size_t cut = 0; cut < size; cut++) {
            cr_assert(decode_exactly(bytes, cut) == 0, "%zu of %zu bytes", cut, size);
        }
    }
}

Test(inbound, a_flipped_bit_is_refused_or_in_range)
{
    struct random random = {.state = 3};
    struct sample sample;
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    unsigned n_refused = 0;
    unsigned n_read = 0;
    for (unsigned i = 0; i < N_FLIPPED; i++) {
        sample_inbound(&random, i % SAMPLE_KINDS, &sample);
        const size_t size = adm_inbound_encode(&sample.inbound, bytes);
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (decode_exactly(bytes, size) == 0) {
                n_refused++;
            } else {
                n_read++;
            }
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    cr_assert(n_refused > 5000 && n_read > 5000, "%u and %u", n_refused, n_read);
}

Test(inbound, random_bytes_are_refused_or_in_range)
{
    struct random random = {.state = 4};
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    unsigned n_read = 0;
    for (unsigned i = 0; i < 20000; i++) {
        for (size_t at = 0; at < sizeof bytes; at++) {
            bytes[at] = (uint8_t)random_next(&random);
        }
        bytes[0] = tag(random_below(&random, SAMPLE_KINDS));
        bytes[1] &= 3;
        bytes[2] = (uint8_t)random_below(&random, 20);
        bytes[3] = random_chance(&random, 50) ? 0 : bytes[3];
        n_read += decode_exactly(bytes, random_below(&random, sizeof bytes)) > 0;
    }
    cr_assert(n_read > 1000, "%u", n_read);
}

Test(inbound, the_common_records_need_no_malloc_in_libzmq)
{
    const struct adm_inbound leave =
        step((struct adm_request){.type = ADM_REQUEST_LEAVE, .id = 41});
    const struct adm_inbound cancel =
        step((struct adm_request){.type = ADM_REQUEST_CANCEL, .id = 41});
    const struct adm_inbound down = step((struct adm_request){.type = ADM_REQUEST_DOWN});
    struct adm_inbound refusing = listener("seventeen bytes..", ADM_MAX_DEFAULT);
    refusing.request.of.listener.refuse_when_full = true;
    cr_assert(encoded_size(listener("seventeen bytes..", ADM_MAX_DEFAULT)) == 33);
    cr_assert(encoded_size(refusing) == 33);
    cr_assert(encoded_size(listener("thirteen byte", 4)) == 33);
    cr_assert(encoded_size(leave) == 16);
    cr_assert(encoded_size(cancel) == 16);
    cr_assert(encoded_size(down) == 16);
}

Test(inbound, the_longest_record_is_within_its_promise)
{
    char name[ADM_NAME_MAX];
    memset(name, 'n', sizeof name);
    const struct adm_name longest = {.bytes = name, .length = sizeof name};
    const size_t size = encoded_size(
        step((struct adm_request){.type = ADM_REQUEST_TICKET,
                                  .of.ticket = {.provider = longest,
                                                .key = longest,
                                                .timeout_us = ADM_NEVER,
                                                .attempt_timeout_us = ADM_NEVER}}));
    cr_assert(size == 16 + 8 + 8 + 255 + 255);
    cr_assert(size <= ADM_WIRE_INBOUND_MAX);
}

/* A LEAVE is nothing but a head: what is changed in it is what is refused. */
static size_t decode_leave_with(size_t at, uint8_t byte)
{
    uint8_t bytes[ADM_WIRE_HEAD];
    const struct adm_inbound leave =
        step((struct adm_request){.type = ADM_REQUEST_LEAVE, .handle = 3, .id = 41});
    adm_inbound_encode(&leave, bytes);
    bytes[at] = byte;
    return decode_exactly(bytes, sizeof bytes);
}

Test(inbound, an_unknown_version_or_op_is_refused)
{
    for (unsigned first = 0; first < 256; first++) {
        const unsigned version = first >> 5;
        const unsigned op = first & 31;
        const bool is_a_bare_head = op <= END && !needs_name[op];
        const bool is_read = version == ADM_WIRE_VERSION && is_a_bare_head;
        cr_assert((decode_leave_with(0, (uint8_t)first) == ADM_WIRE_HEAD) == is_read,
                  "version %u, op %u", version, op);
    }
}

Test(inbound, a_name_where_there_is_none_is_refused)
{
    uint8_t bytes[ADM_WIRE_HEAD + 1] = {tag(LEAVE), 0, 1, 0, [ADM_WIRE_HEAD] = 'n'};
    cr_assert(decode_exactly(bytes, sizeof bytes) == 0, "a first name");
    bytes[2] = 0;
    bytes[3] = 1;
    cr_assert(decode_exactly(bytes, sizeof bytes) == 0, "a second name");
}

Test(inbound, an_unknown_flag_is_refused)
{
    static const uint8_t allowed[SAMPLE_KINDS] = {
        [TICKET] = 3,   [LISTENER] = 3, [DOWN] = 1,  [LIMITS] = 63,
        [PROVIDER] = 7, [COOLDOWN] = 1, [CLOSE] = 1,
    };
    for (unsigned op = 0; op < SAMPLE_KINDS; op++) {
        for (unsigned flags = 0; flags < 256; flags++) {
            uint8_t bytes[ADM_WIRE_HEAD + 64];
            memset(bytes, 1, sizeof bytes);
            bytes[0] = tag(op);
            bytes[1] = (uint8_t)flags;
            bytes[2] = needs_name[op];
            bytes[3] = 0;
            const bool is_allowed = (flags & ~(unsigned)allowed[op]) == 0;
            cr_assert((decode_exactly(bytes, sizeof bytes) > 0) == is_allowed,
                      "op %u, flags %u", op, flags);
        }
    }
}

/* A record of one number and perhaps a name of one byte. */
static bool is_read_with(uint8_t op, uint8_t flags, const char *number, size_t width)
{
    uint8_t bytes[ADM_WIRE_HEAD + 9] = {tag(op), flags, needs_name[op]};
    memcpy(bytes + ADM_WIRE_HEAD, number, width);
    bytes[ADM_WIRE_HEAD + width] = 'n';
    const size_t size = ADM_WIRE_HEAD + width + needs_name[op];
    return decode_exactly(bytes, size) == size;
}

#define ZERO_32 "\0\0\0\0"
#define ONE_32 "\1\0\0\0"
#define LARGEST_32 "\xfe\xff\xff\xff"
#define NO_LIMIT_32 "\xff\xff\xff\xff"
#define ZERO_64 "\0\0\0\0\0\0\0\0"
#define ONE_64 "\1\0\0\0\0\0\0\0"
#define NEVER_64 "\xff\xff\xff\xff\xff\xff\xff\x7f"
#define NEGATIVE_64 "\0\0\0\0\0\0\0\x80"

Test(inbound, a_duration_is_from_0_to_never)
{
    static const struct {
        uint8_t op;
        uint8_t flag;
        bool can_be_0; /* else 0 is said by leaving it out */
    } durations[] = {
        {.op = TICKET, .flag = 1, .can_be_0 = true},
        {.op = TICKET, .flag = 2},
        {.op = LIMITS, .flag = ADM_LIMIT_MIN_INTERVAL, .can_be_0 = true},
        {.op = LIMITS, .flag = ADM_LIMIT_ADMISSION_TIMEOUT, .can_be_0 = true},
        {.op = PROVIDER, .flag = ADM_LIMIT_MIN_INTERVAL, .can_be_0 = true},
        {.op = COOLDOWN, .flag = 1},
        {.op = CLOSE, .flag = 1},
    };
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        const uint8_t op = durations[i].op;
        const uint8_t flag = durations[i].flag;
        cr_assert(is_read_with(op, flag, ZERO_64, 8) == durations[i].can_be_0, "op %u", op);
        cr_assert(is_read_with(op, flag, ONE_64, 8), "op %u", op);
        cr_assert(is_read_with(op, flag, NEVER_64, 8), "op %u", op);
        cr_assert_not(is_read_with(op, flag, NEGATIVE_64, 8), "op %u", op);
    }
}

Test(inbound, a_count_that_has_to_be_a_limit_is_from_1_to_4294967294)
{
    static const struct {
        uint8_t op;
        uint8_t flag;
        bool can_be_anything;
    } counts[] = {
        {.op = LISTENER, .flag = 1},
        {.op = LIMITS, .flag = ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL},
        {.op = LIMITS, .flag = ADM_LIMIT_MAX_CONCURRENT, .can_be_anything = true},
        {.op = LIMITS, .flag = ADM_LIMIT_QUEUE_CAPACITY, .can_be_anything = true},
        {.op = LIMITS, .flag = ADM_LIMIT_MAX_LISTENERS, .can_be_anything = true},
        {.op = PROVIDER, .flag = ADM_LIMIT_MAX_CONCURRENT, .can_be_anything = true},
        {.op = PROVIDER, .flag = ADM_LIMIT_QUEUE_CAPACITY, .can_be_anything = true},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint8_t op = counts[i].op;
        const uint8_t flag = counts[i].flag;
        const bool can_be_anything = counts[i].can_be_anything;
        cr_assert(is_read_with(op, flag, ZERO_32, 4) == can_be_anything, "op %u", op);
        cr_assert(is_read_with(op, flag, ONE_32, 4), "op %u", op);
        cr_assert(is_read_with(op, flag, LARGEST_32, 4), "op %u", op);
        cr_assert(is_read_with(op, flag, NO_LIMIT_32, 4) == can_be_anything, "op %u", op);
    }
}

Test(inbound, a_name_with_a_nul_byte_is_refused)
{
    struct random random = {.state = 5};
    struct sample sample;
    uint8_t bytes[ADM_WIRE_INBOUND_MAX];
    unsigned n_named = 0;
    for (unsigned i = 0; i < N_FLIPPED; i++) {
        sample_inbound(&random, i % SAMPLE_KINDS, &sample);
        const size_t size = adm_inbound_encode(&sample.inbound, bytes);
        const size_t names = (size_t)bytes[2] + bytes[3];
        for (size_t at = size - names; at < size; at++) {
            const uint8_t byte = bytes[at];
            bytes[at] = 0;
            cr_assert(decode_exactly(bytes, size) == 0, "byte %zu of %zu", at, size);
            bytes[at] = byte;
        }
        n_named += names > 0;
    }
    cr_assert(n_named > N_FLIPPED / 4, "%u", n_named);
}

/* Promises of the caller: out of range is a bug there, and ends the process. */

Test(inbound, a_max_that_is_no_limit_is_a_bug, .signal = SIGABRT)
{
    encoded_size(listener("alice", ADM_NO_LIMIT));
}

Test(inbound, a_listener_without_a_principal_is_a_bug, .signal = SIGABRT)
{
    encoded_size(listener("", ADM_MAX_DEFAULT));
}

Test(inbound, a_name_with_a_nul_byte_is_a_bug, .signal = SIGABRT)
{
    const struct adm_name name = {.bytes = "a\0b", .length = 3};
    encoded_size(step((struct adm_request){.type = ADM_REQUEST_LIVE, .of.principal = name}));
}

Test(inbound, a_negative_duration_is_a_bug, .signal = SIGABRT)
{
    encoded_size((struct adm_inbound){.type = ADM_INBOUND_CLOSE, .drain_us = -1});
}

Test(inbound, an_unknown_limit_is_a_bug, .signal = SIGABRT)
{
    encoded_size(step((struct adm_request){.type = ADM_REQUEST_LIMITS,
                                           .of.limits.named = ADM_LIMIT_ALL + 1}));
}

Test(inbound, a_close_as_a_step_is_a_bug, .signal = SIGABRT)
{
    encoded_size(step((struct adm_request){.type = ADM_REQUEST_CLOSE}));
}
