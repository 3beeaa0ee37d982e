/* The texts of statuses, and of what events carry. */
#include "admission/status.h"
#include "admission/event.h"
#include "admission/version.h"
#include "core/effect.h"

const char *admission_status_text(admission_status_t status)
{
    switch (status) {
    case ADMISSION_OK:
        return "done";
    case ADMISSION_REFUSED:
        return "refused by the actor";
    case ADMISSION_EMPTY:
        return "no event came in time";
    case ADMISSION_BUSY:
        return "the client's credit is used up";
    case ADMISSION_CLOSED:
        return "the actor has ended";
    case ADMISSION_INVALID:
        return "an argument is out of range";
    case ADMISSION_UNKNOWN_PROVIDER:
        return "there is no provider of that name";
    case ADMISSION_NOT_DRAINED:
        return "tickets still run after the drain time";
    case ADMISSION_FOREIGN_THREAD:
        return "only the client's owner thread may read";
    case ADMISSION_FORKED:
        return "opened before fork() by the parent process";
    case ADMISSION_NO_RESOURCES:
        return "no thread, socket or descriptor could be had";
    }
    return "not a status";
}

const char *admission_event_type_text(admission_event_type_t type)
{
    switch (type) {
    case ADMISSION_EVENT_GRANTED:
        return "granted";
    case ADMISSION_EVENT_REFUSED:
        return "refused";
    case ADMISSION_EVENT_ABORT:
        return "abort";
    case ADMISSION_EVENT_ADMITTED:
        return "admitted";
    case ADMISSION_EVENT_SUPERSEDED:
        return "superseded";
    case ADMISSION_EVENT_CLOSED:
        return "closed";
    case ADMISSION_EVENT_LIVE:
        return "live";
    }
    return "not an event type";
}

/* The public reasons are the core's (api/client_read.c holds that). */
const char *admission_reason_text(admission_reason_t reason)
{
    return adm_reason_text((enum adm_reason)reason);
}

const char *admission_version(void)
{
    return ADMISSION_VERSION;
}
