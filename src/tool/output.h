/* How a subcommand gives its figures: to people, or to programs. */
#ifndef ADM_TOOL_OUTPUT_H
#define ADM_TOOL_OUTPUT_H

#include <stdbool.h>

enum adm_output {
    ADM_OUTPUT_TABLE,
    ADM_OUTPUT_CSV,
    ADM_OUTPUT_JSON,
};

/* Reads the argument of --format: false, and `output` untouched, when there is no such one. */
bool adm_output_read(const char *word, enum adm_output *output);

#endif
