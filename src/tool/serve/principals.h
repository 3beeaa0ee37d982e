/* Who may come in: principals, and the tokens by which they are known.
 *
 * Tokens are kept as keyed hashes and compared in constant time: neither how long a wrong one
 * is nor how much of it is right can be measured. */
#ifndef ADM_SERVE_PRINCIPALS_H
#define ADM_SERVE_PRINCIPALS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "tool/values.h"

struct adm_stream;

TAILQ_HEAD(adm_streams_in_order, adm_stream);

/* One principal, for as long as the server runs, with its streams, oldest first: those that are
 * live, and those that have ended and are not yet at the end of their response. */
struct adm_principal {
    char *name;
    struct adm_streams_in_order live;
    struct adm_streams_in_order ended;
    size_t n_ended;
};

/* 1 to 255 bytes of UTF-8, without blanks and control characters: a principal is shown in JSON,
 * and is one word of a line. */
#define ADM_PRINCIPAL_RULE "a principal has 1 to 255 bytes of UTF-8, without blanks"
bool adm_principal_is_name(struct adm_text name);

struct adm_principals;

struct adm_principals *adm_principals_new(void);
void adm_principals_destroy(struct adm_principals **principals);

/* The principal of that name, which keeps the rule, and is added when it is not there. */
struct adm_principal *adm_principals_named(struct adm_principals *principals, const char *name);

/* False when the token is known already. */
bool adm_principals_add(struct adm_principals *principals, const char *token, const char *name);

/* Reads a file of `TOKEN PRINCIPAL` lines; `#` begins a comment. Says what is wrong on standard
 * error, without a token, and returns false. A file that others can read is wrong. */
bool adm_principals_load(struct adm_principals *principals, const char *path);

/* Whose token is it? NULL: nobody's. */
struct adm_principal *adm_principals_find(const struct adm_principals *principals,
                                          struct adm_text token);

#endif
