/* Names: borrowed and kept ones, on both sides of the length that fits inside a record. */
#include <criterion/criterion.h>

#include <string.h>

#include "base/name.h"

TestSuite(name, .timeout = 10);

static struct adm_name borrow(const char *bytes, size_t length)
{
    return (struct adm_name){.bytes = bytes, .length = (uint8_t)length};
}

Test(name, none_is_the_name_of_no_length)
{
    cr_assert(adm_name_is_none(adm_name_none()));
    cr_assert(adm_name_equal(adm_name_none(), adm_name_none()));
    cr_assert_not(adm_name_is_none(borrow("a", 1)));
    cr_assert_not(adm_name_equal(adm_name_none(), borrow("a", 1)));
}

Test(name, equal_names_have_the_same_bytes_wherever_they_lie)
{
    char here[] = "search";
    char there[] = "search";
    cr_assert(adm_name_equal(borrow(here, 6), borrow(there, 6)));
    there[5] = 'x';
    cr_assert_not(adm_name_equal(borrow(here, 6), borrow(there, 6)));
}

Test(name, a_beginning_is_another_name)
{
    cr_assert_not(adm_name_equal(borrow("search", 5), borrow("search", 6)));
    cr_assert_not(adm_name_equal(borrow("search", 6), borrow("search", 5)));
}

Test(name, bytes_past_the_length_do_not_count)
{
    cr_assert(adm_name_equal(borrow("searching", 6), borrow("searched", 6)));
}

Test(name, any_byte_is_part_of_a_name)
{
    cr_assert(adm_name_equal(borrow("\xff\x01=:", 4), borrow("\xff\x01=:", 4)));
    cr_assert_not(adm_name_equal(borrow("\xff\x01", 2), borrow("\xff\x02", 2)));
}

Test(name, a_kept_name_of_every_length_outlives_what_it_was_made_from)
{
    for (size_t length = 0; length <= ADM_NAME_MAX; length++) {
        char bytes[ADM_NAME_MAX];
        char expected[ADM_NAME_MAX];
        for (size_t i = 0; i < length; i++) {
            expected[i] = bytes[i] = (char)(1 + (i * 7 + length) % 255);
        }
        struct adm_owned_name owned;
        adm_owned_name_init(&owned, borrow(bytes, length));
        memset(bytes, 'x', sizeof bytes);
        const struct adm_name view = adm_owned_name_view(&owned);
        cr_assert(view.length == length);
        cr_assert(adm_name_equal(view, borrow(expected, length)), "length %zu", length);
        adm_owned_name_deinit(&owned);
    }
}

static bool is_inside(const struct adm_owned_name *owned)
{
    const uintptr_t bytes = (uintptr_t)adm_owned_name_view(owned).bytes;
    return bytes >= (uintptr_t)owned && bytes < (uintptr_t)(owned + 1);
}

Test(name, a_common_name_lies_inside_its_record)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    struct adm_owned_name owned;
    adm_owned_name_init(&owned, borrow(letters, ADM_NAME_INLINE));
    cr_assert(is_inside(&owned));
    adm_owned_name_deinit(&owned);

    adm_owned_name_init(&owned, borrow(letters, ADM_NAME_INLINE + 1));
    cr_assert_not(is_inside(&owned));
    adm_owned_name_deinit(&owned);
}

Test(name, a_name_that_has_ended_can_end_again)
{
    char bytes[100];
    memset(bytes, 'n', sizeof bytes);
    struct adm_owned_name owned;
    adm_owned_name_init(&owned, borrow(bytes, sizeof bytes));
    adm_owned_name_deinit(&owned);
    adm_owned_name_deinit(&owned);
    cr_assert(adm_name_is_none(adm_owned_name_view(&owned)));
}
