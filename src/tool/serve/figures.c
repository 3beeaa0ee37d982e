/* See tool/serve/figures.h. What the actor counts is taken from the actor: a stream that was
 * superseded while it left would be counted twice by anybody else. */
#include "tool/serve/figures.h"

#include <inttypes.h>

#include "admission/event.h"

struct adm_reply adm_figures_stats(const struct adm_figures *figures,
                                   const struct adm_principal *principal)
{
    const struct admission_stats *actor = &figures->actor;
    json_t *refs = json_array();
    const struct adm_stream *stream;
    TAILQ_FOREACH (stream, &principal->live, of_principal) {
        json_array_append_new(refs, json_integer((json_int_t)stream->id));
    }
    json_t *json = json_pack(
        "{ss sI sI sI sI sI sI sI so}", "principal", principal->name, "max",
        (json_int_t)figures->max_listens, "admitted", (json_int_t)actor->listeners_admitted,
        "superseded", (json_int_t)actor->listeners_superseded, "left",
        (json_int_t)actor->listeners_left, "closed", (json_int_t)actor->listeners_closed,
        "open", (json_int_t)figures->streams->n_open, "live_total",
        (json_int_t)actor->listeners, "live", json_pack("{so}", principal->name, refs));
    return adm_reply_json(MHD_HTTP_OK, json);
}

static void begin(struct adm_spool *out, const char *name, const char *type, const char *help)
{
    adm_spool_print(out, "# HELP admission_%s %s\n# TYPE admission_%s %s\n", name, help, name,
                    type);
}

/* A metric with one value. */
struct row {
    const char *name;
    const char *type;
    const char *help;
    uint64_t value;
};

static void add_rows(struct adm_spool *out, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        begin(out, rows[i].name, rows[i].type, rows[i].help);
        adm_spool_print(out, "admission_%s %" PRIu64 "\n", rows[i].name, rows[i].value);
    }
}

static void add_reasons(struct adm_spool *out, const char *name, const char *help,
                        const uint64_t *counts)
{
    begin(out, name, "counter", help);
    for (int reason = ADMISSION_REASON_OVERFLOW; reason < ADMISSION_N_REASONS; reason++) {
        adm_spool_print(out, "admission_%s{reason=\"%s\"} %" PRIu64 "\n", name,
                        admission_reason_text((admission_reason_t)reason), counts[reason]);
    }
}

/* Bucket i has whole microseconds below 2^i, which are at most 2^i - 1; those above a minute
 * are one. */
static void add_histogram(struct adm_spool *out, const char *name, const char *help,
                          const uint64_t *waits, uint64_t sum_us)
{
    enum {
        N_BUCKETS = 27
    };
    begin(out, name, "histogram", help);
    uint64_t n = 0;
    for (int i = 0; i < ADMISSION_N_WAITS; i++) {
        n += waits[i];
        if (i < N_BUCKETS) {
            const double end_s = (double)((UINT64_C(1) << i) - 1) / 1e6;
            adm_spool_print(out, "admission_%s_bucket{le=\"%.9g\"} %" PRIu64 "\n", name, end_s,
                            n);
        }
    }
    adm_spool_print(out, "admission_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, n);
    adm_spool_print(out, "admission_%s_sum %.6f\n", name, (double)sum_us / 1e6);
    adm_spool_print(out, "admission_%s_count %" PRIu64 "\n", name, n);
}

static void add_actor(struct adm_spool *out, const struct admission_stats *actor)
{
    const struct row rows[] = {
        {"live_streams", "gauge", "Streams that are live.", actor->listeners},
        {"principals", "gauge", "Principals with at least one live stream.", actor->principals},
        {"admitted_total", "counter", "Streams admitted.", actor->listeners_admitted},
        {"superseded_total", "counter", "Streams ended for a newer one of their principal.",
         actor->listeners_superseded},
        {"left_total", "counter", "Streams ended by their client.", actor->listeners_left},
        {"closed_total", "counter", "Streams ended by the server's end.",
         actor->listeners_closed},
        {"actor_wakeups_total", "counter", "Wake-ups of the actor's thread.", actor->wakeups},
    };
    add_rows(out, rows, sizeof rows / sizeof *rows);
    add_reasons(out, "refused_total", "Streams refused by the actor.",
                actor->listeners_refused);
}

static void add_server(struct adm_spool *out, const struct adm_figures *figures)
{
    const struct adm_stream_counts *streams = figures->streams;
    const struct row rows[] = {
        {"max_listens", "gauge", "Live streams that one principal can have.",
         (uint64_t)figures->max_listens},
        {"open_streams", "gauge", "Streams asked for, live or ending.", streams->n_open},
        {"backlog_bytes", "gauge", "Bytes that clients have not read yet.", figures->backlog},
        {"connections", "gauge", "Connections of HTTP.", figures->connections},
        {"requests_total", "counter", "Requests of HTTP.", figures->requests},
        {"turned_away_total", "counter", "Streams that the actor could not be asked for.",
         streams->turned_away},
        {"unread_total", "counter", "Streams dropped, for their client did not read.",
         streams->unread},
        {"published_total", "counter", "Messages published.", figures->press->published},
        {"unpublishable_total", "counter", "Messages whose topic or body broke the rule.",
         figures->press->refused},
        {"delivered_total", "counter", "Messages put into a stream.", streams->delivered},
        {"feed_received_total", "counter", "Messages received from the feed.",
         figures->feed->received},
        {"feed_malformed_total", "counter", "Messages of the feed that were not of two frames.",
         figures->feed->malformed},
    };
    add_rows(out, rows, sizeof rows / sizeof *rows);
}

struct adm_reply adm_figures_metrics(const struct adm_figures *figures)
{
    struct adm_spool out = {0};
    add_actor(&out, &figures->actor);
    add_server(&out, figures);
    add_histogram(&out, "wait_seconds",
                  "From asking for a stream until the actor's word that admitted it.",
                  figures->streams->waits, figures->streams->waited_us);
    struct adm_reply reply = {
        .status = MHD_HTTP_OK,
        .type = "text/plain; version=0.0.4; charset=utf-8",
        .n_body = adm_spool_length(&out),
    };
    reply.body = adm_spool_string(&out);
    return reply;
}
