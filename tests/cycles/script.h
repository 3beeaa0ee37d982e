/* What the function of a test's query does, written down beforehand; and a second thread that
 * runs a cycle. The time that a function takes it lets pass itself. */
#ifndef ADM_TESTS_CYCLES_SCRIPT_H
#define ADM_TESTS_CYCLES_SCRIPT_H

#include "fixture.h"

#define SECOND ADMISSION_S(1)

enum {
    FAILED = 7,
    MOST_ATTEMPTS = 8
};

/* What a test's function does, and what it saw. */
struct script {
    struct bench *bench;
    int64_t takes_us;
    unsigned n_failures; /* before it succeeds */
    int64_t cooldown_us; /* at its first attempt, if not 0 */
    bool says_no;        /* to a retry */
    sem_t asked;         /* for a retry */
    void (*also)(struct script *script, struct admission_attempt *attempt);

    atomic_uint n_calls;
    atomic_uint n_asked;
    admission_abort_t seen[MOST_ATTEMPTS + 1];
    int64_t called_at[MOST_ATTEMPTS + 1];
};

struct script script_for(struct bench *bench);

/* The function, and one that waits until its signal is raised, and fails. Both count. */
int play(struct admission_attempt *attempt, void *context);
int wait_for_abort(struct admission_attempt *attempt, void *context);

/* Those of a query that plays `script`, asks it for retries, and retries at once. */
struct admission_query_options options_for(struct script *script);
admission_query_t *query_of(struct bench *bench, const struct admission_query_options *options);

/* Runs a cycle here. */
struct admission_result run(struct bench *bench, admission_query_t *query);

/* Runs one that admission refuses: no attempt is made, and nobody is asked. */
void expect_refusal(struct bench *bench, admission_query_t *query, struct script *script,
                    admission_reason_t reason);

/* A cycle on a second thread, with a client of its own. */
struct runner {
    struct bench *bench;
    admission_query_t *query;
    uint64_t cycle;
    struct admission_result result;
    pthread_t thread;
};

void start_runner(struct runner *runner, struct bench *bench, admission_query_t *query);

void wait_for_queued(struct bench *bench, uint64_t n);

/* Takes a slot. */
uint64_t hold_slot(struct bench *bench, const char *key);
int64_t elapsed(struct bench *bench);

#endif
