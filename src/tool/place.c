/* See tool/place.h. A file that is there is known by its device and its number, one that is not
 * by its path, for links that lead to nothing yet are followed too. */
#include "tool/place.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

static bool has_folder(const char *path)
{
    char *copy = strdup(path);
    struct stat status;
    const bool is_there =
        copy != NULL && stat(dirname(copy), &status) == 0 && S_ISDIR(status.st_mode);
    free(copy);
    return is_there;
}

void adm_place_of_path(struct adm_place *place, const char *path)
{
    *place = (struct adm_place){.is_there = false};
    place->is_there = stat(path, &place->status) == 0;
    if (place->is_there) {
        return;
    }
    /* glibc leaves the path up to what is missing, which here is the file itself */
    const bool is_new = realpath(path, place->path) == NULL && errno == ENOENT;
    if (!is_new || !has_folder(path)) {
        *place->path = '\0';
    }
}

void adm_place_of_descriptor(struct adm_place *place, int fd)
{
    *place = (struct adm_place){.is_there = false};
    place->is_there = fstat(fd, &place->status) == 0;
}

bool adm_place_is_same(const struct adm_place *a, const struct adm_place *b)
{
    if (a->is_there != b->is_there) {
        return false;
    }
    if (!a->is_there) {
        return *a->path != '\0' && strcmp(a->path, b->path) == 0;
    }
    return a->status.st_dev == b->status.st_dev && a->status.st_ino == b->status.st_ino &&
           !S_ISCHR(a->status.st_mode);
}
