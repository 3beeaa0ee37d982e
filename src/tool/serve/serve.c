/* `admission serve`: a stream server, capped per principal, for browsers and MCP clients. */
#include <string.h>

#include "tool/command.h"
#include "tool/serve/door.h"
#include "tool/serve/server.h"

static const char help[] =
    "Usage: admission serve [OPTION...]\n"
    "\n"
    "Serves live streams over HTTP, at most so many per principal: when a newer\n"
    "one comes, the oldest is ended. What is sent on them comes from ZeroMQ\n"
    "publishers and from POST /publish.\n"
    "\n"
    "  GET /listen?topic=NAME   Server-Sent Events; without a topic, everything\n"
    "  POST /mcp                MCP 2026-07-28, with subscriptions/listen\n"
    "  GET /                    the page; also /stats, /metrics and /healthz\n"
    "\n"
    "Options:\n"
    "  --port N               Listen on port N; 0: any (default 8080)\n"
    "  --bind ADDR            Listen on this address (default 127.0.0.1)\n"
    "  --max-listens N        Live streams of one principal (default 3)\n"
    "  --keepalive D          A comment after so much silence, such as 15s; 0: none\n"
    "                         (default 15s)\n"
    "  --tokens FILE          Lines of TOKEN PRINCIPAL, readable by its owner alone\n"
    "  --anonymous PRINCIPAL  Who comes without a token is this principal\n"
    "  --max-connections N    Connections at once (default: the limit of\n"
    "                         descriptors, less 64)\n"
    "  --allow-host NAME      Also answer to this name in Host and Origin\n"
    "  --feed ENDPOINT        Receive messages [topic, body]: tcp://HOST:PORT connects\n"
    "                         to a ZeroMQ publisher, @tcp://127.0.0.1:PORT binds\n"
    "                         for many\n"
    "  --config FILE          All of these, as NAME = VALUE lines (zconfig)\n"
    "  --conformance          Offer what the conformance tests of MCP call\n"
    "  --demo                 Make tokens for alice and bob, and publish every second\n"
    "  -h, --help             Show this help and exit\n"
    "\n"
    "--allow-host and --feed can be given more than once. SIGTERM, SIGINT and SIGHUP\n"
    "end every stream with its last words.\n";

static enum adm_exit greet(const struct adm_settings *settings, unsigned port)
{
    const bool is_six = strchr(settings->bind, ':') != NULL;
    printf("listening on http://%s%s%s:%u\n", is_six ? "[" : "", settings->bind,
           is_six ? "]" : "", port);
    if (settings->is_demo) {
        printf("open it in a browser; the tokens are");
        for (size_t i = 0; i < ADM_DOOR_N_DEMO; i++) {
            printf("%s %s", i == 0 ? "" : " and", adm_door_demo[i].token);
        }
        printf("\n");
    }
    return adm_command_flush(stdout, "standard output", ADM_EXIT_DONE);
}

static enum adm_exit serve(const struct adm_settings *settings)
{
    enum adm_exit status = ADM_EXIT_DONE;
    struct adm_server *server = adm_server_new(settings, &status);
    if (server == NULL) {
        return status;
    }
    status = greet(settings, adm_server_port(server));
    if (status == ADM_EXIT_DONE) {
        adm_server_run(server);
    }
    adm_server_destroy(&server);
    return status;
}

static enum adm_exit run(int argc, char **argv)
{
    struct adm_settings settings;
    enum adm_exit status = adm_settings_read(&settings, argc, argv);
    if (status == ADM_EXIT_DONE && settings.wants_help) {
        status = adm_command_print(help);
    } else if (status == ADM_EXIT_DONE) {
        status = serve(&settings);
    }
    adm_settings_deinit(&settings);
    return status;
}

const struct adm_command adm_serve_command = {
    .name = "serve",
    .summary = "Serve streams, capped per principal, to browsers and MCP clients",
    .run = run,
};
