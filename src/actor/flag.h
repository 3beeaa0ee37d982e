/* A descriptor that is readable as long as it is raised: an eventfd. */
#ifndef ADM_ACTOR_FLAG_H
#define ADM_ACTOR_FLAG_H

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

/* Returns -1, and errno says why, when it can't be had. End it with close(). */
static inline int adm_flag_new(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* Raises it, again too. With cancellation disabled, as is the next. */
static inline void adm_flag_raise(int fd)
{
    const uint64_t once = 1;
    ADM_ASSERT(write(fd, &once, sizeof once) == sizeof once);
}

static inline void adm_flag_lower(int fd)
{
    uint64_t count;
    if (read(fd, &count, sizeof count) != sizeof count) {
        ADM_ASSERT(errno == EAGAIN); /* it was not raised */
    }
}

#endif
