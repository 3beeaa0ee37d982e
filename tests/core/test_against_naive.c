/* The machine against the naive model, on random traces.
 *
 * ADMISSION_TRACES says how many (5,000 unless it is set), ADMISSION_SEED where they begin: to
 * see one again, set them to 1 and to the seed that the failure named. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "compare.h"

TestSuite(against_naive, .timeout = 600);

/* The trace that is being run: what is shown when the machine breaks a promise and aborts. */
static struct trace trace;

static uint64_t setting(const char *name, uint64_t unless_set)
{
    const char *text = getenv(name);
    return text == NULL ? unless_set : strtoull(text, NULL, 10);
}

static void show_trace(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "aborted in the trace of ADMISSION_SEED=%" PRIu64 ":\n", trace.seed);
    trace_print(stderr, &trace);
}

static void show_difference(void)
{
    struct clauses unused;
    fprintf(stderr, "the models differ; ADMISSION_SEED=%" PRIu64 " ADMISSION_TRACES=1\n",
            trace.seed);
    compare_shrink(&trace);
    trace_print(stderr, &trace);
    compare_models(&trace, &unused, stderr);
}

static void assert_all_reached(const struct clauses *clauses)
{
    int n_missing = 0;
    for (int clause = 0; clause < N_CLAUSES; clause++) {
        if (clauses->n_reached[clause] == 0) {
            fprintf(stderr, "never reached: %s\n", clause_text((enum clause)clause));
            n_missing++;
        }
    }
    cr_assert(n_missing == 0, "%d clauses were never reached", n_missing);
}

Test(against_naive, every_rule_decides_as_the_naive_model_does)
{
    static struct clauses clauses;
    const uint64_t first = setting("ADMISSION_SEED", 1);
    const uint64_t n_traces = setting("ADMISSION_TRACES", 5000);
    uint64_t n_steps = 0;
    signal(SIGABRT, show_trace);
    for (uint64_t seed = first; seed - first < n_traces; seed++) {
        trace_generate(&trace, seed);
        const struct comparison comparison = compare_models(&trace, &clauses, NULL);
        n_steps += comparison.n_steps;
        if (comparison.differs) {
            show_difference();
            cr_assert_fail("%s differ in the trace of seed %" PRIu64, comparison.what, seed);
        }
    }
    fprintf(stderr, "%" PRIu64 " traces from seed %" PRIu64 ", %" PRIu64 " steps agree\n",
            n_traces, first, n_steps);
    if (n_traces > 1) {
        assert_all_reached(&clauses);
    }
}

Test(against_naive, the_hash_key_changes_no_effect)
{
    const uint64_t first = setting("ADMISSION_SEED", 1);
    const uint64_t n_traces = setting("ADMISSION_TRACES", 5000) / 4;
    signal(SIGABRT, show_trace);
    for (uint64_t seed = first; seed - first < n_traces; seed++) {
        trace_generate(&trace, seed);
        cr_assert_not(compare_keys(&trace).differs, "two keys, two answers: seed %" PRIu64,
                      seed);
    }
}
