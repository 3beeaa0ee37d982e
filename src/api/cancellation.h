/* Keeps thread cancellation out of libzmq and out of our own locks: a thread cancelled inside a
 * send leaves the pipe deaf for ever, for everybody. */
#ifndef ADM_API_CANCELLATION_H
#define ADM_API_CANCELLATION_H

#include <pthread.h>

static inline int adm_cancellation_off(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void adm_cancellation_restore(int before)
{
    pthread_setcancelstate(before, NULL);
}

#endif
