/* HANDLE and ID words to numbers and back: a trace has words, the machine has numbers.
 *
 * A word is kept as long as it is used - an id by the ticket or listener it names and by the
 * line in hand, a handle by its ids and by that line - so memory is bounded by what is alive,
 * not by the length of the trace. */
#ifndef ADM_TOOL_WORDS_H
#define ADM_TOOL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/name.h"
#include "base/pool.h"
#include "base/table.h"

/* No word has this number. */
#define ADM_WORD_NONE ADM_POOL_NONE

/* Invariant: every word here has at least one use; a handle's uses are at least its ids. */
struct adm_words {
    struct adm_hash_key key;
    struct adm_pool handles;
    struct adm_table handle_of;
    uint32_t first_handle;
    struct adm_pool ids;
    struct adm_table id_of;
};

void adm_words_init(struct adm_words *words, const struct adm_hash_key *key);
void adm_words_deinit(struct adm_words *words);

/* The number of a word that is there; ADM_WORD_NONE when it is not. */
uint32_t adm_words_find_handle(const struct adm_words *words, struct adm_name word);
uint32_t adm_words_find_id(const struct adm_words *words, uint32_t handle,
                           struct adm_name word);

/* The number of a word, new or not, with one use more. */
uint32_t adm_words_use_handle(struct adm_words *words, struct adm_name word);
uint32_t adm_words_use_id(struct adm_words *words, uint32_t handle, struct adm_name word);

/* One use less; with the last one the word is gone and its number is free. */
void adm_words_release_handle(struct adm_words *words, uint32_t handle);
void adm_words_release_id(struct adm_words *words, uint32_t id);

/* Drops all ids of a handle, whatever their uses. */
void adm_words_release_ids(struct adm_words *words, uint32_t handle);

/* The words again; borrowed until they are gone. */
struct adm_name adm_words_handle(const struct adm_words *words, uint32_t handle);
struct adm_name adm_words_id(const struct adm_words *words, uint32_t id);

#endif
