/* See tool/input.h. zlib reads plain files as they are, so nobody has to say which it is. The
 * buffer is as long as the longest line. */
#include "tool/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tool/command.h"

enum {
    READ_AT_LEAST = 64 * 1024
};

static gzFile open_file(const char *path, int64_t *size)
{
    const int fd =
        strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    struct stat status;
    *size = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
    gzFile file = gzdopen(fd, "rb");
    if (file == NULL) {
        close(fd);
    }
    return file;
}

bool adm_input_open(struct adm_input *input, const char *path)
{
    *input = (struct adm_input){.name = strcmp(path, "-") == 0 ? "<stdin>" : path};
    input->file = open_file(path, &input->size);
    if (input->file == NULL) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: %s", input->name, strerror(errno));
        return false;
    }
    gzbuffer(input->file, 2 * READ_AT_LEAST);
    return true;
}

void adm_input_close(struct adm_input *input)
{
    gzclose(input->file);
    free(input->buffer);
}

int64_t adm_input_offset(const struct adm_input *input)
{
    return gzoffset(input->file);
}

/* Makes room behind what is there. */
static void make_room(struct adm_input *input)
{
    const size_t n = input->end - input->start;
    if (input->start > 0) {
        memmove(input->buffer, input->buffer + input->start, n);
        input->start = 0;
        input->end = n;
    }
    input->buffer = adm_memory_reserve(input->buffer, &input->room, n + READ_AT_LEAST,
                                       sizeof *input->buffer);
}

/* Reads more: how many bytes; 0 at the end, -1 after a message. */
static int read_more(struct adm_input *input)
{
    make_room(input);
    const int n = gzread(input->file, input->buffer + input->end, READ_AT_LEAST);
    int error = Z_OK;
    const char *message = gzerror(input->file, &error);
    if (n < 0 || error != Z_OK) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: %s", input->name,
                         error == Z_ERRNO ? strerror(errno) : message);
        return -1;
    }
    input->end += (size_t)n;
    return n;
}

static struct adm_text take(struct adm_input *input, size_t length, size_t end_length)
{
    const char *bytes = input->buffer + input->start;
    input->start += length + end_length;
    input->line++;
    if (length > 0 && bytes[length - 1] == '\r') {
        length--;
    }
    return (struct adm_text){.bytes = bytes, .length = length};
}

enum adm_input_result adm_input_next(struct adm_input *input, struct adm_text *line)
{
    size_t searched = 0;
    for (;;) {
        const size_t n = input->end - input->start;
        const char *bytes = input->buffer + input->start;
        const char *lf = n > searched ? memchr(bytes + searched, '\n', n - searched) : NULL;
        if (lf != NULL) {
            *line = take(input, (size_t)(lf - bytes), 1);
            return ADM_INPUT_LINE;
        }
        searched = n;
        const int more = read_more(input);
        if (more < 0) {
            return ADM_INPUT_FAILED;
        }
        if (more == 0) {
            if (n == 0) {
                return ADM_INPUT_END;
            }
            *line = take(input, n, 0);
            return ADM_INPUT_LINE;
        }
    }
}
