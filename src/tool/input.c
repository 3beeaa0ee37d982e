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

/* Says what zlib reports; a compressed file that is cut off or broken is the user's. */
static enum adm_input_result complain(const struct adm_input *input)
{
    const int system_error = errno;
    int error = Z_OK;
    const char *message = gzerror(input->file, &error);
    enum adm_exit status = error == Z_MEM_ERROR ? ADM_EXIT_FAILED : ADM_EXIT_WRONG;
    if (error == Z_ERRNO) {
        status = adm_command_unreadable(input->name, system_error);
    } else {
        adm_command_fail(status, "%s: %s", input->name, message);
    }
    return status == ADM_EXIT_WRONG ? ADM_INPUT_WRONG : ADM_INPUT_FAILED;
}

/* Reads more: ADM_INPUT_LINE when there is some. */
static enum adm_input_result read_more(struct adm_input *input)
{
    make_room(input);
    const int n = gzread(input->file, input->buffer + input->end, READ_AT_LEAST);
    int error = Z_OK;
    (void)gzerror(input->file, &error);
    if (n < 0 || error != Z_OK) {
        return complain(input);
    }
    input->end += (size_t)n;
    return n > 0 ? ADM_INPUT_LINE : ADM_INPUT_END;
}

/* Gives out the next `length` bytes, the end of the line included. */
static struct adm_text take(struct adm_input *input, size_t length)
{
    const char *bytes = input->buffer + input->start;
    input->start += length;
    input->line++;
    return adm_text_line(bytes, length);
}

enum adm_input_result adm_input_next(struct adm_input *input, struct adm_text *line)
{
    size_t searched = 0;
    for (;;) {
        const size_t n = input->end - input->start;
        const char *bytes = n == 0 ? "" : input->buffer + input->start;
        const char *lf = n > searched ? memchr(bytes + searched, '\n', n - searched) : NULL;
        if (lf != NULL) {
            *line = take(input, (size_t)(lf - bytes) + 1);
            return ADM_INPUT_LINE;
        }
        searched = n;
        const enum adm_input_result more = read_more(input);
        if (more == ADM_INPUT_END && n > 0) {
            *line = take(input, n);
            return ADM_INPUT_LINE;
        }
        if (more != ADM_INPUT_LINE) {
            return more;
        }
    }
}
