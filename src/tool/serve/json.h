/* JSON as text. */
#ifndef ADM_SERVE_JSON_H
#define ADM_SERVE_JSON_H

#include <jansson.h>

/* The shortest text of a value of any kind, to free(). Takes `json`, which was made. */
char *adm_json_text(json_t *json);

#endif
