/* Which file a name leads to, so that two names of one file are told from two files. */
#ifndef ADM_TOOL_PLACE_H
#define ADM_TOOL_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* A file that is there, or the path of one that open() would make. */
struct adm_place {
    bool is_there;
    struct stat status;
    char path[PATH_MAX]; /* without links; "" when nothing can be made */
};

void adm_place_of_path(struct adm_place *place, const char *path);
void adm_place_of_descriptor(struct adm_place *place, int fd);

/* Would what is written to one be written to the other? A terminal or /dev/null takes the lines
 * of several and has nothing to lose, so of devices the answer is no. */
bool adm_place_is_same(const struct adm_place *a, const struct adm_place *b);

static inline bool adm_place_is_plain(const struct adm_place *place)
{
    return place->is_there && S_ISREG(place->status.st_mode);
}

#endif
