/* `admission simulate listens`: what a cap on the streams of a principal would do.
 *
 * Its memory is bounded by what is live, and by the principals that the log names: for each of
 * them and each cap, 48 bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/limits.h"
#include "tool/rank.h"
#include "tool/run.h"
#include "tool/study.h"

/* What a cap does to one principal. */
struct toll {
    uint64_t n_superseded;
    uint64_t n_refused;
    adm_sum_t cut_us; /* live time that superseding took away */
    uint32_t live;
    uint32_t peak;
};

/* One cap on its way over the log. */
struct run {
    struct adm_run base; /* one without a limit is there for comparison in a picture */
    uint64_t n_superseded;
    uint64_t n_refused;
    adm_sum_t cut_us;
    uint32_t peak_live;
    struct toll *tolls; /* by the number of the principal */
    size_t n_tolls;
    size_t room;
    struct adm_series live;
};

struct listens {
    const struct adm_question *question;
    const struct adm_rows *rows;
    struct run *runs; /* one a cap, then the one without when a picture is wanted */
    size_t n_runs;
    uint64_t n; /* rows */
    uint64_t *n_by_principal;
    size_t n_principals;
    size_t room;
    int64_t first_at;
};

static void hear(void *context, const struct adm_sim_event *event)
{
    struct run *run = context;
    struct toll *toll = &run->tolls[event->thing->who];
    switch (event->news) {
    case ADM_SIM_BEGAN:
        toll->live++;
        toll->peak = toll->live > toll->peak ? toll->live : toll->peak;
        break;
    case ADM_SIM_REFUSED:
        run->n_refused++;
        toll->n_refused++;
        break;
    case ADM_SIM_SUPERSEDED: {
        const uint64_t cut_us = (uint64_t)(event->thing->end_at - event->at);
        run->n_superseded++;
        run->cut_us += cut_us;
        toll->n_superseded++;
        toll->cut_us += cut_us;
        toll->live--;
        break;
    }
    case ADM_SIM_ENDED:
        toll->live--;
        break;
    }
    const uint32_t alive = adm_sim_alive(&run->base.sim);
    run->peak_live = alive > run->peak_live ? alive : run->peak_live;
    adm_series_add(&run->live, event->at, alive);
}

static void start(struct run *run, uint32_t max_listens, uint32_t max_listeners, FILE *events,
                  FILE *trace)
{
    adm_run_init(&run->base, max_listens, hear, events, trace);
    struct adm_request limits = {.type = ADM_REQUEST_LIMITS, .handle = ADM_NOBODY};
    limits.of.limits.named = ADM_LIMIT_MAX_LISTENS_PER_PRINCIPAL | ADM_LIMIT_MAX_LISTENERS;
    limits.of.limits.to.max_listens_per_principal =
        max_listens == ADM_NO_LIMIT ? ADM_VALUE_COUNT_MAX : max_listens;
    limits.of.limits.to.max_listeners = max_listeners;
    adm_sim_change(&run->base.sim, true, &limits);
}

static void *new (const struct adm_question *question, const struct adm_rows *rows)
{
    struct listens *listens = adm_memory_new(1, sizeof *listens);
    listens->question = question;
    listens->rows = rows;
    listens->n_runs = question->n_limits + (question->wants_plot ? 1 : 0);
    listens->runs = adm_memory_new(listens->n_runs, sizeof *listens->runs);
    for (size_t i = 0; i < question->n_limits; i++) {
        start(&listens->runs[i], question->limits[i], question->max_listeners,
              i == 0 ? question->events : NULL, i == 0 ? question->trace : NULL);
    }
    if (question->wants_plot) {
        start(&listens->runs[question->n_limits], ADM_NO_LIMIT, ADM_NO_LIMIT, NULL, NULL);
    }
    return listens;
}

static void destroy(void *study)
{
    struct listens *listens = study;
    for (size_t i = 0; i < listens->n_runs; i++) {
        adm_run_deinit(&listens->runs[i].base);
        free(listens->runs[i].tolls);
    }
    free(listens->runs);
    free(listens->n_by_principal);
    free(listens);
}

static void count(struct listens *listens, const struct adm_row *row)
{
    listens->first_at = listens->n++ == 0 ? row->at_us : listens->first_at;
    listens->n_by_principal =
        adm_run_know(listens->n_by_principal, &listens->n_principals, &listens->room,
                     sizeof *listens->n_by_principal, row->who);
    listens->n_by_principal[row->who]++;
}

static void take(void *study, const struct adm_row *row)
{
    struct listens *listens = study;
    const struct adm_sim_thing thing = {
        .line = row->line,
        .lasts_us = row->lasts_us,
        .who = row->who,
    };
    struct adm_request request = {.type = ADM_REQUEST_LISTENER};
    request.of.listener.principal = adm_names_at(&listens->rows->who, row->who);
    count(listens, row);
    for (size_t i = 0; i < listens->n_runs; i++) {
        struct run *run = &listens->runs[i];
        run->tolls =
            adm_run_know(run->tolls, &run->n_tolls, &run->room, sizeof *run->tolls, row->who);
        request.of.listener.refuse_when_full =
            listens->question->refuse_when_full && run->base.limit != ADM_NO_LIMIT;
        adm_sim_move(&run->base.sim, row->at_us);
        adm_sim_admit(&run->base.sim, &thing, &request);
    }
}

static void finish(void *study)
{
    struct listens *listens = study;
    for (size_t i = 0; i < listens->n_runs; i++) {
        adm_sim_finish(&listens->runs[i].base.sim);
    }
}

static bool is_hit(const void *context, uint32_t who)
{
    const struct run *run = context;
    return run->tolls[who].n_superseded + run->tolls[who].n_refused > 0;
}

static uint64_t count_hit(const struct run *run)
{
    uint64_t n = 0;
    for (uint32_t who = 0; who < run->n_tolls; who++) {
        n += is_hit(run, who);
    }
    return n;
}

/* Who lost more streams, and of these who lost more time, is hit harder. */
static bool is_harder(const void *context, uint32_t a, uint32_t b)
{
    const struct run *run = context;
    const struct toll *left = &run->tolls[a];
    const struct toll *right = &run->tolls[b];
    const uint64_t n_left = left->n_superseded + left->n_refused;
    const uint64_t n_right = right->n_superseded + right->n_refused;
    return n_left != n_right ? n_left > n_right : left->cut_us > right->cut_us;
}

static const struct adm_sheet_column limit_columns[] = {
    {"max_listens", "max listens"},       {"listens", "listens"},
    {"principals", "principals"},         {"superseded", "superseded"},
    {"superseded_share", "share"},        {"refused", "refused"},
    {"principals_hit", "principals hit"}, {"live_time_cut_ms", "live time cut"},
    {"peak_live", "peak live"},
};

static const struct adm_sheet_column hardest_columns[] = {
    {"max_listens", "max listens"}, {"principal", "principal"},
    {"listens", "listens"},         {"superseded", "superseded"},
    {"refused", "refused"},         {"live_time_cut_ms", "live time cut"},
};

#define N_COLUMNS(columns) (sizeof(columns) / sizeof *(columns))

static void report_run(const struct listens *listens, const struct run *run,
                       struct adm_report *report)
{
    const struct adm_cell cells[N_COLUMNS(limit_columns)] = {
        adm_cell_limit(run->base.limit),
        adm_cell_count(listens->n),
        adm_cell_count(listens->n_principals),
        adm_cell_count(run->n_superseded),
        adm_cell_share(run->n_superseded, listens->n),
        adm_cell_count(run->n_refused),
        adm_cell_count(count_hit(run)),
        adm_cell_span(run->cut_us),
        adm_cell_count(run->peak_live),
    };
    adm_sheet_add(&report->limits, cells);
    uint32_t hardest[ADM_RANK_MAX];
    const size_t n = adm_rank(run, (uint32_t)run->n_tolls, is_hit, is_harder, hardest);
    for (size_t i = 0; i < n; i++) {
        const struct toll *toll = &run->tolls[hardest[i]];
        const struct adm_cell row[N_COLUMNS(hardest_columns)] = {
            adm_cell_limit(run->base.limit),
            adm_cell_name(adm_names_at(&listens->rows->who, hardest[i])),
            adm_cell_count(listens->n_by_principal[hardest[i]]),
            adm_cell_count(toll->n_superseded),
            adm_cell_count(toll->n_refused),
            adm_cell_span(toll->cut_us),
        };
        adm_sheet_add(&report->hardest, row);
    }
}

static void report(void *study, struct adm_report *report)
{
    struct listens *listens = study;
    adm_sheet_init(&report->limits, limit_columns, N_COLUMNS(limit_columns));
    adm_sheet_init(&report->hardest, hardest_columns, N_COLUMNS(hardest_columns));
    for (size_t i = 0; i < listens->question->n_limits; i++) {
        report_run(listens, &listens->runs[i], report);
    }
}

static void draw_live(const struct listens *listens, const void *const *runs,
                      struct adm_plot *plot)
{
    const struct run *uncapped = runs[0];
    const char *unit;
    const double unit_us = adm_plot_unit(adm_series_span_us(&uncapped->live), &unit);
    struct adm_panel *panel =
        adm_plot_panel(plot, "Live streams (the most in each step of time)", "live streams");
    snprintf(panel->x_label, sizeof panel->x_label, "time since the first line (%s)", unit);
    panel->is_log_y = true;
    for (size_t i = 0; i < listens->n_runs; i++) {
        const struct run *run = runs[i];
        char title[ADM_PLOT_LABEL] = "no cap";
        if (i > 0) {
            snprintf(title, sizeof title, "cap %u", run->base.limit);
        }
        adm_curve_add_series(adm_panel_curve(panel, i, title), &run->live, listens->first_at,
                             unit_us);
    }
}

static int compare_peaks(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* How many of the `n` peaks, lowest first, are above `level`. */
static size_t count_above(const uint32_t *peaks, size_t n, uint32_t level)
{
    size_t n_above = 0;
    while (n_above < n && peaks[n - 1 - n_above] > level) {
        n_above++;
    }
    return n_above;
}

/* A point for each distinct one of the `n` peaks, lowest first. None is above the last one, so
 * it ends the line at the height of the one before. */
static void draw_distribution(const uint32_t *peaks, size_t n, struct adm_curve *curve)
{
    size_t n_above = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_last = i + 1 == n;
        if (!is_last && peaks[i + 1] == peaks[i]) {
            continue;
        }
        n_above = is_last ? n_above : n - 1 - i;
        if (n_above > 0) {
            adm_curve_add(curve, peaks[i], (double)n_above);
        }
    }
}

/* A dot at each cap that hits somebody. */
static void mark_caps(const struct listens *listens, const void *const *runs,
                      const uint32_t *peaks, struct adm_panel *panel)
{
    for (size_t i = 1; i < listens->n_runs; i++) {
        const struct run *run = runs[i];
        const uint32_t cap = run->base.limit;
        const size_t n_hit = count_above(peaks, run->n_tolls, cap);
        char title[ADM_PLOT_LABEL];
        snprintf(title, sizeof title, "cap %u hits %zu", cap, n_hit);
        struct adm_curve *mark = adm_panel_curve(panel, i, title);
        mark->is_mark = true;
        if (n_hit > 0) {
            adm_curve_add(mark, cap, (double)n_hit);
        }
    }
}

/* How many principals go above a number of streams at once when nothing stops them: read at a
 * cap, that is how many it hits. */
static void draw_peaks(const struct listens *listens, const void *const *runs,
                       struct adm_plot *plot)
{
    const struct run *uncapped = runs[0];
    const size_t n = uncapped->n_tolls;
    uint32_t *peaks = adm_memory_new(n + 1, sizeof *peaks);
    for (size_t i = 0; i < n; i++) {
        peaks[i] = uncapped->tolls[i].peak;
    }
    qsort(peaks, n, sizeof *peaks, compare_peaks);
    struct adm_panel *panel = adm_plot_panel(
        plot, "Principals by the streams that they want at once", "principals with more");
    snprintf(panel->x_label, sizeof panel->x_label, "streams at once");
    panel->is_log_x = true;
    panel->is_log_y = true;
    draw_distribution(peaks, n, adm_panel_curve(panel, 0, "principals"));
    mark_caps(listens, runs, peaks, panel);
    free(peaks);
}

static void draw(void *study, struct adm_plot *plot)
{
    const struct listens *listens = study;
    /* The one without a cap comes first: what is drawn later lies on top, and is lower. */
    const void **runs = adm_run_order(listens->runs, listens->n_runs, sizeof *listens->runs);
    snprintf(plot->title, sizeof plot->title, "%" PRIu64 " listens of %zu principals",
             listens->n, listens->n_principals);
    draw_live(listens, runs, plot);
    draw_peaks(listens, runs, plot);
    free(runs);
}

const struct adm_study adm_study_listens = {
    .new = new,
    .take = take,
    .finish = finish,
    .report = report,
    .draw = draw,
    .destroy = destroy,
};
