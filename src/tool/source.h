/* The bytes of a file or of standard input, plain or compressed by gzip. */
#ifndef ADM_TOOL_SOURCE_H
#define ADM_TOOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum {
    ADM_SOURCE_ERROR_MAX = 128
};

enum adm_source_result {
    ADM_SOURCE_BYTES,
    ADM_SOURCE_END,
    ADM_SOURCE_BROKEN, /* the gzip data is: `error` says how */
    ADM_SOURCE_FAILED, /* the system would not: errno says why */
};

struct adm_source {
    int fd;
    int64_t n_read; /* bytes of the file, compressed or not */
    bool has_begun; /* the first bytes have been looked at */
    bool is_gzip;
    bool is_inside;  /* a member of gzip has begun and not ended */
    z_stream stream; /* its input is what has been read and not been given out */
    unsigned char *buffer;
    char error[ADM_SOURCE_ERROR_MAX];
};

/* Takes over the descriptor. */
void adm_source_init(struct adm_source *source, int fd);
void adm_source_deinit(struct adm_source *source);

/* Reads at least one and at most `room` bytes to `to`, when the result is ADM_SOURCE_BYTES.
 * What comes before a fault is read before the fault is told. */
enum adm_source_result adm_source_read(struct adm_source *source, char *to, size_t room,
                                       size_t *n);

#endif
