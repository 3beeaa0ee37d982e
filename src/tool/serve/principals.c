/* See tool/serve/principals.h. The table only grows: a principal outlives every request that
 * was made in its name. */
#include "tool/serve/principals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>
#include <sodium.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/name.h"
#include "tool/command.h"

struct token {
    unsigned char hash[crypto_generichash_BYTES];
    struct adm_principal *principal;
};

struct adm_principals {
    unsigned char key[crypto_generichash_KEYBYTES];
    struct adm_principal **principals;
    size_t n_principals;
    size_t principal_room;
    struct token *tokens;
    size_t n_tokens;
    size_t token_room;
};

bool adm_principal_is_name(struct adm_text name)
{
    if (name.length == 0 || name.length > ADM_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.length; i++) {
        const unsigned char byte = (unsigned char)name.bytes[i];
        if (byte <= ' ' || byte == 0x7f) {
            return false;
        }
    }
    json_t *string = json_stringn(name.bytes, name.length); /* NULL: it is no UTF-8 */
    json_decref(string);
    return string != NULL;
}

struct adm_principals *adm_principals_new(void)
{
    ADM_ASSERT(sodium_init() != -1);
    struct adm_principals *principals = adm_memory_new(1, sizeof *principals);
    crypto_generichash_keygen(principals->key);
    return principals;
}

void adm_principals_destroy(struct adm_principals **at)
{
    struct adm_principals *principals = *at;
    *at = NULL;
    for (size_t i = 0; i < principals->n_principals; i++) {
        ADM_ASSERT(TAILQ_EMPTY(&principals->principals[i]->live));
        ADM_ASSERT(TAILQ_EMPTY(&principals->principals[i]->ended));
        free(principals->principals[i]->name);
        free(principals->principals[i]);
    }
    free(principals->principals);
    free(principals->tokens);
    free(principals);
}

struct adm_principal *adm_principals_named(struct adm_principals *principals, const char *name)
{
    for (size_t i = 0; i < principals->n_principals; i++) {
        if (strcmp(principals->principals[i]->name, name) == 0) {
            return principals->principals[i];
        }
    }
    struct adm_principal *principal = adm_memory_new(1, sizeof *principal);
    principal->name = adm_text_copy(adm_text_of(name));
    TAILQ_INIT(&principal->live);
    TAILQ_INIT(&principal->ended);
    principals->principals =
        adm_memory_reserve(principals->principals, &principals->principal_room,
                           principals->n_principals + 1, sizeof *principals->principals);
    principals->principals[principals->n_principals++] = principal;
    return principal;
}

static void hash_token(const struct adm_principals *principals, struct adm_text token,
                       unsigned char *hash)
{
    crypto_generichash(hash, crypto_generichash_BYTES, (const unsigned char *)token.bytes,
                       token.length, principals->key, sizeof principals->key);
}

struct adm_principal *adm_principals_find(const struct adm_principals *principals,
                                          struct adm_text token)
{
    unsigned char hash[crypto_generichash_BYTES];
    hash_token(principals, token, hash);
    struct adm_principal *found = NULL;
    for (size_t i = 0; i < principals->n_tokens; i++) {
        if (sodium_memcmp(hash, principals->tokens[i].hash, sizeof hash) == 0) {
            found = principals->tokens[i].principal;
        }
    }
    return found;
}

bool adm_principals_add(struct adm_principals *principals, const char *token, const char *name)
{
    if (adm_principals_find(principals, adm_text_of(token)) != NULL) {
        return false;
    }
    principals->tokens =
        adm_memory_reserve(principals->tokens, &principals->token_room,
                           principals->n_tokens + 1, sizeof *principals->tokens);
    struct token *added = &principals->tokens[principals->n_tokens++];
    hash_token(principals, adm_text_of(token), added->hash);
    added->principal = adm_principals_named(principals, name);
    return true;
}

/* The characters of a bearer token (RFC 6750): it also travels in a cookie. */
static bool is_token(const char *token)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-._~+/";
    const size_t n = strspn(token, allowed);
    return n > 0 && token[n + strspn(token + n, "=")] == '\0';
}

/* What is wrong with a line; NULL when it was taken, or has nothing to take. */
static const char *take_line(struct adm_principals *principals, char *line)
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    const char *token = strtok_r(line, blanks, &rest);
    if (token == NULL || *token == '#') {
        return NULL;
    }
    const char *name = strtok_r(NULL, blanks, &rest);
    const char *more = strtok_r(NULL, blanks, &rest);
    if (name == NULL || *name == '#' || (more != NULL && *more != '#')) {
        return "a line is TOKEN PRINCIPAL";
    }
    if (!is_token(token)) {
        return "a token is made of letters, digits and -._~+/, and = at its end";
    }
    if (!adm_principal_is_name(adm_text_of(name))) {
        return ADM_PRINCIPAL_RULE;
    }
    return adm_principals_add(principals, token, name) ? NULL : "the token is there twice";
}

static bool read_lines(struct adm_principals *principals, const char *path, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    size_t number = 0;
    const char *wrong = NULL;
    while (wrong == NULL && getline(&line, &room, file) != -1) {
        number++;
        wrong = take_line(principals, line);
    }
    const int error = ferror(file) ? errno : 0;
    if (line != NULL) {
        sodium_memzero(line, room);
    }
    free(line);
    if (error != 0) {
        adm_command_unreadable(path, error);
        return false;
    }
    if (wrong != NULL) {
        adm_command_fail(ADM_EXIT_WRONG, "%s:%zu: %s", path, number, wrong);
        return false;
    }
    if (principals->n_tokens == 0) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: no token is in it", path);
        return false;
    }
    return true;
}

bool adm_principals_load(struct adm_principals *principals, const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: %s", path, strerror(errno));
        return false;
    }
    struct stat stat;
    bool is_read = false;
    if (fstat(fileno(file), &stat) != 0) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: %s", path, strerror(errno));
    } else if (S_ISDIR(stat.st_mode)) {
        adm_command_unreadable(path, EISDIR);
    } else if ((stat.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: others can reach it: chmod 600 it", path);
    } else {
        is_read = read_lines(principals, path, file);
    }
    fclose(file);
    return is_read;
}
