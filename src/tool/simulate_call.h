/* The command line of `admission simulate`, read and checked. */
#ifndef ADM_TOOL_SIMULATE_CALL_H
#define ADM_TOOL_SIMULATE_CALL_H

#include "tool/command.h"
#include "tool/output.h"
#include "tool/study.h"

enum {
    ADM_CALL_LIMITS = 64,
    ADM_CALL_PROVIDERS = 256
};

/* The question's arrays lie beside it, so a call stays where it is. A path is NULL when it was
 * not given. */
struct adm_call {
    const char *command;
    struct adm_rows_options rows;
    struct adm_question question;
    uint32_t limits[ADM_CALL_LIMITS];
    struct adm_provider_limit providers[ADM_CALL_PROVIDERS];
    enum adm_output output;
    const char *columns;
    const char *events;
    const char *trace;
    const char *plot;
    bool wants_help;
};

/* Reads the arguments after `simulate`: `listens` or `requests`, and theirs. ADM_EXIT_WRONG
 * after a message. */
enum adm_exit adm_call_read(struct adm_call *call, int argc, char **argv);

#endif
