/* The actor handle, as the files of this floor see it. */
#ifndef ADM_API_ACTOR_H
#define ADM_API_ACTOR_H

#include <pthread.h>
#include <stdbool.h>

#include "actor/hub.h"
#include "admission/actor.h"
#include "core/machine.h"

struct admission_actor {
    struct adm_hub *hub;
    bool has_thread; /* its own; else it runs in a zactor's, which ends it */
    pthread_t thread;
};

/* A hub and a machine as `options` (checked) say; returns 0 or an errno. */
int adm_actor_make(const struct admission_options *options, struct adm_hub **hub,
                   struct adm_machine **machine);

/* Sends a call and waits for its answer. Any thread. */
admission_status_t adm_actor_ask(struct adm_hub *hub, struct adm_inbound *inbound,
                                 struct adm_call *call);

/* Translates what the machine and the loop count into the public form. */
void adm_actor_publish_stats(const struct adm_actor_stats *from, struct admission_stats *to);

#endif
