/* One of at most four at a time: asks, waits its turn, works, leaves. */
#include <admission.h>
#include <stdio.h>

int main(void)
{
    struct admission_options options;
    admission_options_init(&options);
    options.limits.max_concurrent = 4;

    admission_actor_t *actor;
    admission_client_t *client;
    uint64_t id;
    if (admission_actor_new(&actor, &options, NULL) != ADMISSION_OK ||
        admission_client_new(&client, actor) != ADMISSION_OK ||
        admission_client_admit_ticket(client, NULL, &id, NULL) != ADMISSION_OK) {
        return 1;
    }
    puts("granted: at most three others are at it now");
    admission_client_leave(client, id);

    admission_client_destroy(&client);
    admission_actor_destroy(&actor);
    return 0;
}
