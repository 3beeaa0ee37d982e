/* Server-Sent Events: frames, and the dialect of GET /listen. */
#ifndef ADM_SERVE_SSE_H
#define ADM_SERVE_SSE_H

#include "tool/serve/spool.h"
#include "tool/serve/streams.h"

/* Adds one event; `data` has no line ends, `id` NULL: it has none. */
void adm_sse_add(struct adm_spool *spool, const char *id, const char *event, const char *data);

/* What a browser's EventSource and curl are told. The last event has an id that begins with
 * ADM_SSE_END: who comes back with it is answered that there is nothing more. */
extern const struct adm_dialect adm_sse_dialect;

#define ADM_SSE_END "end:"

/* What is said instead of a stream that cannot be had. */
enum MHD_Result adm_sse_refuse(struct MHD_Connection *connection);

#endif
