/* See sim.h. */
#include "sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "shadow.h"
#include "wire/event.h"

static struct sim *self(struct adm_port *port)
{
    return (struct sim *)port;
}

/* The port. */

static int64_t elapsed(struct adm_port *port)
{
    struct sim *sim = self(port);
    sim->elapsed_us += sim->elapsed_step_us;
    if (sim->shadow != NULL) {
        shadow_now(sim->shadow, sim->elapsed_us);
    }
    return sim->elapsed_us;
}

static int64_t wall(struct adm_port *port)
{
    return self(port)->wall_us;
}

static const struct sim_message *next_message(struct sim *sim)
{
    return sim->n_taken < sim->n_posted ? &sim->inlet[sim->n_taken++] : sim->for_ever;
}

static bool take(struct adm_port *port, const uint8_t **bytes, size_t *size)
{
    struct sim *sim = self(port);
    free(sim->taken); /* valid until the next call, and not a moment longer */
    sim->taken = NULL;
    const struct sim_message *message = next_message(sim);
    if (message == NULL) {
        return false;
    }
    sim->taken = malloc(message->size); /* exactly: not the rounded up adm_memory */
    ADM_ASSERT(sim->taken != NULL || message->size == 0);
    if (message->size > 0) {
        memcpy(sim->taken, message->bytes, message->size);
    }
    *bytes = sim->taken;
    *size = message->size;
    if (sim->shadow != NULL) {
        shadow_take(sim->shadow, sim->taken, message->size);
    }
    return true;
}

static bool wait_for(struct adm_port *port, int64_t until)
{
    struct sim *sim = self(port);
    if (until == ADM_NEVER) {
        fprintf(sim->log, "wait for ever\n");
    } else {
        fprintf(sim->log, "wait until %" PRId64 "\n", until);
    }
    return !sim->is_restless;
}

static bool open_handle(struct adm_port *port, uint32_t handle, uint64_t *number)
{
    struct sim *sim = self(port);
    if (handle >= SIM_HANDLES || sim->n_calling[handle] == 0) {
        return false;
    }
    ADM_ASSERT(!sim->is_connected[handle]);
    sim->n_calling[handle]--;
    sim->is_connected[handle] = true;
    sim->is_gone[handle] = false;
    *number = ++sim->n_numbers;
    fprintf(sim->log, "open %" PRIu32 "\n", handle);
    return true;
}

static const char *type_text(enum adm_event_type type)
{
    static const char *const texts[] = {
        [ADM_EVENT_GRANTED] = "granted",
        [ADM_EVENT_REFUSED] = "refused",
        [ADM_EVENT_ABORT] = "abort",
        [ADM_EVENT_ADMITTED] = "admitted",
        [ADM_EVENT_SUPERSEDED] = "superseded",
        [ADM_EVENT_CLOSED] = "closed",
        [ADM_EVENT_LIVE] = "live",
        [ADM_EVENT_END] = "end",
    };
    return texts[type];
}

static const char *reason_text(enum adm_reason reason)
{
    static const char *const texts[] = {
        [ADM_REASON_NONE] = "",
        [ADM_REASON_OVERFLOW] = " overflow",
        [ADM_REASON_TIMEOUT] = " timeout",
        [ADM_REASON_CANCELLED] = " cancelled",
        [ADM_REASON_CLOSED] = " closed",
        [ADM_REASON_UNKNOWN_PROVIDER] = " unknown-provider",
        [ADM_REASON_DUPLICATE] = " duplicate",
    };
    return texts[reason];
}

/* Logs one event with its rows; returns how many bytes they take. */
static size_t log_event(FILE *log, const uint8_t *bytes, size_t size)
{
    struct adm_event event;
    ADM_ASSERT(adm_event_decode(bytes, size, &event));
    fputs(type_text(event.type), log);
    if (event.type != ADM_EVENT_END) {
        fprintf(log, " %" PRIu64, event.id);
    }
    fputs(reason_text(event.reason), log);
    if (event.type == ADM_EVENT_ADMITTED) {
        fprintf(log, " #%" PRIu64, event.order);
    }
    if (event.span_us > 0) {
        fprintf(log, " after %" PRId64 "us", event.span_us);
    }
    for (uint32_t i = 0; i < event.n; i++) {
        struct adm_event_row row;
        const size_t at = ADM_EVENT_RECORD * (1 + (size_t)i);
        ADM_ASSERT(adm_event_row_decode(bytes + at, size - at, &row));
        fprintf(log, " %" PRIu64 ":%" PRIu64 ":%" PRIu64, row.order, row.owner, row.id);
    }
    return ADM_EVENT_RECORD * (1 + (size_t)event.n);
}

static void log_delivery(struct sim *sim, uint32_t handle, const uint8_t *bytes, size_t size,
                         const struct adm_account *account)
{
    fprintf(sim->log, "to %" PRIu32 ": ", handle);
    if (size == 0) {
        fprintf(sim->log, "nothing");
    } else {
        int64_t stamp_us;
        ADM_ASSERT(adm_event_stamp_decode(bytes, size, &stamp_us) && stamp_us == sim->wall_us);
        for (size_t at = ADM_EVENT_STAMP; at < size;) {
            fputs(at == ADM_EVENT_STAMP ? "" : ", ", sim->log);
            at += log_event(sim->log, bytes + at, size - at);
        }
    }
    fprintf(sim->log, " [asked %" PRIu64 ", words %" PRIu64 ", held %" PRIu32 "]\n",
            account->n_asked, account->n_words, account->n_held);
}

static void deliver(struct adm_port *port, uint32_t handle, const uint8_t *bytes, size_t size,
                    const struct adm_account *account)
{
    struct sim *sim = self(port);
    ADM_ASSERT(handle < SIM_HANDLES && sim->is_connected[handle]);
    if (sim->shadow != NULL) {
        shadow_deliver(sim->shadow, handle, bytes, size, account, sim->wall_us);
    }
    if (sim->is_gone[handle]) {
        sim->n_lost++;
    } else {
        log_delivery(sim, handle, bytes, size, account);
    }
}

static void hang_up(struct adm_port *port, uint32_t handle)
{
    struct sim *sim = self(port);
    ADM_ASSERT(handle < SIM_HANDLES && sim->is_connected[handle]);
    sim->is_connected[handle] = false;
    fprintf(sim->log, "hang up %" PRIu32 "\n", handle);
}

static void tell_closed(struct adm_port *port)
{
    fprintf(self(port)->log, "closed\n");
}

static const char *word_text(enum adm_answer_word word)
{
    static const char *const texts[] = {
        [ADM_ANSWER_OK] = "ok",
        [ADM_ANSWER_NO_PROVIDER] = "no provider",
        [ADM_ANSWER_NOT_DRAINED] = "not drained",
        [ADM_ANSWER_ENDED] = "ended",
    };
    return texts[word];
}

static void answer(struct adm_port *port, uint64_t call, const struct adm_answer *answer)
{
    struct sim *sim = self(port);
    if (sim->shadow != NULL) {
        shadow_answer(sim->shadow, call, answer);
    }
    fprintf(sim->log, "answer %" PRIu64 ": %s", call, word_text(answer->word));
    if (answer->stats != NULL) {
        const struct adm_loop_stats *loop = &answer->stats->loop;
        fprintf(sim->log,
                " handles=%" PRIu64 " opened=%" PRIu64 " destroyed=%" PRIu64 " died=%" PRIu64
                " malformed=%" PRIu64 " running=%" PRIu32 " queued=%" PRIu32
                " listeners=%" PRIu32,
                loop->handles, loop->opened, loop->destroyed, loop->died, loop->malformed,
                answer->stats->machine.running, answer->stats->machine.queued,
                answer->stats->machine.listeners);
    }
    fputc('\n', sim->log);
}

/* The test's side. */

static void begin_log(struct sim *sim)
{
    if (sim->log != NULL) {
        fclose(sim->log);
    }
    free(sim->text);
    sim->text = NULL;
    sim->log = open_memstream(&sim->text, &sim->text_size);
    ADM_ASSERT(sim->log != NULL);
}

static const char *read_log(struct sim *sim)
{
    fflush(sim->log);
    return sim->text;
}

void sim_init(struct sim *sim)
{
    const struct adm_limits limits = adm_limits_default();
    const struct adm_hash_key key = {0};
    *sim = (struct sim){.port = {.elapsed = elapsed,
                                 .wall = wall,
                                 .take = take,
                                 .wait = wait_for,
                                 .open = open_handle,
                                 .deliver = deliver,
                                 .hang_up = hang_up,
                                 .tell_closed = tell_closed,
                                 .answer = answer}};
    begin_log(sim);
    sim->loop = adm_loop_new(&sim->port, adm_machine_new(&limits, &key));
}

void sim_deinit(struct sim *sim)
{
    (void)sim_end(sim);
    for (size_t i = 0; i < sim->n_posted; i++) {
        free(sim->inlet[i].bytes);
    }
    free(sim->inlet);
    free(sim->taken);
    fclose(sim->log);
    free(sim->text);
}

void sim_call(struct sim *sim, uint32_t handle)
{
    sim->n_calling[handle]++;
    if (sim->shadow != NULL) {
        shadow_call(sim->shadow, handle);
    }
}

void sim_put(struct sim *sim, struct adm_inbound inbound)
{
    ADM_ASSERT(sim->built + ADM_WIRE_INBOUND_MAX <= sizeof sim->building);
    sim->built += adm_inbound_encode(&inbound, sim->building + sim->built);
}

void sim_post(struct sim *sim)
{
    sim_post_bytes(sim, sim->building, sim->built);
    sim->built = 0;
}

void sim_post_bytes(struct sim *sim, const void *bytes, size_t size)
{
    struct sim_message message = {.bytes = adm_memory_new(size + 1, 1), .size = size};
    if (size > 0) {
        memcpy(message.bytes, bytes, size);
    }
    sim->inlet =
        adm_memory_reserve(sim->inlet, &sim->room, sim->n_posted + 1, sizeof *sim->inlet);
    sim->inlet[sim->n_posted++] = message;
}

void sim_say(struct sim *sim, struct adm_inbound inbound)
{
    sim_put(sim, inbound);
    sim_post(sim);
}

void sim_open(struct sim *sim, uint32_t handle)
{
    sim_call(sim, handle);
    sim_say(sim, (struct adm_inbound){.type = ADM_INBOUND_OPEN, .request = {.handle = handle}});
}

const char *sim_turn(struct sim *sim)
{
    begin_log(sim);
    if (!adm_loop_turn(sim->loop)) {
        fprintf(sim->log, "over\n");
    }
    if (sim->shadow != NULL) {
        shadow_turned(sim->shadow);
    }
    return read_log(sim);
}

const char *sim_drain(struct sim *sim)
{
    begin_log(sim);
    if (sim->shadow != NULL) {
        shadow_drain(sim->shadow);
    }
    adm_loop_drain(sim->loop);
    return read_log(sim);
}

const char *sim_inject(struct sim *sim, struct adm_inbound inbound)
{
    begin_log(sim);
    adm_loop_inject(sim->loop, &inbound);
    return read_log(sim);
}

const char *sim_end(struct sim *sim)
{
    begin_log(sim);
    if (sim->loop != NULL && sim->shadow != NULL) {
        shadow_end(sim->shadow);
    }
    adm_loop_destroy(&sim->loop);
    return read_log(sim);
}
