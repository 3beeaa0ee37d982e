/* See tool/sim.h. In the machine the id of a thing is its number in the pool, which another
 * gets when it is gone; in events and traces its ID is that of its line - the first line with
 * data is 0, the order is that of the file - so that a figure can be followed to the log. The
 * heap of ends is all that the log adds to the machine's own due times; the clock stops at
 * whichever comes first. */
#include "tool/sim.h"

#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "tool/event_line.h"
#include "tool/trace_write.h"

/* All of a log is of one handle: ids are what matters. */
enum {
    HANDLE = 0
};
static const struct adm_name handle_word = {.bytes = "log", .length = 3};

static struct adm_sim_thing *thing_at(const struct adm_sim *sim, uint64_t number)
{
    return adm_pool_at(&sim->things, (uint32_t)number);
}

static void place(void *context, uint32_t number, uint32_t position)
{
    thing_at(context, number)->position = position;
}

/* The line of a thing as an ID, in `room`. */
static struct adm_name id_word(const struct adm_sim_thing *thing, char room[24])
{
    const int n = snprintf(room, 24, "%" PRIu64, thing->line);
    return (struct adm_name){.bytes = room, .length = (uint8_t)n};
}

static void tell(const struct adm_sim *sim, enum adm_sim_news news, enum adm_reason reason,
                 int64_t waited_us, const struct adm_sim_thing *thing)
{
    if (!sim->is_over) {
        sim->hear(sim->context, &(struct adm_sim_event){
                                    .news = news,
                                    .reason = reason,
                                    .at = sim->time.now,
                                    .waited_us = waited_us,
                                    .thing = thing,
                                });
    }
}

static void begin(struct adm_sim *sim, const struct adm_effect *effect)
{
    struct adm_sim_thing *thing = thing_at(sim, effect->id);
    thing->end_at = adm_time_add(sim->time.now, thing->lasts_us);
    adm_heap_add(&sim->ends, (struct adm_heap_entry){
                                 .major = (uint64_t)thing->end_at,
                                 .minor = thing->line,
                                 .number = (uint32_t)effect->id,
                             });
    tell(sim, ADM_SIM_BEGAN, ADM_REASON_NONE, effect->span_us, thing);
}

/* Its record goes back; the news is told when the counts are right again. */
static void end(struct adm_sim *sim, uint64_t number, enum adm_sim_news news,
                enum adm_reason reason, int64_t waited_us)
{
    struct adm_sim_thing *thing = thing_at(sim, number);
    if (thing->position != ADM_HEAP_OUT) {
        adm_heap_remove(&sim->ends, thing->position);
    }
    const struct adm_sim_thing ended = *thing;
    adm_pool_return(&sim->things, (uint32_t)number);
    tell(sim, news, reason, waited_us, &ended);
}

/* An aborted attempt ends here and now: its leave is the next thing that happens. */
static void abort_attempt(struct adm_sim *sim, uint64_t number)
{
    struct adm_sim_thing *thing = thing_at(sim, number);
    thing->end_at = sim->time.now;
    adm_heap_reorder(&sim->ends, thing->position, (uint64_t)thing->end_at, thing->line);
}

static void take_effect(void *context, int64_t at, const struct adm_effect *effect)
{
    struct adm_sim *sim = context;
    if (sim->events != NULL && !sim->is_over) {
        char room[24];
        adm_event_line_write(sim->events, at, effect, handle_word,
                             id_word(thing_at(sim, effect->id), room));
    }
    switch (effect->type) {
    case ADM_EFFECT_GRANTED:
    case ADM_EFFECT_ADMITTED:
        begin(sim, effect);
        break;
    case ADM_EFFECT_REFUSED:
        end(sim, effect->id, ADM_SIM_REFUSED, effect->reason, effect->span_us);
        break;
    case ADM_EFFECT_SUPERSEDED:
    case ADM_EFFECT_CLOSED:
        end(sim, effect->id, ADM_SIM_SUPERSEDED, effect->reason, 0);
        break;
    case ADM_EFFECT_ABORT:
        abort_attempt(sim, effect->id);
        break;
    case ADM_EFFECT_LIVE:
    case ADM_EFFECT_LISTENER:
    case ADM_EFFECT_NO_PROVIDER:
    case ADM_EFFECT_DRAINED:
        break;
    }
}

void adm_sim_init(struct adm_sim *sim, const struct adm_hash_key *key, adm_sim_hear *hear,
                  void *context)
{
    *sim = (struct adm_sim){.hear = hear, .context = context};
    adm_pool_init(&sim->things, sizeof(struct adm_sim_thing));
    adm_heap_init(&sim->ends, place, sim);
    adm_virtual_time_init(&sim->time, key, take_effect, sim);
}

static void write_line(const struct adm_sim *sim, const struct adm_trace_line *line)
{
    if (sim->trace != NULL && !sim->is_over) {
        adm_trace_write(sim->trace, line);
    }
}

/* Applies a request of the thing `number`, or of nobody (NULL). */
static void apply(struct adm_sim *sim, const struct adm_request *request,
                  const struct adm_sim_thing *thing)
{
    char room[24];
    if (sim->trace != NULL) {
        write_line(sim, &(struct adm_trace_line){
                            .type = ADM_TRACE_REQUEST,
                            .has_time = true,
                            .at = sim->time.now,
                            .handle = thing != NULL ? handle_word : adm_name_none(),
                            .id = thing != NULL ? id_word(thing, room) : adm_name_none(),
                            .request = *request,
                        });
    }
    adm_virtual_time_apply(&sim->time, request);
}

void adm_sim_change(struct adm_sim *sim, bool is_header, const struct adm_request *request)
{
    if (is_header) {
        write_line(sim,
                   &(struct adm_trace_line){.type = ADM_TRACE_REQUEST, .request = *request});
        adm_virtual_time_apply(&sim->time, request);
    } else {
        apply(sim, request, NULL);
    }
}

/* What has lasted leaves. */
static void leave(struct adm_sim *sim, uint32_t number)
{
    const struct adm_request request = {
        .type = ADM_REQUEST_LEAVE,
        .handle = HANDLE,
        .id = number,
    };
    const struct adm_sim_thing thing = *thing_at(sim, number);
    end(sim, number, ADM_SIM_ENDED, ADM_REASON_NONE, 0);
    apply(sim, &request, &thing);
}

static int64_t first_end_at(const struct adm_sim *sim)
{
    const struct adm_heap_entry *first = adm_heap_first(&sim->ends);
    return first != NULL ? (int64_t)first->major : ADM_NEVER;
}

/* Lets everything happen until `at`; the clock is then where the last of it happened. What is
 * due at an instant comes before what ends there, as it would before any message. */
static void run(struct adm_sim *sim, int64_t at)
{
    for (;;) {
        const int64_t due_at = adm_machine_due_at(sim->time.machine);
        const int64_t end_at = first_end_at(sim);
        if (adm_time_earlier(due_at, end_at) > at) {
            return;
        }
        if (due_at <= end_at) {
            adm_virtual_time_move(&sim->time, due_at);
        } else {
            adm_virtual_time_move(&sim->time, end_at);
            leave(sim, adm_heap_first(&sim->ends)->number);
        }
    }
}

void adm_sim_move(struct adm_sim *sim, int64_t at)
{
    run(sim, at);
    adm_virtual_time_move(&sim->time, at);
}

void adm_sim_admit(struct adm_sim *sim, const struct adm_sim_thing *thing,
                   const struct adm_request *request)
{
    struct adm_request admit = *request;
    admit.handle = HANDLE;
    admit.id = adm_pool_take(&sim->things);
    struct adm_sim_thing *kept = thing_at(sim, admit.id);
    *kept = *thing;
    kept->position = ADM_HEAP_OUT;
    apply(sim, &admit, thing);
}

void adm_sim_finish(struct adm_sim *sim)
{
    run(sim, ADM_NEVER - 1);
    write_line(sim, &(struct adm_trace_line){
                        .type = ADM_TRACE_END,
                        .has_time = true,
                        .at = sim->time.now,
                    });
}

/* What never ends by itself is ended by a close: its queued and live are told so, and what runs
 * is aborted, so it leaves. */
void adm_sim_deinit(struct adm_sim *sim)
{
    const struct adm_request close = {.type = ADM_REQUEST_CLOSE, .handle = ADM_NOBODY};
    sim->is_over = true;
    adm_virtual_time_apply(&sim->time, &close);
    run(sim, sim->time.now);
    adm_virtual_time_deinit(&sim->time);
    adm_heap_deinit(&sim->ends);
    adm_pool_deinit(&sim->things);
}
