/* The `name=value` words of a trace line: which ones each kind of line takes, and their values.
 */
#ifndef ADM_TOOL_OPTIONS_H
#define ADM_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/request.h"
#include "tool/reader.h"

struct adm_option;

/* The options of one kind of line; `of` is what an error calls that line. */
struct adm_options {
    const char *of;
    const struct adm_option *options;
    size_t n;
};

extern const struct adm_options adm_options_of_limits;
extern const struct adm_options adm_options_of_provider;
extern const struct adm_options adm_options_of_ticket;
extern const struct adm_options adm_options_of_listener;
extern const struct adm_options adm_options_of_principal; /* principal=NAME alone */

/* Reads options to the end of the line into `request`. `named` gets a bit for each that was
 * there: of limits and providers, those of enum adm_limit_bit. */
bool adm_options_read(const struct adm_options *options, struct adm_reader *reader,
                      struct adm_request *request, unsigned *named);

/* Writes ` name=value` for each option that `named` has. */
void adm_options_write(const struct adm_options *options, FILE *out,
                       const struct adm_request *request, unsigned named);

/* Those of a ticket or listener whose value is not what leaving them out means. */
unsigned adm_options_named(const struct adm_options *options,
                           const struct adm_request *request);

/* Does an option `principal=` come on the rest of the line? */
bool adm_options_name_principal(struct adm_reader ahead);

#endif
