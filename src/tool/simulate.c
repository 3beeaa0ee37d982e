/* `admission simulate`: what would this limit do to my traffic?
 *
 * It sends the log through a study and prints at the very end, so that a faulty log leaves
 * nothing half-printed. docs/simulate.md tells it at length. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/command.h"
#include "tool/place.h"
#include "tool/simulate_call.h"

static const char help[] =
    "Usage: admission simulate listens FILE --max-listens N[,N...] [OPTION...]\n"
    "       admission simulate requests FILE --max-concurrent N[,N...] [OPTION...]\n"
    "\n"
    "Tells what a limit would do to the traffic of a log: the same state machine as in\n"
    "production, in virtual time. FILE is TSV or CSV, with or without a header line,\n"
    "plain or gzip; `-' is standard input. Its columns are\n"
    "  listens:   open_ms principal duration_ms\n"
    "  requests:  arrive_ms provider key duration_ms\n"
    "\n"
    "Of listens:\n"
    "  --max-listens N,...     Live streams of one principal, each N a simulation\n"
    "  --when-full WHAT        supersede the oldest (default), or refuse the newcomer\n"
    "  --max-listeners N|none  Live streams of all principals together (default none)\n"
    "\n"
    "Of requests:\n"
    "  --max-concurrent N,...  Requests that run at once, each N (or none) a simulation\n"
    "  --queue-capacity N      Requests that may wait (default: no bound)\n"
    "  --timeout D|none        How long one waits at most (default none)\n"
    "  --min-interval D        Between starts (default 0)\n"
    "  --provider NAME:N       Requests of one provider that run at once; may come again\n"
    "  --per-key               One request of a key at a time\n"
    "  --attempt-timeout D     How long one runs at most (default 0: no end)\n"
    "  D is an integer and us, ms or s.\n"
    "\n"
    "The log:\n"
    "  --columns FIELD=WHERE,...  Which column is what: FIELD as above, or with _s or _us\n"
    "                          for _ms, or end_ms for duration_ms; WHERE is a number\n"
    "                          from 1 or a name in the header line\n"
    "  --from nginx|combined   An access log; nginx: with $request_time at the end\n"
    "  --lasts D               What each lasts, where the log does not tell\n"
    "  --sort                  Sort by time first, in memory\n"
    "\n"
    "The answer:\n"
    "  --format table|csv|json\n"
    "  --plot FILE.svg         Draw it, through gnuplot\n"
    "  --events FILE           Every event, in the trace format (one limit)\n"
    "  --trace FILE            The same as a trace for `admission replay' (one limit)\n"
    "  -h, --help              Show this help and exit\n"
    "\n"
    "Exit status: 0 done, 1 the system failed, 2 wrong input or call.\n";

static enum adm_exit send_rows(const struct adm_study *type, void *study, struct adm_rows *rows)
{
    struct adm_row row;
    enum adm_rows_result result;
    while ((result = adm_rows_next(rows, &row)) == ADM_ROWS_ROW) {
        type->take(study, &row);
    }
    if (result != ADM_ROWS_END) {
        return result == ADM_ROWS_WRONG ? ADM_EXIT_WRONG : ADM_EXIT_FAILED;
    }
    type->finish(study);
    if (rows->n_without_duration > 0) {
        fprintf(stderr,
                "admission: %s: %" PRIu64
                " lines do not tell how long they last, and count as 0; "
                "see --lasts\n",
                rows->input.name, rows->n_without_duration);
    }
    return ADM_EXIT_DONE;
}

static void print_json(const struct adm_report *report)
{
    fputs("{\n  \"limits\": ", stdout);
    adm_sheet_print_json(&report->limits, stdout);
    fputs(",\n  \"hardest_hit\": ", stdout);
    adm_sheet_print_json(&report->hardest, stdout);
    fputs("\n}\n", stdout);
}

static void print_tables(const struct adm_report *report)
{
    adm_sheet_print_table(&report->limits, stdout);
    if (adm_sheet_n_rows(&report->hardest) > 0) {
        printf("\nHardest hit:\n");
        adm_sheet_print_table(&report->hardest, stdout);
    }
}

static void print(const struct adm_report *report, enum adm_output output)
{
    switch (output) {
    case ADM_OUTPUT_TABLE:
        print_tables(report);
        break;
    case ADM_OUTPUT_CSV:
        adm_sheet_print_csv(&report->limits, stdout);
        putchar('\n');
        adm_sheet_print_csv(&report->hardest, stdout);
        break;
    case ADM_OUTPUT_JSON:
        print_json(report);
        break;
    }
}

static enum adm_exit draw(const struct adm_call *call, const struct adm_study *type,
                          void *study)
{
    struct adm_plot plot = {.n_panels = 0};
    type->draw(study, &plot);
    const enum adm_exit status = adm_plot_draw(&plot, call->plot);
    adm_plot_deinit(&plot);
    return status;
}

static enum adm_exit answer(const struct adm_call *call, const struct adm_study *type,
                            struct adm_rows *rows)
{
    void *study = type->new (&call->question, rows);
    enum adm_exit status = send_rows(type, study, rows);
    if (status == ADM_EXIT_DONE && call->plot != NULL) {
        status = draw(call, type, study);
    }
    if (status == ADM_EXIT_DONE) {
        struct adm_report report;
        type->report(study, &report);
        print(&report, call->output);
        adm_sheet_deinit(&report.limits);
        adm_sheet_deinit(&report.hardest);
    }
    type->destroy(study);
    return status;
}

/* A file that has its use: another output of the same name would destroy it. */
struct taken {
    const char *what;
    struct adm_place place;
};

static const struct taken *find_same(const struct taken *taken, size_t n,
                                     const struct adm_place *place)
{
    for (size_t i = 0; i < n; i++) {
        if (adm_place_is_same(&taken[i].place, place)) {
            return &taken[i];
        }
    }
    return NULL;
}

/* Before anything is written: no output is the log, or what another one writes. */
static enum adm_exit check_outputs(const struct adm_call *call, const struct adm_place *log)
{
    struct taken taken[5] = {{"the log", *log}, {"standard output", {.is_there = false}}};
    size_t n = 1;
    adm_place_of_descriptor(&taken[n].place, STDOUT_FILENO);
    if (adm_place_is_plain(&taken[n].place)) {
        if (find_same(taken, n, &taken[n].place) != NULL) {
            return adm_command_wrong_call(call->command, "standard output: this is the log");
        }
        n++;
    }
    const struct {
        const char *option;
        const char *path;
        const char *what;
    } outputs[] = {{"--events", call->events, "what --events writes"},
                   {"--trace", call->trace, "what --trace writes"},
                   {"--plot", call->plot, "what --plot writes"}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        if (outputs[i].path == NULL) {
            continue;
        }
        adm_place_of_path(&taken[n].place, outputs[i].path);
        const struct taken *same = find_same(taken, n, &taken[n].place);
        if (same != NULL) {
            return adm_command_wrong_call(call->command, "%s: %s: this is %s",
                                          outputs[i].option, outputs[i].path, same->what);
        }
        taken[n++].what = outputs[i].what;
    }
    return ADM_EXIT_DONE;
}

/* Opens a file to write; true also when there is none to open. */
static bool open_output(const char *path, FILE **file)
{
    *file = NULL;
    if (path == NULL) {
        return true;
    }
    *file = fopen(path, "we");
    if (*file == NULL) {
        adm_command_fail(ADM_EXIT_FAILED, "%s: %s", path, strerror(errno));
    }
    return *file != NULL;
}

static enum adm_exit close_output(const char *path, FILE *file, enum adm_exit status)
{
    if (file == NULL) {
        return status;
    }
    status = adm_command_flush(file, path, status);
    fclose(file);
    return status;
}

static enum adm_exit simulate(struct adm_call *call)
{
    const struct adm_study *type =
        call->rows.kind == ADM_LOG_LISTENS ? &adm_study_listens : &adm_study_requests;
    struct adm_rows rows;
    if (!adm_rows_init(&rows, &call->rows)) {
        return ADM_EXIT_WRONG;
    }
    enum adm_exit status = check_outputs(call, &rows.input.place);
    if (status == ADM_EXIT_DONE) {
        const bool is_open = open_output(call->events, &call->question.events) &&
                             open_output(call->trace, &call->question.trace);
        status = is_open ? answer(call, type, &rows) : ADM_EXIT_FAILED;
    }
    status = close_output(call->events, call->question.events, status);
    status = close_output(call->trace, call->question.trace, status);
    adm_rows_deinit(&rows);
    return adm_command_flush(stdout, "standard output", status);
}

static enum adm_exit run(int argc, char **argv)
{
    struct adm_call call;
    const enum adm_exit status = adm_call_read(&call, argc, argv);
    if (status != ADM_EXIT_DONE) {
        return status;
    }
    return call.wants_help ? adm_command_print(help) : simulate(&call);
}

const struct adm_command adm_simulate_command = {
    .name = "simulate",
    .summary = "Tell what a limit would do to the traffic of a log",
    .run = run,
};
