/* The bug lane: a broken promise ends the process with one line that names it.
 *
 * For programming errors only - a NULL handle, a broken invariant. What a correct program can
 * meet is a status; exhausted memory has its own door in base/memory.h. Always on: a machine
 * that has lost its books must not go on admitting. */
#ifndef ADM_BASE_ASSERT_H
#define ADM_BASE_ASSERT_H

#define ADM_ASSERT(promise)                                                                    \
    ((promise) ? (void)0 : adm_assert_failed(__FILE__, __LINE__, #promise))

/* Prints `admission: FILE:LINE: broken promise: PROMISE` on standard error and aborts. */
_Noreturn void adm_assert_failed(const char *file, int line, const char *promise);

#endif
