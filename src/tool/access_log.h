/* A line of a web server's access log: who, when, and for how long where it tells. */
#ifndef ADM_TOOL_ACCESS_LOG_H
#define ADM_TOOL_ACCESS_LOG_H

#include <stdbool.h>

#include "tool/log_entry.h"

enum adm_access_log {
    ADM_ACCESS_COMBINED, /* Apache's and nginx's combined format; its time is the arrival */
    ADM_ACCESS_NGINX,    /* the same and $request_time at the end; its time is the end */
};

/* Reads one line; `at_us` is since 1970. The address is the principal of a listen and the key
 * of a request, which has no provider. False: `error` says what is wrong. */
bool adm_access_log_read(enum adm_access_log format, struct adm_text line,
                         struct adm_log_entry *entry, char error[ADM_READER_ERROR_MAX]);

#endif
