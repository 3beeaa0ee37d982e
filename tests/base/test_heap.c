/* The heap against a plain array that is searched for its least. */
#include <criterion/criterion.h>

#include <signal.h>

#include "base/heap.h"
#include "random.h"

enum {
    N_RECORDS = 400,
    N_OPERATIONS = 60000
};

/* What the records know: where the heap says they stand, and the order they were given. */
struct records {
    uint32_t positions[N_RECORDS];
    uint64_t majors[N_RECORDS];
    uint64_t minors[N_RECORDS];
};

TestSuite(heap, .timeout = 60);

static void place(void *owner, uint32_t number, uint32_t position)
{
    uint32_t *positions = owner;
    positions[number] = position;
}

static struct records *records_new(void)
{
    static struct records records;
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        records.positions[i] = ADM_HEAP_OUT;
    }
    return &records;
}

static void add(struct adm_heap *heap, struct records *records, uint32_t number, uint64_t major,
                uint64_t minor)
{
    records->majors[number] = major;
    records->minors[number] = minor;
    adm_heap_add(heap,
                 (struct adm_heap_entry){.major = major, .minor = minor, .number = number});
}

static bool is_before(const struct records *records, uint32_t a, uint32_t b)
{
    return records->majors[a] < records->majors[b] ||
           (records->majors[a] == records->majors[b] &&
            records->minors[a] < records->minors[b]);
}

/* The least record that is in the heap, by looking at every one; N_RECORDS when none is. */
static uint32_t least(const struct records *records)
{
    uint32_t found = N_RECORDS;
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        if (records->positions[i] != ADM_HEAP_OUT &&
            (found == N_RECORDS || is_before(records, i, found))) {
            found = i;
        }
    }
    return found;
}

static void assert_same(const struct adm_heap *heap, const struct records *records, size_t n)
{
    cr_assert(heap->n == n);
    const struct adm_heap_entry *first = adm_heap_first(heap);
    const uint32_t expected = least(records);
    if (expected == N_RECORDS) {
        cr_assert_null(first);
        return;
    }
    cr_assert_not_null(first);
    cr_assert(first->number == expected, "%u is first, %u is least", first->number, expected);
    cr_assert(first->major == records->majors[expected]);
    cr_assert(first->minor == records->minors[expected]);
}

static void assert_positions(const struct adm_heap *heap, const struct records *records)
{
    size_t n = 0;
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        if (records->positions[i] != ADM_HEAP_OUT) {
            cr_assert(records->positions[i] < heap->n);
            cr_assert(heap->entries[records->positions[i]].number == i);
            n++;
        }
    }
    cr_assert(n == heap->n);
}

/* Adds, removes and reorders at random; majors are few, so that ties are many. */
static void run_random(uint64_t seed, uint32_t n_majors)
{
    struct random random = {.state = seed};
    struct records *records = records_new();
    struct adm_heap heap;
    adm_heap_init(&heap, place, records->positions);
    size_t n = 0;
    for (uint32_t i = 0; i < N_OPERATIONS; i++) {
        const uint32_t number = random_below(&random, N_RECORDS);
        const uint64_t major = random_below(&random, n_majors);
        const uint64_t minor = (uint64_t)i << 12 | number; /* no two are equal */
        if (records->positions[number] == ADM_HEAP_OUT) {
            add(&heap, records, number, major, minor);
            n++;
        } else if (random_chance(&random, i / 5000 % 2 == 0 ? 40 : 70)) {
            adm_heap_remove(&heap, records->positions[number]);
            cr_assert(records->positions[number] == ADM_HEAP_OUT);
            n--;
        } else {
            records->majors[number] = major;
            records->minors[number] = minor;
            adm_heap_reorder(&heap, records->positions[number], major, minor);
        }
        assert_same(&heap, records, n);
        if (i % 500 == 0) {
            assert_positions(&heap, records);
        }
    }
    while (n > 0) {
        assert_same(&heap, records, n--);
        adm_heap_remove(&heap, 0);
    }
    cr_assert_null(adm_heap_first(&heap));
    adm_heap_deinit(&heap);
}

Test(heap, equals_a_searched_array_with_many_ties)
{
    run_random(1, 5);
}

Test(heap, equals_a_searched_array_with_few_ties)
{
    run_random(2, 1000000);
}

Test(heap, equal_majors_come_out_by_their_minors)
{
    struct records *records = records_new();
    struct adm_heap heap;
    adm_heap_init(&heap, place, records->positions);
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        add(&heap, records, i, 7, (i * 37) % N_RECORDS);
    }
    for (uint64_t minor = 0; minor < N_RECORDS; minor++) {
        cr_assert(adm_heap_first(&heap)->minor == minor);
        adm_heap_remove(&heap, 0);
    }
    adm_heap_deinit(&heap);
}

Test(heap, gives_memory_back_as_it_empties)
{
    static uint32_t positions[10000];
    struct adm_heap heap;
    adm_heap_init(&heap, place, positions);
    cr_assert(adm_heap_bytes(&heap) == 0);
    for (uint32_t i = 0; i < 10000; i++) {
        adm_heap_add(&heap, (struct adm_heap_entry){.major = i * 7919 % 10000, .number = i});
    }
    const size_t full = adm_heap_bytes(&heap);
    cr_assert(full >= 10000 * sizeof(struct adm_heap_entry));
    for (uint32_t i = 0; i < 10000; i++) {
        cr_assert(adm_heap_first(&heap)->major == i);
        adm_heap_remove(&heap, 0);
    }
    cr_assert(adm_heap_bytes(&heap) < full / 50, "%zu of %zu bytes", adm_heap_bytes(&heap),
              full);
    adm_heap_deinit(&heap);
}

Test(heap, orders_are_unsigned_and_may_be_as_large_as_they_get)
{
    struct records *records = records_new();
    struct adm_heap heap;
    adm_heap_init(&heap, place, records->positions);
    add(&heap, records, 0, UINT64_MAX, UINT64_MAX);
    add(&heap, records, 1, UINT64_MAX, 0);
    add(&heap, records, 2, 0, UINT64_MAX);
    cr_assert(adm_heap_first(&heap)->number == 2);
    adm_heap_remove(&heap, records->positions[2]);
    cr_assert(adm_heap_first(&heap)->number == 1);
    adm_heap_remove(&heap, records->positions[1]);
    cr_assert(adm_heap_first(&heap)->number == 0);
    adm_heap_deinit(&heap);
}

Test(heap, removing_what_has_no_position_is_a_bug, .signal = SIGABRT)
{
    struct records *records = records_new();
    struct adm_heap heap;
    adm_heap_init(&heap, place, records->positions);
    add(&heap, records, 0, 1, 1);
    adm_heap_remove(&heap, ADM_HEAP_OUT);
}
