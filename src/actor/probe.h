/* Can what libzmq aborts for want of be had?
 *
 * A context that finds no thread or no descriptor for its reaper ends the process, where we owe
 * our caller an error. So we look first. Others may take the last one in between: it is as near
 * as one can come from outside. */
#ifndef ADM_ACTOR_PROBE_H
#define ADM_ACTOR_PROBE_H

/* Makes as many threads and descriptors as an actor begins with, and gives them back. Returns 0
 * or an errno. */
int adm_probe(void);

#endif
