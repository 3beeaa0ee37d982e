/* admission: who may start, who may listen, and who has to make room.
 *
 * One actor - a thread - owns every ticket, every listener and all per-principal state, and
 * handles what its clients send it in the order in which it was sent. A client is a thin sender
 * of messages with events to read. docs/semantics.md is the law; rule numbers (T4, L1, ...) in
 * these headers are its rules. */
#ifndef ADMISSION_H
#define ADMISSION_H

#include "admission/actor.h"
#include "admission/client.h"
#include "admission/clock.h"
#include "admission/event.h"
#include "admission/options.h"
#include "admission/pool.h"
#include "admission/query.h"
#include "admission/retry_after.h"
#include "admission/signal.h"
#include "admission/stats.h"
#include "admission/status.h"
#include "admission/version.h"

#endif
