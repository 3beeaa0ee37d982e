/* `admission serve` in a program that was built without libmicrohttpd: says so. */
#include "tool/command.h"

static enum adm_exit run(int argc, char **argv)
{
    (void)argc;
    return adm_command_fail(ADM_EXIT_FAILED, "%s: built without libmicrohttpd", argv[0]);
}

const struct adm_command adm_serve_command = {
    .name = "serve",
    .summary = "Serve streams over HTTP (not in this build: it needs libmicrohttpd)",
    .run = run,
};
