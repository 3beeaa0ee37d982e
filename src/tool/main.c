/* The program `admission`: finds the subcommand and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admission/version.h"
#include "tool/command.h"

static const struct adm_command *const commands[] = {
    &adm_replay_command,
    &adm_simulate_command,
    &adm_bench_command,
    &adm_serve_command,
};

enum {
    N_COMMANDS = sizeof commands / sizeof *commands
};

static const char usage[] =
    "Usage: admission COMMAND [ARGUMENT...]\n"
    "       admission --help | --version\n"
    "\n"
    "Concurrency limits and listener caps, exactly as the library decides\n"
    "them.\n"
    "\n"
    "Commands:\n";

static enum adm_exit print_help(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    return adm_command_print(
        "\n"
        "Options:\n"
        "  -h, --help     Show this help and exit\n"
        "  -V, --version  Show the version and exit\n"
        "\n"
        "`admission COMMAND --help' tells more about a command.\n"
        "Exit status: 0 done, 1 the system failed, 2 wrong input or call.\n");
}

static enum adm_exit run_command(int argc, char **argv)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[0], commands[i]->name) == 0) {
            char name[64];
            snprintf(name, sizeof name, "admission %s", argv[0]);
            argv[0] = name;
            optind = 0;
            return commands[i]->run(argc, argv);
        }
    }
    return adm_command_wrong_call("admission", "%s: no such command", argv[0]);
}

/* A closed standard stream must not become the first file that is opened: its place is taken by
 * one that refuses what the stream is for. */
static void occupy_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
                abort();
            }
        }
    }
}

static enum adm_exit run(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {0},
    };
    char name[] = "admission";
    argv[0] = name;
    int option;
    while ((option = getopt_long(argc, argv, "+hV", options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return print_help();
        case 'V':
            return adm_command_print("admission " ADMISSION_VERSION "\n");
        default:
            fputs("Try `admission --help'.\n", stderr);
            return ADM_EXIT_WRONG;
        }
    }
    if (optind == argc) {
        return adm_command_wrong_call("admission", "a command is missing");
    }
    return run_command(argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    return (int)run(argc, argv);
}
