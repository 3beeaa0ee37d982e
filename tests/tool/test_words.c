/* Words and their numbers: kept while used, gone with the last use. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tool/words.h"

TestSuite(words, .timeout = 10);

static struct adm_name word(const char *string)
{
    return (struct adm_name){.bytes = string, .length = (uint8_t)strlen(string)};
}

static struct adm_words fresh(void)
{
    const struct adm_hash_key key = {.bytes = {1}};
    struct adm_words words;
    adm_words_init(&words, &key);
    return words;
}

Test(words, an_id_belongs_to_its_handle)
{
    struct adm_words words = fresh();
    const uint32_t a = adm_words_use_handle(&words, word("a"));
    const uint32_t b = adm_words_use_handle(&words, word("b"));
    const uint32_t ax = adm_words_use_id(&words, a, word("x"));
    const uint32_t bx = adm_words_use_id(&words, b, word("x"));
    cr_expect_neq(a, b);
    cr_expect_neq(ax, bx);
    cr_expect_eq(adm_words_find_id(&words, a, word("x")), ax);
    cr_expect(adm_name_equal(adm_words_id(&words, bx), word("x")));
    cr_expect(adm_name_equal(adm_words_handle(&words, b), word("b")));
    adm_words_release_handle(&words, a);
    adm_words_release_handle(&words, b);
    adm_words_deinit(&words);
}

Test(words, a_word_used_twice_is_there_until_both_uses_are_gone)
{
    struct adm_words words = fresh();
    const uint32_t a = adm_words_use_handle(&words, word("a"));
    const uint32_t x = adm_words_use_id(&words, a, word("x"));
    cr_expect_eq(adm_words_use_id(&words, a, word("x")), x);
    adm_words_release_handle(&words, a);
    adm_words_release_id(&words, x);
    cr_expect_eq(adm_words_find_id(&words, a, word("x")), x);
    cr_expect_eq(adm_words_find_handle(&words, word("a")), a);
    adm_words_release_id(&words, x);
    cr_expect_eq(adm_words_find_handle(&words, word("a")), ADM_WORD_NONE,
                 "its last id is gone");
    adm_words_deinit(&words);
}

Test(words, a_handle_that_goes_takes_its_ids_and_no_others)
{
    struct adm_words words = fresh();
    const uint32_t a = adm_words_use_handle(&words, word("a"));
    const uint32_t b = adm_words_use_handle(&words, word("b"));
    const uint32_t bx = adm_words_use_id(&words, b, word("x"));
    for (int i = 0; i < 1000; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        adm_words_use_id(&words, a, word(id));
    }
    adm_words_release_handle(&words, a);
    adm_words_release_handle(&words, b);
    adm_words_release_ids(&words, a);
    cr_expect_eq(adm_words_find_handle(&words, word("a")), ADM_WORD_NONE);
    cr_expect_eq(adm_words_find_id(&words, b, word("x")), bx);
    cr_expect_eq(words.ids.n_live, 1);
    adm_words_deinit(&words);
}

Test(words, numbers_are_given_out_again_so_that_they_stay_small)
{
    struct adm_words words = fresh();
    for (int i = 0; i < 100000; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i);
        const uint32_t handle = adm_words_use_handle(&words, word(name));
        const uint32_t id = adm_words_use_id(&words, handle, word(name));
        cr_assert(handle == 0 && id == 0, "%u %u", handle, id);
        adm_words_release_handle(&words, handle);
        adm_words_release_id(&words, id);
    }
    adm_words_deinit(&words);
}
