/* A whole answer to an HTTP request, as data: whoever decides it does not send it. */
#ifndef ADM_SERVE_REPLY_H
#define ADM_SERVE_REPLY_H

#include <stddef.h>

#include <jansson.h>
#include <microhttpd.h>

#include "tool/serve/spool.h"

/* `status` 0 is no answer yet. `body` and `value` belong to the reply until it is sent. */
struct adm_reply {
    unsigned status;
    const char *type; /* of the body; NULL: there is none */
    char *body;
    const char *lasting; /* instead of `body`: bytes that last as long as the program */
    size_t n_body;
    const char *header; /* one more header; NULL: none */
    char *value;
};

#define ADM_REPLY_TEXT "text/plain; charset=utf-8"

/* A status with a line of text that lasts as long as the program, or with nothing (NULL). */
struct adm_reply adm_reply_text(unsigned status, const char *text);

/* A status with what is in `spool`, which is empty then. */
struct adm_reply adm_reply_spool(unsigned status, const char *type, struct adm_spool *spool);

/* `value` is copied. */
struct adm_reply adm_reply_with(struct adm_reply reply, const char *header, const char *value);

/* Takes `json`. */
struct adm_reply adm_reply_json(unsigned status, json_t *json);

/* Sends it and frees what it owns. */
enum MHD_Result adm_reply_send(struct adm_reply *reply, struct MHD_Connection *connection);
void adm_reply_deinit(struct adm_reply *reply);

#endif
