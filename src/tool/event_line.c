/* See tool/event_line.h. */
#include "tool/event_line.h"

#include <inttypes.h>

static void write_name(FILE *out, struct adm_name name)
{
    fwrite(name.bytes, 1, name.length, out);
}

/* `TIMEus HANDLE VERB ID` */
static void write_start(FILE *out, int64_t at, struct adm_name handle, const char *verb,
                        struct adm_name id)
{
    fprintf(out, "%" PRId64 "us ", at);
    write_name(out, handle);
    fprintf(out, " %s ", verb);
    write_name(out, id);
}

void adm_event_line_write(FILE *out, int64_t at, const struct adm_effect *effect,
                          struct adm_name handle, struct adm_name id)
{
    switch (effect->type) {
    case ADM_EFFECT_GRANTED:
        write_start(out, at, handle, "granted", id);
        break;
    case ADM_EFFECT_REFUSED:
        write_start(out, at, handle, "refused", id);
        fprintf(out, " %s", adm_reason_text(effect->reason));
        break;
    case ADM_EFFECT_ABORT:
        write_start(out, at, handle, "abort", id);
        fprintf(out, " %s", adm_reason_text(effect->reason));
        break;
    case ADM_EFFECT_ADMITTED:
        write_start(out, at, handle, "admitted", id);
        fprintf(out, " %" PRIu64, effect->order);
        break;
    case ADM_EFFECT_SUPERSEDED:
        write_start(out, at, handle, "superseded", id);
        break;
    case ADM_EFFECT_CLOSED:
        write_start(out, at, handle, "closed", id);
        break;
    case ADM_EFFECT_LIVE:
        write_start(out, at, handle, "live", id);
        return;
    case ADM_EFFECT_LISTENER:
        fprintf(out, " %" PRIu64 ":", effect->order);
        write_name(out, handle);
        putc(':', out);
        write_name(out, id);
        return;
    case ADM_EFFECT_NO_PROVIDER:
        fprintf(out, "%" PRId64 "us - refused cooldown unknown-provider", at);
        break;
    case ADM_EFFECT_DRAINED:
        fprintf(out, "%" PRId64 "us - drained", at);
        break;
    }
    putc('\n', out);
}

void adm_event_line_write_stats(FILE *out, int64_t at, const struct adm_stats *stats)
{
    fprintf(out,
            "%" PRId64 "us - stats running=%" PRIu32 " queued=%" PRIu32 " listeners=%" PRIu32
            " principals=%" PRIu32 " longest_held=%" PRId64 "us\n",
            at, stats->running, stats->queued, stats->listeners, stats->principals,
            stats->longest_held_us);
}
