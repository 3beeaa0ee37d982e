/* The abort signal: one number that is set once, and a flag that goes up with it.
 *
 * In a pool the dispatcher hears the actor and raises it. On a caller's thread nobody else may
 * read the client, so whoever asks the signal hears the actor first. */
#include "api/signal.h"

#include <stddef.h>
#include <unistd.h>

#include "actor/flag.h"
#include "api/cancellation.h"
#include "api/watch.h"
#include "base/assert.h"
#include "base/time.h"

void adm_signal_init(struct admission_signal *signal, const struct adm_hub *hub)
{
    *signal = (struct admission_signal){.hub = hub, .flag_fd = -1, .fd = -1};
    atomic_init(&signal->reason, ADMISSION_ABORT_NONE);
}

static void hear(struct adm_claim *claim, enum adm_reason why)
{
    struct admission_signal *signal =
        (struct admission_signal *)((char *)claim - offsetof(struct admission_signal, claim));
    adm_signal_raise(signal, adm_signal_reason_of(why));
}

void adm_signal_attach(struct admission_signal *signal, admission_client_t *client)
{
    signal->reader = client;
    signal->claim.hear = hear;
    LIST_INSERT_HEAD(&client->claims, &signal->claim, link);
}

void adm_signal_expect(struct admission_signal *signal, uint64_t ticket)
{
    signal->claim.id = ticket;
}

void adm_signal_detach(struct admission_signal *signal)
{
    LIST_REMOVE(&signal->claim, link);
}

void adm_signal_renew(struct admission_signal *signal, int flag_fd)
{
    atomic_store(&signal->reason, ADMISSION_ABORT_NONE);
    signal->flag_fd = flag_fd;
    if (flag_fd != -1) {
        const int before = adm_cancellation_off();
        adm_flag_lower(flag_fd);
        adm_cancellation_restore(before);
    }
}

void adm_signal_retire(struct admission_signal *signal)
{
    if (signal->fd != -1) {
        const int before = adm_cancellation_off();
        close(signal->fd);
        adm_cancellation_restore(before);
    }
    signal->fd = -1;
    signal->flag_fd = -1;
}

void adm_signal_raise(struct admission_signal *signal, admission_abort_t reason)
{
    int none = ADMISSION_ABORT_NONE;
    const int before = adm_cancellation_off();
    if (atomic_compare_exchange_strong(&signal->reason, &none, (int)reason) &&
        signal->flag_fd != -1) {
        adm_flag_raise(signal->flag_fd);
    }
    adm_cancellation_restore(before);
}

admission_abort_t adm_signal_reason_of(enum adm_reason why)
{
    switch (why) {
    case ADM_REASON_TIMEOUT:
        return ADMISSION_ABORT_TIMEOUT;
    case ADM_REASON_CLOSED:
        return ADMISSION_ABORT_CLOSED;
    case ADM_REASON_CANCELLED: /* by us, who have raised the signal before */
        return ADMISSION_ABORT_UNSUBSCRIBED;
    case ADM_REASON_NONE:
    case ADM_REASON_OVERFLOW:
    case ADM_REASON_UNKNOWN_PROVIDER:
    case ADM_REASON_DUPLICATE:
        break;
    }
    adm_assert_failed(__FILE__, __LINE__, "there is a reason to abort");
}

static bool is_raised(const struct admission_signal *signal)
{
    return atomic_load(&signal->reason) != ADMISSION_ABORT_NONE;
}

static bool can_read(const struct admission_signal *signal)
{
    return signal->reader != NULL && adm_client_check_reader(signal->reader) == ADMISSION_OK;
}

admission_abort_t admission_signal_reason(admission_signal_t *signal)
{
    ADM_ASSERT(signal != NULL);
    if (!is_raised(signal) && can_read(signal)) {
        adm_client_hear(signal->reader);
    }
    return (admission_abort_t)atomic_load(&signal->reason);
}

/* Waits for the flag, and for the client's socket if the caller may read it, and so has just
 * armed it. */
static void wait_for_word(struct admission_signal *signal, int64_t until)
{
    struct pollfd fds[] = {{.fd = signal->flag_fd, .events = POLLIN},
                           {.fd = -1, .events = POLLIN}};
    size_t n_fds = 1;
    const bool reads = can_read(signal);
    if (reads) {
        fds[n_fds++].fd = signal->reader->socket_fd;
        adm_client_begin_wait(signal->reader);
    }
    adm_clock_visit(&signal->hub->clock, fds, n_fds, until);
    if (reads) {
        adm_client_end_wait(signal->reader);
    }
}

admission_status_t admission_signal_wait(admission_signal_t *signal, int64_t timeout_us)
{
    ADM_ASSERT(signal != NULL);
    if (adm_hub_is_forked(signal->hub)) {
        return ADMISSION_FORKED; /* nobody raises it here */
    }
    if (timeout_us < 0) {
        return ADMISSION_INVALID;
    }
    const int64_t until = adm_time_add(adm_clock_elapsed(&signal->hub->clock), timeout_us);
    while (admission_signal_reason(signal) == ADMISSION_ABORT_NONE) {
        if (until <= adm_clock_elapsed(&signal->hub->clock)) {
            return ADMISSION_EMPTY;
        }
        wait_for_word(signal, until);
    }
    return ADMISSION_OK;
}

admission_status_t admission_signal_fd(admission_signal_t *signal, int *fd)
{
    ADM_ASSERT(signal != NULL && fd != NULL);
    if (adm_hub_is_forked(signal->hub)) {
        return ADMISSION_FORKED;
    }
    if (signal->reader == NULL) {
        *fd = signal->flag_fd;
        return ADMISSION_OK;
    }
    if (signal->fd == -1) {
        const int before = adm_cancellation_off();
        signal->fd = adm_watch_new(signal->flag_fd, signal->reader->socket_fd);
        adm_cancellation_restore(before);
        if (signal->fd == -1) {
            return ADMISSION_NO_RESOURCES;
        }
    }
    (void)admission_signal_reason(signal); /* arms the socket's descriptor */
    *fd = signal->fd;
    return ADMISSION_OK;
}

const char *admission_abort_text(admission_abort_t reason)
{
    switch (reason) {
    case ADMISSION_ABORT_NONE:
        return "none";
    case ADMISSION_ABORT_TIMEOUT:
        return "timeout";
    case ADMISSION_ABORT_PAUSED:
        return "paused";
    case ADMISSION_ABORT_DISPOSED:
        return "disposed";
    case ADMISSION_ABORT_UNSUBSCRIBED:
        return "unsubscribed";
    case ADMISSION_ABORT_CLOSED:
        return "closed";
    }
    return "not a reason";
}
