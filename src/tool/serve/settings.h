/* What `admission serve` is told: on the command line, and in a zconfig file with the same
 * names. The command line wins; what can be given more than once adds up. */
#ifndef ADM_SERVE_SETTINGS_H
#define ADM_SERVE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <czmq.h>

#include "tool/command.h"

struct adm_settings {
    bool wants_help;
    uint16_t port;
    char *bind;
    int64_t max_listens;
    int64_t keepalive_us;     /* 0: none */
    char *tokens;             /* NULL: no file */
    char *anonymous;          /* the principal of who has no token; NULL: nobody is */
    uint32_t max_connections; /* 0: as many as descriptors allow */
    zlist_t *allow_hosts;
    zlist_t *feeds;
    char *config;
    bool is_conformance;
    bool is_demo;

    /* Of `bind` and `port`, once read. */
    struct sockaddr_storage address;
    socklen_t address_length;
};

/* Reads and checks; whatever it returns, adm_settings_deinit() follows. */
enum adm_exit adm_settings_read(struct adm_settings *settings, int argc, char **argv);
void adm_settings_deinit(struct adm_settings *settings);

#endif
