/* See compare.h. The machine is handed copies of all names, which are spoilt right after the
 * step: what it wants to remember it has to keep (core/request.h). */
#include "compare.h"

#include <inttypes.h>
#include <string.h>

#include "../base/random.h"
#include "base/time.h"
#include "core/machine.h"
#include "naive.h"

/* Both models in the middle of a trace. */
struct run {
    struct adm_machine *machine;
    struct naive *naive;
    struct adm_effects machine_effects;
    struct adm_effects naive_effects;
    uint64_t n_asked; /* tickets */
    struct comparison comparison;
};

static struct adm_hash_key key_of(uint64_t seed)
{
    struct random random = {.state = seed};
    const uint64_t halves[2] = {random_next(&random), seed};
    struct adm_hash_key key;
    memcpy(key.bytes, halves, sizeof key.bytes);
    return key;
}

/* Names that are gone after the step. */
struct lent {
    char bytes[2][ADM_NAME_MAX];
    struct adm_request request;
};

static void lend(struct lent *lent, int place, struct adm_name *name)
{
    memcpy(lent->bytes[place], name->bytes, name->length);
    name->bytes = lent->bytes[place];
}

static void lend_names(struct lent *lent, const struct adm_request *request)
{
    lent->request = *request;
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        lend(lent, 0, &lent->request.of.ticket.provider);
        lend(lent, 1, &lent->request.of.ticket.key);
        break;
    case ADM_REQUEST_LISTENER:
        lend(lent, 0, &lent->request.of.listener.principal);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
    case ADM_REQUEST_LIVE:
        lend(lent, 0, &lent->request.of.principal);
        break;
    case ADM_REQUEST_PROVIDER:
        lend(lent, 0, &lent->request.of.provider.name);
        break;
    case ADM_REQUEST_COOLDOWN:
        lend(lent, 0, &lent->request.of.cooldown.provider);
        break;
    case ADM_REQUEST_LEAVE:
    case ADM_REQUEST_CANCEL:
    case ADM_REQUEST_DOWN:
    case ADM_REQUEST_LIMITS:
    case ADM_REQUEST_CLOSE:
        break;
    }
}

static void step_machine(struct adm_machine *machine, int64_t now,
                         const struct adm_request *request, struct adm_effects *effects)
{
    adm_effects_clear(effects);
    if (request == NULL) {
        adm_machine_step(machine, now, NULL, effects);
        return;
    }
    struct lent lent;
    lend_names(&lent, request);
    adm_machine_step(machine, now, &lent.request, effects);
    memset(&lent, '?', sizeof lent);
}

static bool is_same_effect(const struct adm_effect *a, const struct adm_effect *b)
{
    return a->type == b->type && a->reason == b->reason && a->handle == b->handle &&
           a->n == b->n && a->id == b->id && a->order == b->order && a->span_us == b->span_us;
}

static bool are_same_effects(const struct adm_effects *a, const struct adm_effects *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        if (!is_same_effect(&a->items[i], &b->items[i])) {
            return false;
        }
    }
    return a->n == b->n;
}

static bool are_same_gauges(const struct adm_stats *a, const struct adm_stats *b)
{
    return a->running == b->running && a->queued == b->queued && a->listeners == b->listeners &&
           a->principals == b->principals && a->max_concurrent == b->max_concurrent;
}

static bool are_same_counters(const struct adm_stats *a, const struct adm_stats *b)
{
    return a->tickets_granted == b->tickets_granted &&
           memcmp(a->tickets_refused, b->tickets_refused, sizeof a->tickets_refused) == 0 &&
           memcmp(a->tickets_aborted, b->tickets_aborted, sizeof a->tickets_aborted) == 0 &&
           a->tickets_left == b->tickets_left && a->tickets_withdrawn == b->tickets_withdrawn &&
           a->listeners_admitted == b->listeners_admitted &&
           memcmp(a->listeners_refused, b->listeners_refused, sizeof a->listeners_refused) ==
               0 &&
           a->listeners_superseded == b->listeners_superseded &&
           a->listeners_left == b->listeners_left &&
           a->listeners_closed == b->listeners_closed && a->stray_leaves == b->stray_leaves;
}

static bool are_same_longest(const struct adm_stats *a, const struct adm_stats *b)
{
    return a->longest_held_us == b->longest_held_us &&
           (a->running == 0 ||
            (a->longest_handle == b->longest_handle && a->longest_id == b->longest_id &&
             adm_name_equal(a->longest_provider, b->longest_provider) &&
             adm_name_equal(a->longest_key, b->longest_key)));
}

static bool is_balanced(const struct adm_stats *stats, uint64_t n_asked)
{
    uint64_t n_refused = 0;
    for (int reason = 0; reason < ADM_N_REASONS; reason++) {
        n_refused += stats->tickets_refused[reason];
    }
    uint64_t n_waits = 0;
    for (int i = 0; i < ADM_N_WAITS; i++) {
        n_waits += stats->waits[i];
    }
    return stats->tickets_granted == stats->running + stats->tickets_left &&
           stats->tickets_granted == n_waits &&
           stats->listeners_admitted == stats->listeners + stats->listeners_superseded +
                                            stats->listeners_left + stats->listeners_closed &&
           n_asked ==
               stats->tickets_granted + n_refused + stats->tickets_withdrawn + stats->queued;
}

static bool is_same_holding(const struct run *run)
{
    for (uint32_t handle = 0; handle <= MAX_HANDLES; handle++) {
        if (adm_machine_held(run->machine, handle) != naive_held(run->naive, handle)) {
            return false;
        }
    }
    return true;
}

static bool are_same_providers(const struct run *run)
{
    for (uint32_t i = 0; i < N_PROVIDERS; i++) {
        const struct adm_name name = trace_provider(i);
        if (adm_machine_has_provider(run->machine, name) !=
            naive_has_provider(run->naive, name)) {
            return false;
        }
    }
    return true;
}

/* What differs after a step; NULL when nothing does. */
static const char *find_difference(const struct run *run)
{
    struct adm_stats machine;
    struct adm_stats naive;
    adm_machine_stats(run->machine, &machine);
    naive_stats(run->naive, &naive);
    const int64_t due_at = naive_due_at(run->naive);
    return !are_same_effects(&run->machine_effects, &run->naive_effects) ? "the effects"
           : adm_machine_due_at(run->machine) != due_at                  ? "the due time"
           : !are_same_gauges(&machine, &naive)                          ? "the gauges"
           : !are_same_counters(&machine, &naive)                        ? "the counters"
           : memcmp(machine.waits, naive.waits, sizeof naive.waits) != 0 ? "the waits"
           : !are_same_longest(&machine, &naive)  ? "the longest held ticket"
           : !is_same_holding(run)                ? "what a handle holds"
           : !are_same_providers(run)             ? "the providers"
           : !is_balanced(&machine, run->n_asked) ? "the balance of the books"
                                                  : NULL;
}

static void report_effects(FILE *report, const char *whose, int64_t now,
                           const struct adm_effects *effects)
{
    fprintf(report, "%s effects: %zu\n", whose, effects->n);
    for (size_t i = 0; i < effects->n; i++) {
        fprintf(report, "    %" PRId64 "us", now);
        trace_print_effect(report, &effects->items[i]);
    }
}

static void report_numbers(FILE *report, const char *name, const uint64_t *numbers, int n)
{
    fprintf(report, " %s", name);
    for (int i = 0; i < n; i++) {
        fprintf(report, "%c%" PRIu64, i == 0 ? '=' : ',', numbers[i]);
    }
}

static void report_books(FILE *report, const char *whose, int64_t due_at,
                         const struct adm_stats *stats)
{
    fprintf(report, "%s due at %" PRId64 "\n   ", whose, due_at);
    fprintf(report, " running=%u queued=%u listeners=%u principals=%u", stats->running,
            stats->queued, stats->listeners, stats->principals);
    fprintf(report, " longest_held=%" PRId64 " of h%" PRIu32 " t%" PRIu64,
            stats->longest_held_us, stats->longest_handle, stats->longest_id);
    report_numbers(report, "granted", &stats->tickets_granted, 1);
    report_numbers(report, "refused", stats->tickets_refused, ADM_N_REASONS);
    report_numbers(report, "aborted", stats->tickets_aborted, ADM_N_REASONS);
    report_numbers(report, "left", &stats->tickets_left, 1);
    report_numbers(report, "withdrawn", &stats->tickets_withdrawn, 1);
    report_numbers(report, "admitted", &stats->listeners_admitted, 1);
    report_numbers(report, "listeners_refused", stats->listeners_refused, ADM_N_REASONS);
    report_numbers(report, "superseded", &stats->listeners_superseded, 1);
    report_numbers(report, "listeners_left", &stats->listeners_left, 1);
    report_numbers(report, "listeners_closed", &stats->listeners_closed, 1);
    report_numbers(report, "stray", &stats->stray_leaves, 1);
    report_numbers(report, "waits", stats->waits, 8);
    fprintf(report, "\n");
}

static void report_difference(FILE *report, const struct run *run)
{
    const struct comparison *comparison = &run->comparison;
    fprintf(report, "line %zu, now %" PRId64 ": %s differ\n", comparison->line + 2,
            comparison->now, comparison->what);
    report_effects(report, "machine:", comparison->now, &run->machine_effects);
    report_effects(report, "naive:  ", comparison->now, &run->naive_effects);
    struct adm_stats stats;
    adm_machine_stats(run->machine, &stats);
    report_books(report, "machine:", adm_machine_due_at(run->machine), &stats);
    naive_stats(run->naive, &stats);
    report_books(report, "naive:  ", naive_due_at(run->naive), &stats);
}

/* One step of both; returns whether they still agree. */
static bool step_both(struct run *run, int64_t now, const struct adm_request *request)
{
    adm_effects_clear(&run->naive_effects);
    naive_step(run->naive, now, request, &run->naive_effects);
    step_machine(run->machine, now, request, &run->machine_effects);
    run->n_asked += request != NULL && request->type == ADM_REQUEST_TICKET;
    run->comparison.n_steps++;
    run->comparison.now = now;
    run->comparison.what = find_difference(run);
    run->comparison.differs = run->comparison.what != NULL;
    return !run->comparison.differs;
}

/* I2: on its way to a line's time the clock stops at every due time, unless the line is late.
 */
static bool run_line(struct run *run, const struct line *line)
{
    while (!line->is_late && naive_due_at(run->naive) < line->now) {
        if (!step_both(run, naive_due_at(run->naive), NULL)) {
            return false;
        }
    }
    return step_both(run, line->now, line->has_request ? &line->request : NULL);
}

struct comparison compare_models(const struct trace *trace, struct clauses *clauses,
                                 FILE *report)
{
    const struct adm_hash_key key = key_of(trace->seed);
    struct run run = {
        .machine = adm_machine_new(&trace->limits, &key),
        .naive = naive_new(&trace->limits, clauses),
    };
    for (size_t i = 0; i < trace->n_lines && !run.comparison.differs; i++) {
        run.comparison.line = i;
        run_line(&run, &trace->lines[i]);
    }
    if (run.comparison.differs && report != NULL) {
        report_difference(report, &run);
    }
    adm_machine_destroy(&run.machine);
    naive_destroy(&run.naive);
    adm_effects_deinit(&run.machine_effects);
    adm_effects_deinit(&run.naive_effects);
    return run.comparison;
}

/* Two machines in the middle of a trace, and what each told in its last step. */
struct pair {
    struct adm_machine *machines[2];
    struct adm_effects effects[2];
    struct comparison comparison;
};

static void step_pair(struct pair *pair, int64_t now, const struct adm_request *request)
{
    for (int i = 0; i < 2; i++) {
        step_machine(pair->machines[i], now, request, &pair->effects[i]);
    }
    pair->comparison.n_steps++;
    pair->comparison.now = now;
    pair->comparison.differs =
        !are_same_effects(&pair->effects[0], &pair->effects[1]) ||
        adm_machine_due_at(pair->machines[0]) != adm_machine_due_at(pair->machines[1]);
}

struct comparison compare_keys(const struct trace *trace)
{
    struct pair pair = {0};
    for (uint64_t i = 0; i < 2; i++) {
        const struct adm_hash_key key = key_of(trace->seed * 2 + i);
        pair.machines[i] = adm_machine_new(&trace->limits, &key);
    }
    for (size_t i = 0; i < trace->n_lines && !pair.comparison.differs; i++) {
        const struct line *line = &trace->lines[i];
        pair.comparison.line = i;
        while (!line->is_late && !pair.comparison.differs &&
               adm_machine_due_at(pair.machines[0]) < line->now) {
            step_pair(&pair, adm_machine_due_at(pair.machines[0]), NULL);
        }
        if (!pair.comparison.differs) {
            step_pair(&pair, line->now, line->has_request ? &line->request : NULL);
        }
    }
    for (int i = 0; i < 2; i++) {
        adm_machine_destroy(&pair.machines[i]);
        adm_effects_deinit(&pair.effects[i]);
    }
    return pair.comparison;
}

static void drop_line(struct trace *trace, size_t at)
{
    trace->n_lines--;
    memmove(&trace->lines[at], &trace->lines[at + 1],
            (trace->n_lines - at) * sizeof trace->lines[0]);
}

void compare_shrink(struct trace *trace)
{
    struct clauses unused;
    bool has_shrunk = true;
    while (has_shrunk) {
        has_shrunk = false;
        for (size_t i = trace->n_lines; i-- > 0;) {
            static struct trace shorter;
            shorter = *trace;
            drop_line(&shorter, i);
            const struct comparison comparison = compare_models(&shorter, &unused, NULL);
            if (comparison.differs) {
                shorter.n_lines = comparison.line + 1; /* what comes after does not matter */
                *trace = shorter;
                i = i < trace->n_lines ? i : trace->n_lines;
                has_shrunk = true;
            }
        }
    }
}
