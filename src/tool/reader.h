/* The words of one line, one after the other, and what is wrong with the first bad one.
 *
 * Words are separated by blanks and tabs; one that begins with # starts a comment. Each
 * function that can fail writes one line of printable ASCII to `error` and returns false. */
#ifndef ADM_TOOL_READER_H
#define ADM_TOOL_READER_H

#include <stdbool.h>

#include "base/name.h"
#include "tool/values.h"

enum {
    ADM_READER_ERROR_MAX = 320
};

struct adm_reader {
    struct adm_text rest;
    char *error; /* room for ADM_READER_ERROR_MAX bytes */
};

/* The next word; of length 0 at the end of the line. */
struct adm_text adm_reader_word(struct adm_reader *reader);

/* Is the line at its end? If not, that is an error. */
bool adm_reader_end(struct adm_reader *reader);

/* A word as a HANDLE or an ID; `what` says which. */
bool adm_reader_label(struct adm_reader *reader, const char *what, struct adm_text word,
                      struct adm_name *label);

/* A word as the name of a provider. */
bool adm_reader_provider(struct adm_reader *reader, struct adm_text word,
                         struct adm_name *provider);

/* What is no word of a line - a field of a log, an argument - as a name that a line can have:
 * it has neither blanks nor control bytes. `what` says of what; one of length 0 is the absent
 * name. A provider's also is what adm_reader_provider() takes, and begins with no #. */
bool adm_reader_field(struct adm_reader *reader, const char *what, struct adm_text field,
                      struct adm_name *name);
bool adm_reader_provider_field(struct adm_reader *reader, struct adm_text field,
                               struct adm_name *provider);

/* A text of at most ADM_NAME_MAX bytes as a name; a longer one is too long. */
struct adm_name adm_text_name(struct adm_text text);
bool adm_text_is_too_long(struct adm_text text);

#define ADM_READER_TOO_LONG "longer than 255 bytes"

/* Fails with a message: `WORD: what is wrong` - of a long word its start - or free text. */
bool adm_reader_fail_at(struct adm_reader *reader, struct adm_text word, const char *form, ...)
    __attribute__((format(printf, 3, 4)));
bool adm_reader_fail(struct adm_reader *reader, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

#endif
