/* See tool/trace_write.h. */
#include "tool/trace_write.h"

#include <inttypes.h>

#include "tool/options.h"

static void write_name(FILE *out, const char *before, struct adm_name name)
{
    fputs(before, out);
    fwrite(name.bytes, 1, name.length, out);
}

/* The options of an admit: those that say something. */
static void write_admit(FILE *out, const struct adm_options *options,
                        const struct adm_trace_line *line)
{
    write_name(out, "admit ", line->id);
    adm_options_write(options, out, &line->request, adm_options_named(options, &line->request));
}

static void write_request(FILE *out, const struct adm_trace_line *line)
{
    const struct adm_request *request = &line->request;
    switch (request->type) {
    case ADM_REQUEST_TICKET:
        write_admit(out, &adm_options_of_ticket, line);
        break;
    case ADM_REQUEST_LISTENER:
        write_admit(out, &adm_options_of_listener, line);
        break;
    case ADM_REQUEST_LEAVE:
        write_name(out, "leave ", line->id);
        break;
    case ADM_REQUEST_LEAVE_PRINCIPAL:
        write_name(out, "leave principal=", request->of.principal);
        break;
    case ADM_REQUEST_CANCEL:
        write_name(out, "cancel ", line->id);
        break;
    case ADM_REQUEST_LIVE:
        write_name(out, "live principal=", request->of.principal);
        break;
    case ADM_REQUEST_DOWN:
        fputs("down", out);
        break;
    case ADM_REQUEST_LIMITS:
        fputs("limits", out);
        adm_options_write(&adm_options_of_limits, out, request, request->of.limits.named);
        break;
    case ADM_REQUEST_PROVIDER:
        write_name(out, "provider ", request->of.provider.name);
        adm_options_write(&adm_options_of_provider, out, request, request->of.provider.named);
        break;
    case ADM_REQUEST_COOLDOWN:
        write_name(out, "cooldown ", request->of.cooldown.provider);
        fprintf(out, " %" PRId64 "us", request->of.cooldown.delay_us);
        break;
    case ADM_REQUEST_CLOSE:
        fputs("close", out);
        break;
    }
}

void adm_trace_write(FILE *out, const struct adm_trace_line *line)
{
    if (line->has_time) {
        const struct adm_name nobody = {.bytes = "-", .length = 1};
        fprintf(out, "%" PRId64 "us", line->at);
        write_name(out, line->is_late ? "! " : " ",
                   adm_name_is_none(line->handle) ? nobody : line->handle);
        putc(' ', out);
    }
    switch (line->type) {
    case ADM_TRACE_NOTHING:
        break;
    case ADM_TRACE_REQUEST:
        write_request(out, line);
        break;
    case ADM_TRACE_STATS:
        fputs("stats", out);
        break;
    case ADM_TRACE_END:
        fputs("end", out);
        break;
    }
    putc('\n', out);
}
