/* The second model: docs/semantics.md once more, rule by rule, with arrays and linear search.
 *
 * It keeps the contract of core/machine.h and shares nothing with it but what goes in and what
 * comes out. It is slow and, in exchange, short enough to be checked against the text by eye.
 * Two things differ: names in requests must outlive the model, which keeps what it borrows; and
 * it counts, in `clauses`, which clauses of the rules it has reached. */
#ifndef ADM_TESTS_CORE_NAIVE_H
#define ADM_TESTS_CORE_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "clauses.h"
#include "core/effect.h"
#include "core/limits.h"
#include "core/request.h"
#include "core/stats.h"

struct naive;

struct naive *naive_new(const struct adm_limits *limits, struct clauses *clauses);
void naive_destroy(struct naive **naive);

void naive_step(struct naive *naive, int64_t now, const struct adm_request *request,
                struct adm_effects *effects);
int64_t naive_due_at(const struct naive *naive);
void naive_stats(const struct naive *naive, struct adm_stats *stats);
bool naive_has_provider(const struct naive *naive, struct adm_name name);
uint32_t naive_held(const struct naive *naive, uint32_t handle);

#endif
