/* The files of the page, which the build puts into the program. */
#ifndef ADM_SERVE_ASSETS_H
#define ADM_SERVE_ASSETS_H

#include <stddef.h>

struct adm_asset {
    const char *path;
    const char *type;
    const char *bytes;
    size_t n;
};

/* Ends with one whose path is NULL. */
extern const struct adm_asset adm_assets[];

#endif
