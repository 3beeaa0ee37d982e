/* See tool/command.h. */
#include "tool/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum adm_exit adm_command_fail(enum adm_exit status, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    fputs("admission: ", stderr);
    vfprintf(stderr, form, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

enum adm_exit adm_command_unreadable(const char *name, int error)
{
    const bool is_no_file = error == EISDIR || error == EBADF;
    return adm_command_fail(is_no_file ? ADM_EXIT_WRONG : ADM_EXIT_FAILED, "%s: %s", name,
                            strerror(error));
}

enum adm_exit adm_command_wrong_call(const char *command, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, form, arguments);
    fprintf(stderr, "\nTry `%s --help'.\n", command);
    va_end(arguments);
    return ADM_EXIT_WRONG;
}

enum adm_exit adm_command_print(const char *text)
{
    fputs(text, stdout);
    return adm_command_flush(stdout, "standard output", ADM_EXIT_DONE);
}

enum adm_exit adm_command_flush(FILE *out, const char *name, enum adm_exit status)
{
    if (status == ADM_EXIT_FAILED) {
        return status;
    }
    errno = 0;
    if (fflush(out) == 0 && !ferror(out)) {
        return status;
    }
    const char *why = errno != 0 ? strerror(errno) : "not all could be written";
    return adm_command_fail(ADM_EXIT_FAILED, "%s: %s", name, why);
}
