/* See tool/input.h. The buffer is as long as the longest line. */
#include "tool/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tool/command.h"

enum {
    READ_AT_LEAST = 64 * 1024
};

bool adm_input_open(struct adm_input *input, const char *path)
{
    const bool is_standard = strcmp(path, "-") == 0;
    *input = (struct adm_input){.name = is_standard ? "<stdin>" : path};
    const int fd = is_standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        adm_command_fail(ADM_EXIT_WRONG, "%s: %s", input->name, strerror(errno));
        return false;
    }
    adm_place_of_descriptor(&input->place, fd);
    input->size = adm_place_is_plain(&input->place) ? input->place.status.st_size : 0;
    adm_source_init(&input->source, fd);
    return true;
}

void adm_input_close(struct adm_input *input)
{
    adm_source_deinit(&input->source);
    free(input->buffer);
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

/* Reads more: ADM_INPUT_LINE when there is some. */
static enum adm_input_result read_more(struct adm_input *input)
{
    make_room(input);
    size_t n;
    switch (adm_source_read(&input->source, input->buffer + input->end, READ_AT_LEAST, &n)) {
    case ADM_SOURCE_BYTES:
        input->end += n;
        return ADM_INPUT_LINE;
    case ADM_SOURCE_END:
        return ADM_INPUT_END;
    case ADM_SOURCE_BROKEN:
        input->line++;
        return ADM_INPUT_BROKEN;
    case ADM_SOURCE_FAILED:
        break;
    }
    return ADM_INPUT_FAILED;
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
