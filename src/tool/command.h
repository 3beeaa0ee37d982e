/* What the subcommands of `admission` share: how they end, and how they say what is wrong. */
#ifndef ADM_TOOL_COMMAND_H
#define ADM_TOOL_COMMAND_H

#include <stdio.h>

enum adm_exit {
    ADM_EXIT_DONE = 0,
    ADM_EXIT_FAILED = 1, /* the system would not: a full disk, a closed pipe */
    ADM_EXIT_WRONG = 2,  /* the user's input or call is wrong */
};

/* A subcommand; `argv[0]` is "admission NAME". */
struct adm_command {
    const char *name;
    const char *summary;
    enum adm_exit (*run)(int argc, char **argv);
};

extern const struct adm_command adm_replay_command;
extern const struct adm_command adm_simulate_command;
extern const struct adm_command adm_bench_command;
extern const struct adm_command adm_serve_command;

/* Prints `admission: MESSAGE` on standard error; returns `status`. */
enum adm_exit adm_command_fail(enum adm_exit status, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that reading the file `name` ended in `error`, an errno. What is no file to read - a
 * folder, a closed standard input - is a wrong call; else the system failed. */
enum adm_exit adm_command_unreadable(const char *name, int error);

/* Prints `COMMAND: MESSAGE`, and where help is, on standard error; returns ADM_EXIT_WRONG.
 * `command` is the `argv[0]` of a subcommand. */
enum adm_exit adm_command_wrong_call(const char *command, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a text on standard output. */
enum adm_exit adm_command_print(const char *text);

/* Flushes `out`, called `name`: `status`, but ADM_EXIT_FAILED with a message when not all that
 * was written got there. A `status` that is ADM_EXIT_FAILED has had its message. */
enum adm_exit adm_command_flush(FILE *out, const char *name, enum adm_exit status);

#endif
