/* Two descriptors as one: readable as long as either is. */
#ifndef ADM_API_WATCH_H
#define ADM_API_WATCH_H

/* Makes it. Returns -1, and errno says why, when it can't be had. End it with close(), before
 * or after the two. */
int adm_watch_new(int fd, int other_fd);

#endif
