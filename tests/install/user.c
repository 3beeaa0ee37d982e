/* A stranger's program in C: it knows the installed headers and what pkg-config says. */
#include <admission.h>

#include <stdio.h>

int main(void)
{
    admission_actor_t *actor = NULL;
    admission_client_t *client = NULL;
    struct admission_event event = {0};
    const struct admission_listen listen = admission_listen_default("ann");
    uint64_t id = 0;
    if (admission_actor_new(&actor, NULL, NULL) != ADMISSION_OK ||
        admission_client_new(&client, actor) != ADMISSION_OK ||
        admission_client_admit_listener(client, &listen, &id, &event) != ADMISSION_OK) {
        return 1;
    }
    printf("%s %llu\n", admission_event_type_text(event.type), (unsigned long long)event.order);
    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return 0;
}
