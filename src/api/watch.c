/* See api/watch.h. An epoll: unlike the two it can be waited for as one, by anybody's means. */
#include "api/watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

int adm_watch_new(int fd, int other_fd)
{
    const int both = epoll_create1(EPOLL_CLOEXEC);
    if (both == -1) {
        return -1;
    }
    struct epoll_event readable = {.events = EPOLLIN};
    if (epoll_ctl(both, EPOLL_CTL_ADD, fd, &readable) != 0 ||
        epoll_ctl(both, EPOLL_CTL_ADD, other_fd, &readable) != 0) {
        const int error = errno;
        close(both);
        errno = error;
        return -1;
    }
    return both;
}
