/* The actor as a zactor, and a client in a zpoller: for programs that live in czmq. */
#include <admission.h>
#include <admission/zactor.h>
#include <czmq.h>

/* Sends one command and shows its answer. */
static void command(zactor_t *actor, const char *name, const char *argument, const char *value)
{
    zstr_sendx(actor, name, argument, value, NULL);
    char *answer = zstr_recv(actor);
    printf("%s: %s\n", name, answer);
    zstr_free(&answer);
}

/* One message can hold many events: reads until there is none before polling again. Returns how
 * many tickets were granted. */
static int read_all(admission_client_t *client)
{
    int n_granted = 0;
    struct admission_event event;
    while (admission_client_next(client, 0, &event) == ADMISSION_OK) {
        printf("ticket %d: %s\n", (int)event.id, admission_event_type_text(event.type));
        if (event.type == ADMISSION_EVENT_GRANTED) {
            n_granted++;
            admission_client_leave(client, event.id);
        }
    }
    return n_granted;
}

int main(void)
{
    zactor_t *actor = zactor_new(admission_actor, NULL);
    command(actor, "LIMITS", "max_concurrent", "1");
    command(actor, "COOLDOWN", "search", "1500000"); /* no such provider here */

    admission_client_t *client;
    if (admission_client_new(&client, admission_actor_of(actor)) != ADMISSION_OK ||
        admission_client_request_ticket(client, NULL, NULL) != ADMISSION_OK ||
        admission_client_request_ticket(client, NULL, NULL) != ADMISSION_OK) {
        return 1;
    }
    zpoller_t *poller = zpoller_new(admission_client_socket(client), NULL);
    for (int n_granted = 0; n_granted < 2;) {
        zpoller_wait(poller, -1);
        n_granted += read_all(client);
    }
    zpoller_destroy(&poller);
    admission_client_destroy(&client);
    zactor_destroy(&actor);
    return 0;
}
