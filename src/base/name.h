/* Names - of providers, keys and principals: 1 to 255 bytes of any value but NUL.
 *
 * `struct adm_name` borrows: it points into a message, a line or a caller's string.
 * `struct adm_owned_name` keeps: up to 23 bytes lie inside it, a longer name on the heap, so
 * that a record with a common name is one piece of memory. */
#ifndef ADM_BASE_NAME_H
#define ADM_BASE_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    ADM_NAME_MAX = 255,
    ADM_NAME_INLINE = 23
};

/* Length 0 stands for "no name" where one is optional; `bytes` is not terminated. */
struct adm_name {
    const char *bytes;
    uint8_t length;
};

/* `bytes` holds the name, or, of a name longer than ADM_NAME_INLINE, the pointer to it: an
 * array and not a union, so that the whole takes 24 bytes and goes anywhere. */
struct adm_owned_name {
    char bytes[ADM_NAME_INLINE];
    uint8_t length;
};

/* The absent name. */
static inline struct adm_name adm_name_none(void)
{
    return (struct adm_name){.bytes = "", .length = 0};
}

static inline bool adm_name_is_none(struct adm_name name)
{
    return name.length == 0;
}

static inline bool adm_name_equal(struct adm_name a, struct adm_name b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Fills `owned` with a copy of `name`; free it with adm_owned_name_deinit(). */
void adm_owned_name_init(struct adm_owned_name *owned, struct adm_name name);
void adm_owned_name_deinit(struct adm_owned_name *owned);

/* Borrows from `owned`, for as long as it lives and stays where it is. */
static inline struct adm_name adm_owned_name_view(const struct adm_owned_name *owned)
{
    struct adm_name name = {.bytes = owned->bytes, .length = owned->length};
    if (owned->length > ADM_NAME_INLINE) {
        memcpy(&name.bytes, owned->bytes, sizeof name.bytes);
    }
    return name;
}

#endif
