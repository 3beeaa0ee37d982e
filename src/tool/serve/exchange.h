/* One request and its answer: what may come in, its body, and who is asked. */
#ifndef ADM_SERVE_EXCHANGE_H
#define ADM_SERVE_EXCHANGE_H

#include <microhttpd.h>

#include "tool/serve/office.h"

enum {
    ADM_EXCHANGE_BODY_MAX = 256 * 1024,
    ADM_EXCHANGE_SKIP_MAX = 4 * 1024 * 1024 /* announced, and read to be able to answer */
};

/* The two callbacks of libmicrohttpd; `office` is a struct adm_office. */
enum MHD_Result adm_exchange_handle(void *office, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *n_upload, void **exchange);
void adm_exchange_complete(void *office, struct MHD_Connection *connection, void **exchange,
                           enum MHD_RequestTerminationCode why);

#endif
