/* Bytes on their way out: added at the end, taken at the front. Zeroed, it is empty and owns
 * nothing; emptied by taking, it gives its memory back, for most streams are idle. */
#ifndef ADM_SERVE_SPOOL_H
#define ADM_SERVE_SPOOL_H

#include <stddef.h>

#include "tool/values.h"

/* What is not taken yet is `bytes` from `taken` to `n`. */
struct adm_spool {
    char *bytes;
    size_t n;
    size_t taken;
    size_t room;
};

void adm_spool_deinit(struct adm_spool *spool);

void adm_spool_add(struct adm_spool *spool, const void *bytes, size_t n);
void adm_spool_add_text(struct adm_spool *spool, const char *text);
void adm_spool_print(struct adm_spool *spool, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes at most `room` bytes; returns how many. */
size_t adm_spool_take(struct adm_spool *spool, char *bytes, size_t room);

/* Drops what comes behind the next `mark`, which is there, and gives its memory back. */
void adm_spool_cut(struct adm_spool *spool, const char *mark);

size_t adm_spool_length(const struct adm_spool *spool);

/* All that is in it, until something is added or taken. Its bytes are never NULL. */
struct adm_text adm_spool_text(const struct adm_spool *spool);

/* All that is in it as a string, to free(); the spool is empty then. */
char *adm_spool_string(struct adm_spool *spool);

#endif
