// A stranger's program in C++: it owns both handles by their destroy functions.
#include <admission.h>

#include <iostream>
#include <memory>

namespace
{
struct End {
    void operator()(admission_actor_t *actor) const
    {
        admission_actor_destroy(&actor);
    }
    void operator()(admission_client_t *client) const
    {
        admission_client_destroy(&client);
    }
};
} // namespace

int main()
{
    admission_actor_t *actor = nullptr;
    if (admission_actor_new(&actor, nullptr, nullptr) != ADMISSION_OK) {
        return 1;
    }
    const std::unique_ptr<admission_actor_t, End> owned_actor{actor};
    admission_client_t *client = nullptr;
    if (admission_client_new(&client, actor) != ADMISSION_OK) {
        return 1;
    }
    const std::unique_ptr<admission_client_t, End> owned_client{client};
    const admission_listen listen = admission_listen_default("ann");
    std::uint64_t id = 0;
    admission_event event{};
    if (admission_client_admit_listener(client, &listen, &id, &event) != ADMISSION_OK) {
        return 1;
    }
    std::cout << admission_event_type_text(event.type) << ' ' << event.order << '\n';
    return 0;
}
