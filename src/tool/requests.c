/* `admission simulate requests`: what a limit on the requests that run at once would do.
 *
 * Its memory is bounded by what runs and waits, by the providers - or keys, when the limit is
 * per key - that the log names, and by the distinct waits (tool/waits.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "core/limits.h"
#include "tool/rank.h"
#include "tool/run.h"
#include "tool/study.h"
#include "tool/waits.h"

/* What a limit does to the requests of one provider or key. */
struct toll {
    uint64_t n;
    uint64_t n_refused;
    uint64_t n_waited;
    adm_sum_t wait_sum_us;
    int64_t wait_max_us;
};

/* One limit on its way over the log. */
struct run {
    struct adm_run base;
    uint64_t n_refused[ADM_N_REASONS];
    uint64_t n_waited;
    adm_sum_t wait_sum_us;
    struct adm_waits waits; /* of what started */
    uint32_t longest_queue;
    uint32_t peak_running;
    struct toll *tolls; /* by the number of the provider or key */
    size_t n_tolls;
    size_t room;
    struct adm_series running;
    struct adm_series queued;
};

struct requests {
    const struct adm_question *question;
    const struct adm_rows *rows;
    struct run *runs;
    uint64_t n; /* rows */
    int64_t first_at;
};

/* The toll that counts for a thing; NULL when it has no provider or key. */
static struct toll *toll_of(struct run *run, uint32_t who)
{
    return who == ADM_NAMES_NONE ? NULL : &run->tolls[who];
}

static void look(struct run *run, int64_t at)
{
    const uint32_t running = adm_sim_alive(&run->base.sim);
    const uint32_t queued = adm_sim_queued(&run->base.sim);
    run->peak_running = running > run->peak_running ? running : run->peak_running;
    run->longest_queue = queued > run->longest_queue ? queued : run->longest_queue;
    adm_series_add(&run->running, at, running);
    adm_series_add(&run->queued, at, queued);
}

static void count_wait(struct run *run, int64_t wait_us, uint32_t who)
{
    run->n_waited += wait_us > 0;
    run->wait_sum_us += (uint64_t)wait_us;
    adm_waits_add(&run->waits, wait_us);
    struct toll *toll = toll_of(run, who);
    if (toll != NULL) {
        toll->n_waited += wait_us > 0;
        toll->wait_sum_us += (uint64_t)wait_us;
        toll->wait_max_us = wait_us > toll->wait_max_us ? wait_us : toll->wait_max_us;
    }
}

static void hear(void *context, const struct adm_sim_event *event)
{
    struct run *run = context;
    struct toll *toll = toll_of(run, event->thing->who);
    switch (event->news) {
    case ADM_SIM_BEGAN:
        count_wait(run, event->waited_us, event->thing->who);
        break;
    case ADM_SIM_REFUSED:
        run->n_refused[event->reason]++;
        if (toll != NULL) {
            toll->n_refused++;
        }
        break;
    case ADM_SIM_SUPERSEDED:
    case ADM_SIM_ENDED:
        break;
    }
    look(run, event->at);
}

static void limit_provider(struct run *run, const struct adm_provider_limit *provider)
{
    struct adm_request request = {.type = ADM_REQUEST_PROVIDER, .handle = ADM_NOBODY};
    request.of.provider.name = provider->name;
    request.of.provider.named = ADM_LIMIT_MAX_CONCURRENT;
    request.of.provider.to.max_concurrent = provider->max_concurrent;
    adm_sim_change(&run->base.sim, true, &request);
}

static void start(struct run *run, const struct adm_question *question, uint32_t max_concurrent,
                  bool is_first)
{
    adm_run_init(&run->base, max_concurrent, hear, is_first ? question->events : NULL,
                 is_first ? question->trace : NULL);
    struct adm_request limits = {.type = ADM_REQUEST_LIMITS, .handle = ADM_NOBODY};
    limits.of.limits.named =
        ADM_LIMIT_MAX_CONCURRENT | ADM_LIMIT_MIN_INTERVAL | ADM_LIMIT_QUEUE_CAPACITY;
    limits.of.limits.to.max_concurrent = max_concurrent;
    limits.of.limits.to.min_interval_us = question->min_interval_us;
    limits.of.limits.to.queue_capacity = question->queue_capacity;
    adm_sim_change(&run->base.sim, true, &limits);
    for (size_t i = 0; i < question->n_providers; i++) {
        limit_provider(run, &question->providers[i]);
    }
}

static void *new (const struct adm_question *question, const struct adm_rows *rows)
{
    struct requests *requests = adm_memory_new(1, sizeof *requests);
    requests->question = question;
    requests->rows = rows;
    requests->runs = adm_memory_new(question->n_limits, sizeof *requests->runs);
    for (size_t i = 0; i < question->n_limits; i++) {
        start(&requests->runs[i], question, question->limits[i], i == 0);
    }
    return requests;
}

static void destroy(void *study)
{
    struct requests *requests = study;
    for (size_t i = 0; i < requests->question->n_limits; i++) {
        struct run *run = &requests->runs[i];
        adm_run_deinit(&run->base);
        adm_waits_deinit(&run->waits);
        free(run->tolls);
    }
    free(requests->runs);
    free(requests);
}

/* Counts a request with its provider or key. */
static void count(struct run *run, uint32_t who)
{
    if (who == ADM_NAMES_NONE) {
        return;
    }
    run->tolls = adm_run_know(run->tolls, &run->n_tolls, &run->room, sizeof *run->tolls, who);
    run->tolls[who].n++;
}

/* A provider that the log names for the first time is added, without limits. */
static void know_provider(struct run *run, struct adm_name name)
{
    if (!adm_name_is_none(name) &&
        !adm_machine_has_provider(run->base.sim.time.machine, name)) {
        struct adm_request request = {.type = ADM_REQUEST_PROVIDER, .handle = ADM_NOBODY};
        request.of.provider.name = name;
        adm_sim_change(&run->base.sim, false, &request);
    }
}

static void take(void *study, const struct adm_row *row)
{
    struct requests *requests = study;
    const struct adm_question *question = requests->question;
    const struct adm_sim_thing thing = {
        .line = row->line,
        .lasts_us = row->lasts_us,
        .who = question->is_per_key ? row->who : row->provider,
    };
    struct adm_request request = {.type = ADM_REQUEST_TICKET};
    request.of.ticket.provider = adm_names_at(&requests->rows->providers, row->provider);
    request.of.ticket.key = adm_names_at(&requests->rows->who, row->who);
    request.of.ticket.timeout_us = question->timeout_us;
    request.of.ticket.attempt_timeout_us = question->attempt_timeout_us;
    requests->first_at = requests->n++ == 0 ? row->at_us : requests->first_at;
    for (size_t i = 0; i < question->n_limits; i++) {
        struct run *run = &requests->runs[i];
        count(run, thing.who);
        adm_sim_move(&run->base.sim, row->at_us);
        know_provider(run, request.of.ticket.provider);
        adm_sim_admit(&run->base.sim, &thing, &request);
        look(run, row->at_us);
    }
}

static void finish(void *study)
{
    struct requests *requests = study;
    for (size_t i = 0; i < requests->question->n_limits; i++) {
        adm_sim_finish(&requests->runs[i].base.sim);
        adm_waits_settle(&requests->runs[i].waits);
    }
}

static bool is_hit(const void *context, uint32_t who)
{
    const struct run *run = context;
    return run->tolls[who].n_refused + run->tolls[who].n_waited > 0;
}

/* Who was refused more, and of these who waited longer in all, is hit harder. */
static bool is_harder(const void *context, uint32_t a, uint32_t b)
{
    const struct run *run = context;
    const struct toll *left = &run->tolls[a];
    const struct toll *right = &run->tolls[b];
    return left->n_refused != right->n_refused ? left->n_refused > right->n_refused
                                               : left->wait_sum_us > right->wait_sum_us;
}

static const struct adm_sheet_column limit_columns[] = {
    {"max_concurrent", "max concurrent"},
    {"requests", "requests"},
    {"started", "started"},
    {"refused_overflow", "overflow"},
    {"refused_timeout", "timeout"},
    {"wait_sum_ms", "wait sum"},
    {"wait_mean_ms", "mean"},
    {"wait_p50_ms", "p50"},
    {"wait_p90_ms", "p90"},
    {"wait_p99_ms", "p99"},
    {"wait_max_ms", "max"},
    {"waited", "waited"},
    {"longest_queue", "longest queue"},
    {"peak_running", "peak running"},
};

#define HARDEST_COLUMNS(of)                                                                    \
    {                                                                                          \
        {"max_concurrent", "max concurrent"}, {of, of}, {"requests", "requests"},              \
            {"refused", "refused"}, {"waited", "waited"}, {"wait_sum_ms", "wait sum"},         \
            {"wait_max_ms", "max"},                                                            \
    }

static const struct adm_sheet_column provider_columns[] = HARDEST_COLUMNS("provider");
static const struct adm_sheet_column key_columns[] = HARDEST_COLUMNS("key");

#define N_COLUMNS(columns) (sizeof(columns) / sizeof *(columns))

static struct adm_cell percentile(const struct run *run, unsigned percent)
{
    return adm_cell_span((uint64_t)adm_waits_percentile(&run->waits, percent));
}

/* The mean, to the nearest microsecond. */
static adm_sum_t mean_us(const struct run *run)
{
    const uint64_t n = run->waits.n;
    return n == 0 ? 0 : (run->wait_sum_us + n / 2) / n;
}

/* What the columns tell is all that can become of a request. */
static void check_books(const struct requests *requests, const struct run *run)
{
    const uint64_t n_refused =
        run->n_refused[ADM_REASON_OVERFLOW] + run->n_refused[ADM_REASON_TIMEOUT];
    ADM_ASSERT(run->waits.n + n_refused + adm_sim_queued(&run->base.sim) == requests->n);
}

static void report_limit(const struct requests *requests, const struct run *run,
                         struct adm_sheet *sheet)
{
    check_books(requests, run);
    const struct adm_cell cells[N_COLUMNS(limit_columns)] = {
        adm_cell_limit(run->base.limit),
        adm_cell_count(requests->n),
        adm_cell_count(run->waits.n),
        adm_cell_count(run->n_refused[ADM_REASON_OVERFLOW]),
        adm_cell_count(run->n_refused[ADM_REASON_TIMEOUT]),
        adm_cell_span(run->wait_sum_us),
        adm_cell_span(mean_us(run)),
        percentile(run, 50),
        percentile(run, 90),
        percentile(run, 99),
        percentile(run, 100),
        adm_cell_count(run->n_waited),
        adm_cell_count(run->longest_queue),
        adm_cell_count(run->peak_running),
    };
    adm_sheet_add(sheet, cells);
}

static void report_hardest(const struct requests *requests, const struct run *run,
                           struct adm_sheet *sheet)
{
    const struct adm_names *names =
        requests->question->is_per_key ? &requests->rows->who : &requests->rows->providers;
    uint32_t hardest[ADM_RANK_MAX];
    const size_t n = adm_rank(run, (uint32_t)run->n_tolls, is_hit, is_harder, hardest);
    for (size_t i = 0; i < n; i++) {
        const struct toll *toll = &run->tolls[hardest[i]];
        const struct adm_cell cells[N_COLUMNS(provider_columns)] = {
            adm_cell_limit(run->base.limit),
            adm_cell_name(adm_names_at(names, hardest[i])),
            adm_cell_count(toll->n),
            adm_cell_count(toll->n_refused),
            adm_cell_count(toll->n_waited),
            adm_cell_span(toll->wait_sum_us),
            adm_cell_span((uint64_t)toll->wait_max_us),
        };
        adm_sheet_add(sheet, cells);
    }
}

static void report(void *study, struct adm_report *report)
{
    struct requests *requests = study;
    const bool is_per_key = requests->question->is_per_key;
    adm_sheet_init(&report->limits, limit_columns, N_COLUMNS(limit_columns));
    adm_sheet_init(&report->hardest, is_per_key ? key_columns : provider_columns,
                   N_COLUMNS(provider_columns));
    for (size_t i = 0; i < requests->question->n_limits; i++) {
        report_limit(requests, &requests->runs[i], &report->limits);
        report_hardest(requests, &requests->runs[i], &report->hardest);
    }
}

static void title_of(const struct run *run, char title[ADM_PLOT_LABEL])
{
    snprintf(title, ADM_PLOT_LABEL, run->base.limit == ADM_NO_LIMIT ? "no limit" : "limit %u",
             run->base.limit);
}

/* One curve a limit: how many run, or wait, over time. */
static void draw_levels(const struct requests *requests, const void *const *runs,
                        struct adm_panel *panel, bool is_queue)
{
    const size_t n = requests->question->n_limits;
    double span_us = 0;
    for (size_t i = 0; i < n; i++) {
        const struct run *run = runs[i];
        const double here_us = adm_series_span_us(&run->running);
        span_us = here_us > span_us ? here_us : span_us;
    }
    const char *unit;
    const double unit_us = adm_plot_unit(span_us, &unit);
    snprintf(panel->x_label, sizeof panel->x_label, "time since the first line (%s)", unit);
    /* The shorter queue is the one of the looser limit, so there the order is turned round. */
    for (size_t i = 0; i < n; i++) {
        const size_t at = is_queue ? n - 1 - i : i;
        const struct run *run = runs[at];
        char title[ADM_PLOT_LABEL];
        title_of(run, title);
        adm_curve_add_series(adm_panel_curve(panel, at + 1, title),
                             is_queue ? &run->queued : &run->running, requests->first_at,
                             unit_us);
    }
}

enum {
    WAIT_POINTS = 1000
};

/* How many of those that started waited for longer than x. */
static void draw_wait(const struct run *run, struct adm_curve *curve, double unit_us)
{
    const struct adm_waits *waits = &run->waits;
    const size_t step = waits->n_distinct / WAIT_POINTS + 1;
    uint64_t n_longer = waits->n;
    for (size_t i = 0; i < waits->n_distinct; i++) {
        n_longer -= waits->distinct[i].n;
        if (i % step == 0 || i + 1 == waits->n_distinct) {
            adm_curve_add(curve, (double)waits->distinct[i].wait_us / unit_us,
                          100 * (double)n_longer / (double)waits->n);
        }
    }
}

static void draw_waits(const struct requests *requests, const void *const *runs,
                       struct adm_panel *panel)
{
    const size_t n = requests->question->n_limits;
    int64_t longest_us = 0;
    for (size_t i = 0; i < n; i++) {
        const struct run *run = runs[i];
        const int64_t here_us = adm_waits_percentile(&run->waits, 100);
        longest_us = here_us > longest_us ? here_us : longest_us;
    }
    const char *unit;
    const double unit_us = adm_plot_unit((double)longest_us, &unit);
    snprintf(panel->x_label, sizeof panel->x_label, "x, the wait (%s)", unit);
    for (size_t i = n; i > 0; i--) {
        char title[ADM_PLOT_LABEL];
        title_of(runs[i - 1], title);
        draw_wait(runs[i - 1], adm_panel_curve(panel, i, title), unit_us);
    }
}

static void draw(void *study, struct adm_plot *plot)
{
    const struct requests *requests = study;
    const void **runs =
        adm_run_order(requests->runs, requests->question->n_limits, sizeof *requests->runs);
    snprintf(plot->title, sizeof plot->title, "%" PRIu64 " requests", requests->n);
    draw_levels(
        requests, runs,
        adm_plot_panel(plot, "Running requests (the most in each step of time)", "running"),
        false);
    draw_levels(
        requests, runs,
        adm_plot_panel(plot, "Queued requests (the most in each step of time)", "queued"),
        true);
    draw_waits(requests, runs,
               adm_plot_panel(plot, "Waits of the requests that started",
                              "% that waited longer than x"));
    free(runs);
}

const struct adm_study adm_study_requests = {
    .new = new,
    .take = take,
    .finish = finish,
    .report = report,
    .draw = draw,
    .destroy = destroy,
};
