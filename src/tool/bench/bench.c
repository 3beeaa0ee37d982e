/* `admission bench`: what the library does on this machine, beside raw libzmq. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "tool/bench/board.h"
#include "tool/bench/cases.h"
#include "tool/command.h"
#include "tool/values.h"

static const struct {
    const char *name;
    adm_bench_case *run;
} cases[] = {
    {"sync", adm_bench_sync},   {"policy", adm_bench_policy}, {"async", adm_bench_async},
    {"burst", adm_bench_burst}, {"flood", adm_bench_flood},   {"pacing", adm_bench_pacing},
    {"idle", adm_bench_idle},   {"core", adm_bench_core},
};

enum {
    N_CASES = sizeof cases / sizeof *cases,
    REPETITIONS = 3
};

static const char help[] =
    "Usage: admission bench [OPTION]... [CASE]...\n"
    "\n"
    "Measures the library on this machine: medians of several repetitions with their\n"
    "spread, where it makes sense beside a baseline measured in the same run - an echo\n"
    "over raw libzmq, or our own actor that never spins. All cases, or those named:\n"
    "sync, policy, async, burst, flood, pacing, idle, core.\n"
    "\n"
    "Options:\n"
    "  -q, --quick              A tenth of the work: under 40 seconds\n"
    "  -r, --repetitions N      From 1 to 9; default 3\n"
    "  -f, --format FORMAT      table (default), csv or json\n"
    "  -h, --help               Show this help and exit\n";

struct call {
    bool is_quick;
    size_t n_repetitions;
    enum adm_output output;
    bool is_chosen[N_CASES];
};

static bool read_repetitions(const char *text, size_t *n)
{
    uint32_t value;
    if (!adm_value_count(adm_text_of(text), &value) || value < 1 || value > ADM_BOARD_SAMPLES) {
        return false;
    }
    *n = value;
    return true;
}

static bool choose(struct call *call, const char *name)
{
    for (size_t i = 0; i < N_CASES; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            call->is_chosen[i] = true;
            return true;
        }
    }
    return false;
}

static enum adm_exit read_cases(struct call *call, int argc, char **argv)
{
    for (int i = optind; i < argc; i++) {
        if (!choose(call, argv[i])) {
            return adm_command_wrong_call(argv[0], "%s: no such case", argv[i]);
        }
    }
    if (optind == argc) {
        memset(call->is_chosen, true, sizeof call->is_chosen);
    }
    return ADM_EXIT_DONE;
}

static enum adm_exit measure(const struct call *call)
{
    struct adm_board board = {0};
    for (size_t repetition = 0; repetition < call->n_repetitions; repetition++) {
        for (size_t i = 0; i < N_CASES; i++) {
            if (!call->is_chosen[i]) {
                continue;
            }
            if (isatty(STDERR_FILENO)) {
                fprintf(stderr, "\r\033[K%zu of %zu: %s", repetition + 1, call->n_repetitions,
                        cases[i].name);
            }
            cases[i].run(&board, call->is_quick);
        }
    }
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
    adm_board_print(&board, call->output, stdout);
    adm_board_deinit(&board);
    return adm_command_flush(stdout, "standard output", ADM_EXIT_DONE);
}

static enum adm_exit run(int argc, char **argv)
{
    static const struct option options[] = {
        {"quick", no_argument, NULL, 'q'},
        {"repetitions", required_argument, NULL, 'r'},
        {"format", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct call call = {.n_repetitions = REPETITIONS};
    int option;
    while ((option = getopt_long(argc, argv, "qr:f:h", options, NULL)) != -1) {
        switch (option) {
        case 'q':
            call.is_quick = true;
            break;
        case 'r':
            if (!read_repetitions(optarg, &call.n_repetitions)) {
                return adm_command_wrong_call(argv[0], "%s: not from 1 to 9", optarg);
            }
            break;
        case 'f':
            if (!adm_output_read(optarg, &call.output)) {
                return adm_command_wrong_call(argv[0], "%s: no such format", optarg);
            }
            break;
        case 'h':
            return adm_command_print(help);
        default:
            fputs("Try `admission bench --help'.\n", stderr);
            return ADM_EXIT_WRONG;
        }
    }
    const enum adm_exit status = read_cases(&call, argc, argv);
    return status == ADM_EXIT_DONE ? measure(&call) : status;
}

const struct adm_command adm_bench_command = {
    .name = "bench",
    .summary = "Measure the library on this machine, beside raw libzmq",
    .run = run,
};
