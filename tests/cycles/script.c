/* See script.h. */
#include "script.h"

int64_t elapsed(struct bench *bench)
{
    const struct admission_clock *face = admission_virtual_clock_face(bench->clock);
    return face->elapsed(face->context);
}

int play(struct admission_attempt *attempt, void *context)
{
    struct script *script = context;
    atomic_fetch_add(&script->n_calls, 1);
    script->called_at[attempt->number] = elapsed(script->bench);
    check(admission_signal_reason(attempt->signal) == ADMISSION_ABORT_NONE);
    if (script->cooldown_us != 0 && attempt->number == 1) {
        check_ok(admission_attempt_cooldown(attempt, script->cooldown_us));
    }
    if (script->takes_us > 0) {
        pass_inside(script->bench, script->takes_us);
    }
    if (script->also != NULL) {
        script->also(script, attempt);
    }
    script->seen[attempt->number] = admission_signal_reason(attempt->signal);
    if (attempt->number <= script->n_failures) {
        return FAILED;
    }
    attempt->value = attempt->user;
    return 0;
}

static bool should_retry(uint64_t attempt, int error, void *context)
{
    struct script *script = context;
    check(error == FAILED && attempt == atomic_load(&script->n_calls));
    atomic_fetch_add(&script->n_asked, 1);
    raise_semaphore(&script->asked);
    return !script->says_no;
}

static int64_t at_once(uint64_t attempt, int error, void *context)
{
    (void)attempt;
    (void)error;
    (void)context;
    return 0;
}

struct script script_for(struct bench *bench)
{
    struct script script = {.bench = bench};
    check(sem_init(&script.asked, 0, 0) == 0);
    return script;
}

struct admission_query_options options_for(struct script *script)
{
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = play;
    options.context = script;
    options.should_retry = should_retry;
    options.retry_delay = at_once;
    return options;
}

admission_query_t *query_of(struct bench *bench, const struct admission_query_options *options)
{
    admission_query_t *query = NULL;
    check_ok(admission_query_new(&query, bench->client, options, NULL));
    return query;
}

struct admission_result run(struct bench *bench, admission_query_t *query)
{
    struct admission_result result;
    check_ok(admission_query_run(query, bench->client, bench, NULL, &result));
    return result;
}

static void *run_there(void *arg)
{
    struct runner *runner = arg;
    admission_client_t *client;
    check_ok(admission_client_new(&client, runner->bench->actor));
    check_ok(
        admission_query_run(runner->query, client, runner, &runner->cycle, &runner->result));
    admission_client_destroy(&client);
    return NULL;
}

void start_runner(struct runner *runner, struct bench *bench, admission_query_t *query)
{
    *runner = (struct runner){.bench = bench, .query = query};
    runner->thread = start_thread(run_there, runner);
}

void wait_for_queued(struct bench *bench, uint64_t n)
{
    while (books(bench).queued != n) {
        sched_yield();
    }
}

uint64_t hold_slot(struct bench *bench, const char *key)
{
    struct admission_ticket ticket = admission_ticket_default();
    ticket.key = key;
    uint64_t id;
    check_ok(admission_client_admit_ticket(bench->client, &ticket, &id, NULL));
    return id;
}

int wait_for_abort(struct admission_attempt *attempt, void *context)
{
    struct script *script = context;
    atomic_fetch_add(&script->n_calls, 1);
    raise_semaphore(&script->asked);
    check_ok(admission_signal_wait(attempt->signal, ADMISSION_NONE));
    return FAILED;
}

void expect_refusal(struct bench *bench, admission_query_t *query, struct script *script,
                    admission_reason_t reason)
{
    const struct admission_result result = run(bench, query);
    check(result.outcome == ADMISSION_OUTCOME_ADMISSION && result.reason == reason);
    check(result.attempts == 0 && script->n_calls == 0 && script->n_asked == 0);
    check(result.ran_us == 0 && result.error == 0);
}
