/* One line of a log, whatever its format. */
#ifndef ADM_TOOL_LOG_ENTRY_H
#define ADM_TOOL_LOG_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/reader.h"

/* What a log is of: of streams that principals hold open, or of requests to providers. */
enum adm_log_kind {
    ADM_LOG_LISTENS,
    ADM_LOG_REQUESTS,
};

/* What `lasts_us` is when the line does not tell. */
#define ADM_LASTS_UNKNOWN INT64_C(-1)

/* The texts borrow from the line; one of length 0 is not there. */
struct adm_log_entry {
    int64_t at_us;
    bool is_end; /* `at_us` is when it ended, and not when it began */
    int64_t lasts_us;
    struct adm_text principal; /* of a listen */
    struct adm_text provider;  /* of a request */
    struct adm_text key;       /* of a request */
};

#endif
