/* See tool/output.h. */
#include "tool/output.h"

#include <stddef.h>
#include <string.h>

bool adm_output_read(const char *word, enum adm_output *output)
{
    static const char *const words[] = {
        [ADM_OUTPUT_TABLE] = "table", [ADM_OUTPUT_CSV] = "csv", [ADM_OUTPUT_JSON] = "json"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            *output = (enum adm_output)i;
            return true;
        }
    }
    return false;
}
