/* See tool/source.h. Files of gzip may consist of several members, one behind the other. It is
 * not zlib's gzread() that reads them, for that takes whatever follows a member and is none for
 * the end of the file, without a word. */
#include "tool/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"

enum {
    ROOM = 128 * 1024,
    ONLY_GZIP = 16 + MAX_WBITS /* of what inflateInit2() takes */
};

static void *take_memory(void *unused, unsigned n, unsigned size)
{
    (void)unused;
    return adm_memory_new(n, size);
}

static void free_memory(void *unused, void *memory)
{
    (void)unused;
    free(memory);
}

void adm_source_init(struct adm_source *source, int fd)
{
    *source = (struct adm_source){
        .fd = fd,
        .stream = {.zalloc = take_memory, .zfree = free_memory},
        .buffer = adm_memory_new(ROOM, 1),
    };
    source->stream.next_in = source->buffer;
    const int code = inflateInit2(&source->stream, ONLY_GZIP);
    ADM_ASSERT(code == Z_OK);
}

void adm_source_deinit(struct adm_source *source)
{
    inflateEnd(&source->stream);
    free(source->buffer);
    close(source->fd);
}

/* Reads until there are `wanted` bytes, or all of the file; false when the system would not. */
static bool fill(struct adm_source *source, size_t wanted)
{
    z_stream *stream = &source->stream;
    if (stream->avail_in >= wanted) {
        return true;
    }
    memmove(source->buffer, stream->next_in, stream->avail_in);
    stream->next_in = source->buffer;
    while (stream->avail_in < wanted) {
        const ssize_t n =
            read(source->fd, source->buffer + stream->avail_in, ROOM - stream->avail_in);
        if (n == 0) {
            break;
        }
        if (n > 0) {
            stream->avail_in += (unsigned)n;
            source->n_read += n;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool is_at_gzip(const struct adm_source *source)
{
    const z_stream *stream = &source->stream;
    return stream->avail_in >= 2 && stream->next_in[0] == 0x1f && stream->next_in[1] == 0x8b;
}

/* Where in the file the next byte is. */
static int64_t place_of(const struct adm_source *source)
{
    return source->n_read - source->stream.avail_in;
}

/* Begins a member of gzip, when there is one more. */
static enum adm_source_result begin_member(struct adm_source *source)
{
    if (!fill(source, 2)) {
        return ADM_SOURCE_FAILED;
    }
    if (source->stream.avail_in == 0) {
        return ADM_SOURCE_END;
    }
    if (!is_at_gzip(source)) {
        snprintf(source->error, sizeof source->error,
                 "what follows the gzip data at byte %" PRId64 " is not gzip",
                 place_of(source));
        return ADM_SOURCE_BROKEN;
    }
    inflateReset(&source->stream);
    source->is_inside = true;
    return ADM_SOURCE_BYTES;
}

/* What inflate() makes of the next bytes of a member: some more, perhaps none. */
static enum adm_source_result inflate_member(struct adm_source *source)
{
    if (!fill(source, 1)) {
        return ADM_SOURCE_FAILED;
    }
    const int code = inflate(&source->stream, Z_NO_FLUSH);
    if (code == Z_OK) {
        return ADM_SOURCE_BYTES;
    }
    if (code == Z_STREAM_END) {
        source->is_inside = false;
        return ADM_SOURCE_BYTES;
    }
    if (code == Z_BUF_ERROR) { /* there is room, so it lacks input */
        snprintf(source->error, sizeof source->error, "the gzip data is cut off");
    } else {
        snprintf(source->error, sizeof source->error,
                 "broken gzip data at byte %" PRId64 ": %s", place_of(source),
                 source->stream.msg != NULL ? source->stream.msg : "?");
    }
    return ADM_SOURCE_BROKEN;
}

/* A fault that comes behind some bytes comes again when nothing is before it. */
static enum adm_source_result read_gzip(struct adm_source *source, char *to, size_t room,
                                        size_t *n)
{
    z_stream *stream = &source->stream;
    stream->next_out = (unsigned char *)to;
    stream->avail_out = (unsigned)room;
    enum adm_source_result result = ADM_SOURCE_BYTES;
    while (result == ADM_SOURCE_BYTES && stream->avail_out == room) {
        result = source->is_inside ? inflate_member(source) : begin_member(source);
    }
    *n = room - stream->avail_out;
    return *n > 0 ? ADM_SOURCE_BYTES : result;
}

static enum adm_source_result read_plain(struct adm_source *source, char *to, size_t room,
                                         size_t *n)
{
    if (!fill(source, 1)) {
        return ADM_SOURCE_FAILED;
    }
    z_stream *stream = &source->stream;
    *n = stream->avail_in < room ? stream->avail_in : room;
    memcpy(to, stream->next_in, *n);
    stream->next_in += *n;
    stream->avail_in -= (unsigned)*n;
    return *n > 0 ? ADM_SOURCE_BYTES : ADM_SOURCE_END;
}

enum adm_source_result adm_source_read(struct adm_source *source, char *to, size_t room,
                                       size_t *n)
{
    if (!source->has_begun) {
        if (!fill(source, 2)) {
            return ADM_SOURCE_FAILED;
        }
        source->has_begun = true;
        source->is_gzip = is_at_gzip(source);
    }
    return source->is_gzip ? read_gzip(source, to, room, n) : read_plain(source, to, room, n);
}
