/* What the server tells about itself: to a principal as JSON, to operators as text for
 * Prometheus. Neither names another principal. */
#ifndef ADM_SERVE_FIGURES_H
#define ADM_SERVE_FIGURES_H

#include "admission/stats.h"
#include "tool/serve/feed.h"
#include "tool/serve/press.h"
#include "tool/serve/reply.h"
#include "tool/serve/streams.h"

/* All that is known at one moment. */
struct adm_figures {
    struct admission_stats actor;
    const struct adm_stream_counts *streams;
    const struct adm_press *press;
    const struct adm_feed *feed;
    int64_t max_listens;
    size_t backlog;
    unsigned connections;
    uint64_t requests;
};

struct adm_reply adm_figures_stats(const struct adm_figures *figures,
                                   const struct adm_principal *principal);
struct adm_reply adm_figures_metrics(const struct adm_figures *figures);

#endif
