/* See tool/words.h. Two kinds of records in pools, found by tables; those of one handle are in
 * a list, so that a handle that goes takes its ids with it. It does not know why a word is
 * used. */
#include "tool/words.h"

#include "base/assert.h"

struct handle_word {
    struct adm_owned_name word;
    uint32_t hash;
    uint32_t uses;
    uint32_t first_id;
    uint32_t before; /* in the list of all handles */
    uint32_t after;
};

struct id_word {
    struct adm_owned_name word;
    uint32_t hash;
    uint32_t uses;
    uint32_t handle;
    uint32_t before; /* in the list of its handle's ids */
    uint32_t after;
};

static struct handle_word *handle_at(const struct adm_words *words, uint32_t number)
{
    return adm_pool_at(&words->handles, number);
}

static struct id_word *id_at(const struct adm_words *words, uint32_t number)
{
    return adm_pool_at(&words->ids, number);
}

void adm_words_init(struct adm_words *words, const struct adm_hash_key *key)
{
    *words = (struct adm_words){.key = *key, .first_handle = ADM_WORD_NONE};
    adm_pool_init(&words->handles, sizeof(struct handle_word));
    adm_pool_init(&words->ids, sizeof(struct id_word));
}

void adm_words_deinit(struct adm_words *words)
{
    while (words->first_handle != ADM_WORD_NONE) {
        adm_words_release_ids(words, words->first_handle);
    }
    adm_table_deinit(&words->handle_of);
    adm_table_deinit(&words->id_of);
    adm_pool_deinit(&words->handles);
    adm_pool_deinit(&words->ids);
}

static uint32_t hash_id(const struct adm_words *words, uint32_t handle, struct adm_name word)
{
    return adm_hash_name(&words->key, word) ^ adm_hash_number(&words->key, handle);
}

static uint32_t find_handle(const struct adm_words *words, uint32_t hash, struct adm_name word)
{
    struct adm_table_walk walk;
    uint32_t number = adm_table_first(&words->handle_of, hash, &walk);
    while (number != ADM_TABLE_NONE && !adm_name_equal(adm_words_handle(words, number), word)) {
        number = adm_table_next(&words->handle_of, &walk);
    }
    return number;
}

static uint32_t find_id(const struct adm_words *words, uint32_t hash, uint32_t handle,
                        struct adm_name word)
{
    struct adm_table_walk walk;
    uint32_t number = adm_table_first(&words->id_of, hash, &walk);
    while (number != ADM_TABLE_NONE && (id_at(words, number)->handle != handle ||
                                        !adm_name_equal(adm_words_id(words, number), word))) {
        number = adm_table_next(&words->id_of, &walk);
    }
    return number;
}

uint32_t adm_words_find_handle(const struct adm_words *words, struct adm_name word)
{
    return find_handle(words, adm_hash_name(&words->key, word), word);
}

uint32_t adm_words_find_id(const struct adm_words *words, uint32_t handle, struct adm_name word)
{
    return find_id(words, hash_id(words, handle, word), handle, word);
}

static uint32_t add_handle(struct adm_words *words, uint32_t hash, struct adm_name word)
{
    const uint32_t number = adm_pool_take(&words->handles);
    struct handle_word *handle = handle_at(words, number);
    *handle = (struct handle_word){
        .hash = hash,
        .first_id = ADM_WORD_NONE,
        .before = ADM_WORD_NONE,
        .after = words->first_handle,
    };
    adm_owned_name_init(&handle->word, word);
    if (words->first_handle != ADM_WORD_NONE) {
        handle_at(words, words->first_handle)->before = number;
    }
    words->first_handle = number;
    adm_table_add(&words->handle_of, hash, number);
    return number;
}

uint32_t adm_words_use_handle(struct adm_words *words, struct adm_name word)
{
    const uint32_t hash = adm_hash_name(&words->key, word);
    uint32_t number = find_handle(words, hash, word);
    if (number == ADM_WORD_NONE) {
        number = add_handle(words, hash, word);
    }
    handle_at(words, number)->uses++;
    return number;
}

static uint32_t add_id(struct adm_words *words, uint32_t hash, uint32_t handle,
                       struct adm_name word)
{
    struct handle_word *owner = handle_at(words, handle);
    const uint32_t number = adm_pool_take(&words->ids);
    struct id_word *id = id_at(words, number);
    *id = (struct id_word){
        .hash = hash,
        .handle = handle,
        .before = ADM_WORD_NONE,
        .after = owner->first_id,
    };
    adm_owned_name_init(&id->word, word);
    if (owner->first_id != ADM_WORD_NONE) {
        id_at(words, owner->first_id)->before = number;
    }
    owner->first_id = number;
    owner->uses++;
    adm_table_add(&words->id_of, hash, number);
    return number;
}

uint32_t adm_words_use_id(struct adm_words *words, uint32_t handle, struct adm_name word)
{
    const uint32_t hash = hash_id(words, handle, word);
    uint32_t number = find_id(words, hash, handle, word);
    if (number == ADM_WORD_NONE) {
        number = add_id(words, hash, handle, word);
    }
    id_at(words, number)->uses++;
    return number;
}

void adm_words_release_handle(struct adm_words *words, uint32_t number)
{
    struct handle_word *handle = handle_at(words, number);
    ADM_ASSERT(handle->uses > 0);
    if (--handle->uses > 0) {
        return;
    }
    if (handle->before != ADM_WORD_NONE) {
        handle_at(words, handle->before)->after = handle->after;
    } else {
        words->first_handle = handle->after;
    }
    if (handle->after != ADM_WORD_NONE) {
        handle_at(words, handle->after)->before = handle->before;
    }
    adm_table_remove(&words->handle_of, handle->hash, number);
    adm_owned_name_deinit(&handle->word);
    adm_pool_return(&words->handles, number);
}

static void drop_id(struct adm_words *words, uint32_t number)
{
    struct id_word *id = id_at(words, number);
    const uint32_t handle = id->handle;
    if (id->before != ADM_WORD_NONE) {
        id_at(words, id->before)->after = id->after;
    } else {
        handle_at(words, handle)->first_id = id->after;
    }
    if (id->after != ADM_WORD_NONE) {
        id_at(words, id->after)->before = id->before;
    }
    adm_table_remove(&words->id_of, id->hash, number);
    adm_owned_name_deinit(&id->word);
    adm_pool_return(&words->ids, number);
    adm_words_release_handle(words, handle);
}

void adm_words_release_id(struct adm_words *words, uint32_t number)
{
    struct id_word *id = id_at(words, number);
    ADM_ASSERT(id->uses > 0);
    if (--id->uses == 0) {
        drop_id(words, number);
    }
}

void adm_words_release_ids(struct adm_words *words, uint32_t handle)
{
    uint32_t number = handle_at(words, handle)->first_id;
    while (number != ADM_WORD_NONE) {
        const uint32_t after = id_at(words, number)->after;
        drop_id(words, number);
        number = after;
    }
}

struct adm_name adm_words_handle(const struct adm_words *words, uint32_t handle)
{
    return adm_owned_name_view(&handle_at(words, handle)->word);
}

struct adm_name adm_words_id(const struct adm_words *words, uint32_t id)
{
    return adm_owned_name_view(&id_at(words, id)->word);
}
