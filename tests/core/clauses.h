/* The clauses of docs/semantics.md that random traces must reach, one by one.
 *
 * A rule that no trace ever reached has been compared with nothing. The naive model counts each
 * clause as it decides it; the comparison fails when one of them is still at zero at its end.
 */
#ifndef ADM_TESTS_CORE_CLAUSES_H
#define ADM_TESTS_CORE_CLAUSES_H

#include <stdint.h>

#define CLAUSES(CLAUSE)                                                                        \
    CLAUSE(Z1_QUEUE_DEADLINE, "a queue deadline saturates")                                    \
    CLAUSE(Z1_ATTEMPT_DEADLINE, "an attempt deadline saturates")                               \
    CLAUSE(Z1_COOLDOWN, "a cooldown saturates")                                                \
    CLAUSE(Z1_INTERVAL, "a gap after a start saturates")                                       \
    CLAUSE(Z1_END_OF_TIME, "2^63-1 as now is read as the time before it")                      \
    CLAUSE(Z2_BACK, "a smaller now is read as the last one")                                   \
    CLAUSE(Z2_NEGATIVE, "a negative now is read as the last one")                              \
    CLAUSE(T1_FULL, "max_concurrent holds a newcomer back")                                    \
    CLAUSE(T1_PAUSE, "max_concurrent 0 holds a newcomer back")                                 \
    CLAUSE(T1_PROVIDER_FULL, "the provider's max_concurrent holds a newcomer back")            \
    CLAUSE(T1_PROVIDER_PAUSE, "the provider's max_concurrent 0 holds a newcomer back")         \
    CLAUSE(T1_KEY, "a running ticket of its key holds a newcomer back")                        \
    CLAUSE(T2_INTERVAL, "min_interval holds a newcomer back")                                  \
    CLAUSE(T2_PROVIDER_INTERVAL, "the provider's min_interval holds a newcomer back")          \
    CLAUSE(T2_COOLDOWN, "a cooldown holds a newcomer back")                                    \
    CLAUSE(T2_FIRST_START, "the first start waits for no interval")                            \
    CLAUSE(T3_SEVERAL, "several queued tickets start in one go")                               \
    CLAUSE(T3_PASSES_BLOCKED, "a queued ticket starts before an earlier one that is blocked")  \
    CLAUSE(T3_PASSES_OWN_KEY, "a queued ticket starts before an earlier one of its key")       \
    CLAUSE(T4_AT_ONCE, "a newcomer starts at once")                                            \
    CLAUSE(T4_PASSES_BLOCKED, "a newcomer starts although others are queued")                  \
    CLAUSE(T4_FULL_QUEUE, "a newcomer starts although the queue is full")                      \
    CLAUSE(T5_TIMEOUT_0, "a newcomer with timeout 0 is refused")                               \
    CLAUSE(T5_OVERFLOW, "the queue is full")                                                   \
    CLAUSE(T5_OVERFLOW_PROVIDER, "only the queue of the provider is full")                     \
    CLAUSE(T5_CAPACITY_0, "with queue_capacity 0 nothing waits")                               \
    CLAUSE(T5_QUEUED, "a newcomer is queued")                                                  \
    CLAUSE(T6_LIMIT, "the limit gives a queued ticket its deadline")                           \
    CLAUSE(T6_NONE, "a queued ticket has no deadline")                                         \
    CLAUSE(T6_STARTS_AT_DEADLINE, "a ticket starts at its deadline")                           \
    CLAUSE(T6_REFUSED_AT_DEADLINE, "a ticket is refused at its deadline")                      \
    CLAUSE(T6_LATE, "a ticket past its deadline is refused")                                   \
    CLAUSE(T6_LATE_BUT_ELIGIBLE, "a ticket past its deadline is refused though eligible")      \
    CLAUSE(T7_FROM_ACTUAL_START, "a gap counts from the start of a ticket that had waited")    \
    CLAUSE(T8_EXTENDS, "a cooldown extends a cooldown")                                        \
    CLAUSE(T8_NEVER_SHORTENS, "a shorter cooldown changes nothing")                            \
    CLAUSE(T8_RUNNING, "a cooldown leaves running tickets alone")                              \
    CLAUSE(T8_UNKNOWN, "a cooldown names an unknown provider")                                 \
    CLAUSE(T9_QUEUED, "cancel of a queued ticket")                                             \
    CLAUSE(T9_RUNNING, "cancel of a running ticket")                                           \
    CLAUSE(T9_ABORTED, "cancel of an aborted ticket")                                          \
    CLAUSE(T9_LISTENER, "cancel of a listener")                                                \
    CLAUSE(T9_NOTHING, "cancel of nothing")                                                    \
    CLAUSE(T10_RUNNING, "leave of a running ticket")                                           \
    CLAUSE(T10_ABORTED, "leave of an aborted ticket")                                          \
    CLAUSE(T10_QUEUED, "leave of a queued ticket")                                             \
    CLAUSE(T10_NOTHING, "leave of nothing")                                                    \
    CLAUSE(T10_LETS_START, "a leave lets a queued ticket start")                               \
    CLAUSE(T11_NONE, "a ticket starts without an attempt timeout")                             \
    CLAUSE(T11_ABORT, "an attempt timeout passes")                                             \
    CLAUSE(T11_ONCE, "an attempt timeout passes that is not told, after another abort")        \
    CLAUSE(T12_UNKNOWN, "an unknown provider")                                                 \
    CLAUSE(T13_KEY_HELD, "a ticket times out behind an aborted one that holds its key")        \
    CLAUSE(L1_ADMITTED, "a listener is admitted")                                              \
    CLAUSE(L1_ONE, "one listener is superseded")                                               \
    CLAUSE(L1_SEVERAL, "several listeners are superseded")                                     \
    CLAUSE(L1_OTHER_HANDLE, "a listener of another handle is superseded")                      \
    CLAUSE(L2_NAMED, "an admit names its max")                                                 \
    CLAUSE(L2_LIMIT, "the limit is the max")                                                   \
    CLAUSE(L2_SMALLER, "a max is smaller than what is live")                                   \
    CLAUSE(L3_BURST, "several listeners of one principal at one instant")                      \
    CLAUSE(L4_ONE, "leave of a listener")                                                      \
    CLAUSE(L4_PRINCIPAL, "leave of several listeners of a principal")                          \
    CLAUSE(L4_ONLY_OWN, "leave of a principal leaves the listeners of other handles")          \
    CLAUSE(L4_NONE, "leave of a principal without listeners of the handle")                    \
    CLAUSE(L5_EMPTY, "nobody is live")                                                         \
    CLAUSE(L5_SEVERAL, "several are live")                                                     \
    CLAUSE(L6_REFUSED, "when_full=refuse refuses at max")                                      \
    CLAUSE(L6_MORE, "when_full=refuse refuses where more than max are live")                   \
    CLAUSE(L6_ADMITTED, "when_full=refuse admits below max")                                   \
    CLAUSE(L7_REFUSED, "max_listeners refuses")                                                \
    CLAUSE(L7_SUPERSEDES_NOTHING, "max_listeners refuses one that would have superseded")      \
    CLAUSE(L7_MAKES_ROOM, "superseding makes the room that max_listeners asks for")            \
    CLAUSE(L7_WHEN_FULL_REFUSE, "max_listeners refuses where when_full=refuse would admit")    \
    CLAUSE(H1_LISTENERS, "down of a handle with listeners")                                    \
    CLAUSE(H1_QUEUED, "down of a handle with queued tickets")                                  \
    CLAUSE(H1_RUNNING, "down of a handle with running tickets")                                \
    CLAUSE(H1_ALL, "down of a handle with all three")                                          \
    CLAUSE(H1_NOTHING, "down of a handle with nothing")                                        \
    CLAUSE(H1_LETS_START, "a down lets the tickets of other handles start")                    \
    CLAUSE(H1_AGAIN, "an admit of a handle number that was down")                              \
    CLAUSE(H2_TICKET_QUEUED, "a ticket duplicates a queued ticket")                            \
    CLAUSE(H2_TICKET_RUNNING, "a ticket duplicates a running ticket")                          \
    CLAUSE(H2_TICKET_LIVE, "a ticket duplicates a listener")                                   \
    CLAUSE(H2_LISTENER_QUEUED, "a listener duplicates a queued ticket")                        \
    CLAUSE(H2_LISTENER_RUNNING, "a listener duplicates a running ticket")                      \
    CLAUSE(H2_LISTENER_LIVE, "a listener duplicates a listener")                               \
    CLAUSE(H2_OTHER_HANDLE, "an id that another handle uses too")                              \
    CLAUSE(H2_AGAIN, "an id that is gone is used again")                                       \
    CLAUSE(H2_CLOSED_DUPLICATE, "closed before duplicate")                                     \
    CLAUSE(H2_CLOSED_UNKNOWN, "closed before unknown-provider")                                \
    CLAUSE(H2_CLOSED_TIMEOUT, "closed before timeout")                                         \
    CLAUSE(H2_CLOSED_OVERFLOW, "closed before overflow")                                       \
    CLAUSE(H2_DUPLICATE_UNKNOWN, "duplicate before unknown-provider")                          \
    CLAUSE(H2_DUPLICATE_TIMEOUT, "duplicate before timeout")                                   \
    CLAUSE(H2_DUPLICATE_OVERFLOW, "duplicate before overflow")                                 \
    CLAUSE(H2_UNKNOWN_TIMEOUT, "unknown-provider before timeout")                              \
    CLAUSE(H2_UNKNOWN_OVERFLOW, "unknown-provider before overflow")                            \
    CLAUSE(H2_TIMEOUT_OVERFLOW, "timeout before overflow")                                     \
    CLAUSE(H2_LISTENER_CLOSED_DUPLICATE, "closed before duplicate, of a listener")             \
    CLAUSE(H2_LISTENER_CLOSED_OVERFLOW, "closed before overflow, of a listener")               \
    CLAUSE(H2_LISTENER_DUPLICATE_OVERFLOW, "duplicate before overflow, of a listener")         \
    CLAUSE(K1_QUEUED, "close refuses several queued tickets")                                  \
    CLAUSE(K1_RUNNING, "close aborts several running tickets")                                 \
    CLAUSE(K1_START_ORDER, "close aborts in an order that is not the one of arrival")          \
    CLAUSE(K1_ABORTED, "close passes over an aborted ticket")                                  \
    CLAUSE(K1_LISTENERS, "close closes listeners of several principals")                       \
    CLAUSE(K1_ALL, "close finds all three")                                                    \
    CLAUSE(K1_AGAIN, "a second close")                                                         \
    CLAUSE(K1_TICKET, "a ticket after close")                                                  \
    CLAUSE(K1_LISTENER, "a listener after close")                                              \
    CLAUSE(K1_CANCEL, "a cancel of a running ticket after close")                              \
    CLAUSE(K1_LIVE, "a live question after close")                                             \
    CLAUSE(K1_COOLDOWN, "a cooldown of an unknown provider after close")                       \
    CLAUSE(K2_AT_CLOSE, "drained at the close")                                                \
    CLAUSE(K2_NOT_YET, "a leave after close, and others still run")                            \
    CLAUSE(K2_BY_LEAVE, "drained by a leave")                                                  \
    CLAUSE(K2_BY_DOWN, "drained by a down")                                                    \
    CLAUSE(R1_MAX_CONCURRENT, "max_concurrent falls below what runs")                          \
    CLAUSE(R1_QUEUE_CAPACITY, "queue_capacity falls below what is queued")                     \
    CLAUSE(R1_ADMISSION_TIMEOUT, "admission_timeout changes while tickets wait")               \
    CLAUSE(R1_MAX_LISTENS, "max_listens_per_principal falls below what is live")               \
    CLAUSE(R1_MAX_LISTENERS, "max_listeners falls below what is live")                         \
    CLAUSE(R1_MIN_INTERVAL, "min_interval changes after a start")                              \
    CLAUSE(R1_LETS_START, "changed limits let queued tickets start")                           \
    CLAUSE(R1_ADDS_PROVIDER, "a provider is added")                                            \
    CLAUSE(R1_PROVIDER_MAX_CONCURRENT, "a provider's max_concurrent falls below what runs")    \
    CLAUSE(R1_PROVIDER_QUEUE_CAPACITY, "a provider's queue_capacity falls below its queue")    \
    CLAUSE(R1_PROVIDER_MIN_INTERVAL, "a provider's min_interval changes after a start")        \
    CLAUSE(R1_PROVIDER_LETS_START, "a changed provider lets queued tickets start")             \
    CLAUSE(I1_A_BY_DEADLINE, "(a) by deadline, against the order of starts")                   \
    CLAUSE(I1_A_TIE, "(a) of one deadline, by start order, against the order of arrival")      \
    CLAUSE(I1_B_BY_DEADLINE, "(b) by deadline, against the order of arrival")                  \
    CLAUSE(I1_B_TIE, "(b) of one deadline, by arrival")                                        \
    CLAUSE(I1_D_TIE, "(d) by arrival")                                                         \
    CLAUSE(I1_A_AND_B, "(a) and (b) in one step")                                              \
    CLAUSE(I1_A_AND_C, "(a) and (c) in one step")                                              \
    CLAUSE(I1_A_AND_D, "(a) and (d) in one step")                                              \
    CLAUSE(I1_B_AND_C, "(b) and (c) in one step")                                              \
    CLAUSE(I1_B_AND_D, "(b) and (d) in one step")                                              \
    CLAUSE(I1_C_AND_D, "(c) and (d) in one step")                                              \
    CLAUSE(I1_THEN_MESSAGE, "a message after all that was due at its instant")                 \
    CLAUSE(I2_ATTEMPT, "an attempt deadline is due next")                                      \
    CLAUSE(I2_DEADLINE, "a queue deadline is due next")                                        \
    CLAUSE(I2_OPENS, "a ticket that opens by time alone is due next")                          \
    CLAUSE(I2_OPENS_BUT_FULL, "a ticket opens in time but has no room: nothing is due for it") \
    CLAUSE(I2_NOTHING, "nothing is due")

#define CLAUSE_IN_ENUM(name, text) name,
enum clause {
    CLAUSES(CLAUSE_IN_ENUM) N_CLAUSES
};
#undef CLAUSE_IN_ENUM

/* How often each clause was reached. */
struct clauses {
    uint64_t n_reached[N_CLAUSES];
};

/* "T5_OVERFLOW: the queue is full" */
const char *clause_text(enum clause clause);

#endif
