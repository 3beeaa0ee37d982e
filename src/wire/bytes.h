/* What both directions of the wire are made of: tags, numbers - least significant byte first,
 * wherever they lie - and a cursor that never leaves its bytes. */
#ifndef ADM_WIRE_BYTES_H
#define ADM_WIRE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first byte of every record: its version in the high 3 bits, its kind in the low 5. */
enum {
    ADM_BYTES_KIND_BITS = 5,
    ADM_BYTES_KIND_MASK = (1 << ADM_BYTES_KIND_BITS) - 1
};

static inline uint8_t adm_bytes_tag(unsigned version, unsigned kind)
{
    return (uint8_t)(version << ADM_BYTES_KIND_BITS | kind);
}

static inline unsigned adm_bytes_tag_version(uint8_t tag)
{
    return tag >> ADM_BYTES_KIND_BITS;
}

static inline unsigned adm_bytes_tag_kind(uint8_t tag)
{
    return tag & ADM_BYTES_KIND_MASK;
}

static inline void adm_bytes_put_u32(uint8_t *bytes, uint32_t value)
{
    value = htole32(value);
    memcpy(bytes, &value, sizeof value);
}

static inline void adm_bytes_put_u64(uint8_t *bytes, uint64_t value)
{
    value = htole64(value);
    memcpy(bytes, &value, sizeof value);
}

static inline uint32_t adm_bytes_get_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

static inline uint64_t adm_bytes_get_u64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

/* Reads from the front. Once it was asked for more than is left it is bad for good: a reader
 * may ask for all it wants and look once, at the end. */
struct adm_bytes_cursor {
    const uint8_t *at;
    size_t left;
    bool is_bad;
};

/* The next `n` bytes; NULL when fewer are left. */
static inline const uint8_t *adm_bytes_take(struct adm_bytes_cursor *cursor, size_t n)
{
    if (n > cursor->left) {
        cursor->is_bad = true;
        return NULL;
    }
    const uint8_t *bytes = cursor->at;
    cursor->at += n;
    cursor->left -= n;
    return bytes;
}

/* The next number; 0 when it is cut short. */
static inline uint32_t adm_bytes_take_u32(struct adm_bytes_cursor *cursor)
{
    const uint8_t *bytes = adm_bytes_take(cursor, sizeof(uint32_t));
    return bytes == NULL ? 0 : adm_bytes_get_u32(bytes);
}

static inline uint64_t adm_bytes_take_u64(struct adm_bytes_cursor *cursor)
{
    const uint8_t *bytes = adm_bytes_take(cursor, sizeof(uint64_t));
    return bytes == NULL ? 0 : adm_bytes_get_u64(bytes);
}

#endif
