/* `admission replay FILE...`: a trace is driven through the machine in virtual time, and each
 * event is printed at its own instant (docs/trace-format.md).
 *
 * A line is read, checked and applied before the next one is read. What is kept between lines
 * is the machine and the words of what is alive in it, so memory does not grow with the trace.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "tool/command.h"
#include "tool/event_line.h"
#include "tool/trace.h"
#include "tool/virtual_time.h"
#include "tool/words.h"

/* One file on its way through a machine of its own. */
struct replay {
    const char *name;
    uint64_t line_number;
    bool is_timed;             /* a line with a TIME has been */
    struct adm_name principal; /* of the LIVE in hand */
    struct adm_virtual_time time;
    struct adm_words words;
    FILE *out;
};

/* The events of the lines before come first, also where both streams are one terminal. */
static enum adm_exit complain(const struct replay *replay, const char *error)
{
    fflush(replay->out);
    fprintf(stderr, "%s:%" PRIu64 ": %s\n", replay->name, replay->line_number, error);
    return ADM_EXIT_WRONG;
}

/* The effect ends what its id named, and its word with it. Of two things of one id - the admit
 * that is refused and the older one that is why - one use goes and one stays. */
static bool ends_id(enum adm_effect_type type)
{
    switch (type) {
    case ADM_EFFECT_REFUSED:
    case ADM_EFFECT_SUPERSEDED:
    case ADM_EFFECT_CLOSED:
        return true;
    case ADM_EFFECT_GRANTED:
    case ADM_EFFECT_ABORT:
    case ADM_EFFECT_ADMITTED:
    case ADM_EFFECT_LIVE:
    case ADM_EFFECT_LISTENER:
    case ADM_EFFECT_NO_PROVIDER:
    case ADM_EFFECT_DRAINED:
        return false;
    }
    return false;
}

static void tell(void *context, int64_t at, const struct adm_effect *effect)
{
    struct replay *replay = context;
    const bool is_of_handle =
        effect->type != ADM_EFFECT_NO_PROVIDER && effect->type != ADM_EFFECT_DRAINED;
    const bool is_answer = effect->type == ADM_EFFECT_LIVE;
    const uint32_t id = (uint32_t)effect->id;
    struct adm_name handle_word = adm_name_none();
    struct adm_name id_word = adm_name_none();
    if (is_of_handle) {
        handle_word = adm_words_handle(&replay->words, effect->handle);
        id_word = is_answer ? replay->principal : adm_words_id(&replay->words, id);
    }
    adm_event_line_write(replay->out, at, effect, handle_word, id_word);
    if (ends_id(effect->type)) {
        adm_words_release_id(&replay->words, id);
    }
}

static void admit(struct replay *replay, const struct adm_trace_line *line)
{
    struct adm_request request = line->request;
    request.handle = adm_words_use_handle(&replay->words, line->handle);
    request.id = adm_words_use_id(&replay->words, request.handle, line->id);
    adm_virtual_time_apply(&replay->time, &request);
    adm_words_release_handle(&replay->words, request.handle);
}

/* Fills in the numbers of a line about what is there; false when nothing is. */
static bool find(const struct replay *replay, const struct adm_trace_line *line,
                 struct adm_request *request)
{
    *request = line->request;
    request->handle = adm_words_find_handle(&replay->words, line->handle);
    if (request->handle == ADM_WORD_NONE) {
        return false;
    }
    if (!adm_name_is_none(line->id)) {
        request->id = adm_words_find_id(&replay->words, request->handle, line->id);
    }
    return request->id != ADM_WORD_NONE;
}

/* A leave of a principal is silent, so the machine is asked beforehand what it will take. */
static void release_principal(struct replay *replay, const struct adm_request *leave)
{
    struct adm_request question = *leave;
    question.type = ADM_REQUEST_LIVE;
    struct adm_effects answer = {0};
    adm_virtual_time_ask(&replay->time, &question, &answer);
    for (size_t i = 0; i < answer.n; i++) {
        const struct adm_effect *row = &answer.items[i];
        if (row->type == ADM_EFFECT_LISTENER && row->handle == leave->handle) {
            adm_words_release_id(&replay->words, (uint32_t)row->id);
        }
    }
    adm_effects_deinit(&answer);
}

/* A leave, cancel or down; of what is not there it moves the clock and nothing else. */
static void end(struct replay *replay, const struct adm_trace_line *line)
{
    struct adm_request request;
    if (!find(replay, line, &request)) {
        adm_virtual_time_apply(&replay->time, NULL);
        return;
    }
    if (request.type == ADM_REQUEST_LEAVE_PRINCIPAL) {
        release_principal(replay, &request);
    }
    adm_virtual_time_apply(&replay->time, &request);
    if (request.type == ADM_REQUEST_LEAVE) {
        adm_words_release_id(&replay->words, (uint32_t)request.id);
    } else if (request.type == ADM_REQUEST_DOWN) {
        adm_words_release_ids(&replay->words, request.handle);
    }
}

static void ask_live(struct replay *replay, const struct adm_trace_line *line)
{
    struct adm_request request = line->request;
    request.handle = adm_words_use_handle(&replay->words, line->handle);
    replay->principal = request.of.principal;
    adm_virtual_time_apply(&replay->time, &request);
    putc('\n', replay->out);
    adm_words_release_handle(&replay->words, request.handle);
}

static void apply_request(struct replay *replay, const struct adm_trace_line *line)
{
    switch (line->request.type) {
    case ADM_REQUEST_TICKET:
    case ADM_REQUEST_LISTENER:
        admit(replay, line);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_DOWN:
        end(replay, line);
        break;
    case ADM_REQUEST_LIVE:
        ask_live(replay, line);
        break;
    case ADM_REQUEST_LIMITS:
    case ADM_REQUEST_PROVIDER:
    case ADM_REQUEST_COOLDOWN:
    case ADM_REQUEST_CLOSE:
        adm_virtual_time_apply(&replay->time, &line->request);
        break;
    }
}

/* The books, after a look that there is a word for each thing that is alive and no other. */
static void read_stats(const struct replay *replay, struct adm_stats *stats)
{
    adm_machine_stats(replay->time.machine, stats);
    ADM_ASSERT(replay->words.ids.n_live == stats->running + stats->queued + stats->listeners);
}

static void print_stats(struct replay *replay)
{
    struct adm_stats stats;
    adm_virtual_time_apply(&replay->time, NULL);
    read_stats(replay, &stats);
    adm_event_line_write_stats(replay->out, replay->time.now, &stats);
}

static void apply(struct replay *replay, const struct adm_trace_line *line)
{
    if (line->is_late) {
        adm_virtual_time_jump(&replay->time, line->at);
    } else {
        adm_virtual_time_move(&replay->time, line->at);
    }
    replay->is_timed |= line->has_time;
    switch (line->type) {
    case ADM_TRACE_NOTHING:
    case ADM_TRACE_END:
        break;
    case ADM_TRACE_REQUEST:
        apply_request(replay, line);
        break;
    case ADM_TRACE_STATS:
        print_stats(replay);
        break;
    }
}

/* What is wrong with a line that is readable by itself, after the lines before it. */
static bool fits(const struct replay *replay, const struct adm_trace_line *line,
                 char error[ADM_READER_ERROR_MAX])
{
    if (!line->has_time && replay->is_timed) {
        snprintf(error, ADM_READER_ERROR_MAX, "a line without a TIME after one with a TIME");
        return false;
    }
    if (line->has_time && line->at < replay->time.now) {
        snprintf(error, ADM_READER_ERROR_MAX,
                 "TIME goes back, from %" PRId64 "us to %" PRId64 "us", replay->time.now,
                 line->at);
        return false;
    }
    return true;
}

static enum adm_exit replay_line(struct replay *replay, struct adm_text text)
{
    struct adm_trace_line line;
    char error[ADM_READER_ERROR_MAX];
    replay->line_number++;
    if (!adm_trace_read(text, &line, error)) {
        return complain(replay, error);
    }
    if (line.type == ADM_TRACE_NOTHING) {
        return ADM_EXIT_DONE;
    }
    if (!fits(replay, &line, error)) {
        return complain(replay, error);
    }
    apply(replay, &line);
    if (ferror(replay->out)) {
        return adm_command_fail(ADM_EXIT_FAILED, "standard output: %s", strerror(errno));
    }
    return ADM_EXIT_DONE;
}

static enum adm_exit replay_lines(struct replay *replay, FILE *in)
{
    char *buffer = NULL;
    size_t room = 0;
    ssize_t length;
    enum adm_exit status = ADM_EXIT_DONE;
    while (status == ADM_EXIT_DONE && (length = getline(&buffer, &room, in)) >= 0) {
        status = replay_line(replay, adm_text_line(buffer, (size_t)length));
    }
    if (status == ADM_EXIT_DONE && !feof(in)) {
        status = adm_command_unreadable(replay->name, errno);
    }
    free(buffer);
    return status;
}

static enum adm_exit replay_stream(const char *name, FILE *in)
{
    const struct adm_hash_key key = adm_hash_key_random();
    struct replay replay = {.name = name, .out = stdout};
    adm_words_init(&replay.words, &key);
    adm_virtual_time_init(&replay.time, &key, tell, &replay);
    const enum adm_exit status = replay_lines(&replay, in);
    struct adm_stats stats;
    read_stats(&replay, &stats);
    adm_virtual_time_deinit(&replay.time);
    adm_words_deinit(&replay.words);
    return status;
}

static enum adm_exit replay_file(const char *name)
{
    if (strcmp(name, "-") == 0) {
        return replay_stream("<stdin>", stdin);
    }
    FILE *in = fopen(name, "re");
    if (in == NULL) {
        return adm_command_fail(ADM_EXIT_WRONG, "%s: %s", name, strerror(errno));
    }
    const enum adm_exit status = replay_stream(name, in);
    fclose(in);
    return status;
}

static const char help[] =
    "Usage: admission replay FILE...\n"
    "\n"
    "Drives the state machine through a trace in virtual time and prints its events,\n"
    "one a line. Each FILE has a machine of its own; `-' is standard input. The first\n"
    "unreadable line ends the replay: FILE:LINE: what is wrong, exit status 2.\n"
    "docs/trace-format.md tells the format.\n"
    "\n"
    "Options:\n"
    "  -h, --help     Show this help and exit\n";

static enum adm_exit run(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h') {
            return adm_command_print(help);
        }
        fputs("Try `admission replay --help'.\n", stderr);
        return ADM_EXIT_WRONG;
    }
    if (optind == argc) {
        return adm_command_wrong_call(argv[0], "a FILE is missing");
    }
    enum adm_exit status = ADM_EXIT_DONE;
    for (int i = optind; i < argc && status == ADM_EXIT_DONE; i++) {
        status = replay_file(argv[i]);
    }
    return adm_command_flush(stdout, "standard output", status);
}

const struct adm_command adm_replay_command = {
    .name = "replay",
    .summary = "Print the events of a trace",
    .run = run,
};
