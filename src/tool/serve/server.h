/* The server: one thread, one loop, one admission client. */
#ifndef ADM_SERVE_SERVER_H
#define ADM_SERVE_SERVER_H

#include "tool/serve/settings.h"

struct adm_server;

/* Opens everything; says what is wrong on standard error and returns NULL. `*status` then tells
 * whose fault it was. */
struct adm_server *adm_server_new(const struct adm_settings *settings, enum adm_exit *status);
void adm_server_destroy(struct adm_server **server);

/* The port that it listens on. */
unsigned adm_server_port(const struct adm_server *server);

/* Serves until SIGTERM or SIGINT, then ends every stream with its last words; who has not read
 * them after a second is cut off. */
void adm_server_run(struct adm_server *server);

#endif
