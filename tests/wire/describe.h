/* Records as lines of text: what two of them are compared by, and what docs/messages.md says of
 * its examples. Each function returns a string to free(). */
#ifndef ADM_TESTS_WIRE_DESCRIBE_H
#define ADM_TESTS_WIRE_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/event.h"
#include "wire/inbound.h"

/* One line without its end: the kind and the members that count for it, none left out. */
char *describe_inbound(const struct adm_inbound *inbound);
char *describe_event(const struct adm_event *event);

/* A whole message of the inlet or of an outlet, a line for each record; what cannot be read is
 * the last line, `malformed`. */
char *describe_inlet(const uint8_t *bytes, size_t size);
char *describe_outlet(const uint8_t *bytes, size_t size);

#endif
