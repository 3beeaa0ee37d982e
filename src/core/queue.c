/* See core/queue.h. It decides nothing: refusals, starts and timeouts are the machine's. */
#include "core/queue.h"

#include "base/assert.h"

static struct adm_lane *lane_at(const struct adm_queue *queue, uint32_t number)
{
    return adm_pool_at(&queue->lanes, number);
}

static void place_lane(void *owner, uint32_t number, uint32_t position)
{
    lane_at(owner, number)->position = position;
}

static void place_ticket(void *owner, uint32_t number, uint32_t position)
{
    const struct adm_queue *queue = owner;
    adm_ticket_at(queue->tickets, number)->position = position;
}

void adm_queue_init(struct adm_queue *queue, struct adm_pool *tickets,
                    const struct adm_hash_key *hash_key)
{
    *queue = (struct adm_queue){.tickets = tickets, .hash_key = *hash_key};
    adm_keys_init(&queue->keys, hash_key);
    adm_providers_init(&queue->providers, hash_key, place_lane, queue);
    adm_pool_init(&queue->lanes, sizeof(struct adm_lane));
    adm_heap_init(&queue->deadlines, place_ticket, queue);
}

void adm_queue_deinit(struct adm_queue *queue)
{
    ADM_ASSERT(queue->n == 0 && queue->deadlines.n == 0);
    adm_heap_deinit(&queue->deadlines);
    adm_table_deinit(&queue->by_provider_and_key);
    adm_pool_deinit(&queue->lanes);
    adm_providers_deinit(&queue->providers);
    adm_keys_deinit(&queue->keys);
}

static uint64_t head_turn(const struct adm_queue *queue, const struct adm_lane *lane)
{
    return adm_ticket_at(queue->tickets, lane->waiting.first)->turn;
}

static uint32_t lane_hash(const struct adm_queue *queue, uint32_t provider, uint32_t key)
{
    return adm_hash_number(&queue->hash_key, (uint64_t)provider << 32 | key);
}

static uint32_t find_lane(const struct adm_queue *queue, uint32_t provider, uint32_t key)
{
    struct adm_table_walk walk;
    uint32_t number =
        adm_table_first(&queue->by_provider_and_key, lane_hash(queue, provider, key), &walk);
    while (number != ADM_TABLE_NONE) {
        const struct adm_lane *lane = lane_at(queue, number);
        if (lane->provider == provider && lane->key == key) {
            return number;
        }
        number = adm_table_next(&queue->by_provider_and_key, &walk);
    }
    return ADM_POOL_NONE;
}

static void hang_on_key(struct adm_queue *queue, uint32_t number)
{
    struct adm_lane *lane = lane_at(queue, number);
    if (lane->key == ADM_KEY_NONE) {
        return;
    }
    struct adm_key *key = adm_keys_at(&queue->keys, lane->key);
    lane->next_of_key = key->first_lane;
    if (key->first_lane != ADM_POOL_NONE) {
        lane_at(queue, key->first_lane)->previous_of_key = number;
    }
    key->first_lane = number;
}

static void take_off_key(struct adm_queue *queue, const struct adm_lane *lane)
{
    if (lane->key == ADM_KEY_NONE) {
        return;
    }
    if (lane->previous_of_key == ADM_POOL_NONE) {
        adm_keys_at(&queue->keys, lane->key)->first_lane = lane->next_of_key;
    } else {
        lane_at(queue, lane->previous_of_key)->next_of_key = lane->next_of_key;
    }
    if (lane->next_of_key != ADM_POOL_NONE) {
        lane_at(queue, lane->next_of_key)->previous_of_key = lane->previous_of_key;
    }
}

static uint32_t add_lane(struct adm_queue *queue, uint32_t provider, uint32_t key)
{
    const uint32_t number = adm_pool_take(&queue->lanes);
    *lane_at(queue, number) = (struct adm_lane){
        .provider = provider,
        .key = key,
        .waiting = adm_ticket_list_empty(),
        .position = ADM_HEAP_OUT,
        .previous_of_key = ADM_POOL_NONE,
        .next_of_key = ADM_POOL_NONE,
    };
    hang_on_key(queue, number);
    adm_table_add(&queue->by_provider_and_key, lane_hash(queue, provider, key), number);
    return number;
}

static void remove_lane(struct adm_queue *queue, uint32_t number)
{
    const struct adm_lane *lane = lane_at(queue, number);
    take_off_key(queue, lane);
    adm_table_remove(&queue->by_provider_and_key, lane_hash(queue, lane->provider, lane->key),
                     number);
    adm_pool_return(&queue->lanes, number);
}

/* Says whether lane `number` competes, and for which arrival. */
static void set_ready(struct adm_queue *queue, uint32_t number, bool is_ready, int64_t now)
{
    const struct adm_lane *lane = lane_at(queue, number);
    struct adm_heap *ready = &adm_providers_at(&queue->providers, lane->provider)->ready;
    if (is_ready && lane->position == ADM_HEAP_OUT) {
        adm_heap_add(
            ready, (struct adm_heap_entry){.major = head_turn(queue, lane), .number = number});
    } else if (is_ready) {
        adm_heap_reorder(ready, lane->position, head_turn(queue, lane), 0);
    } else if (lane->position != ADM_HEAP_OUT) {
        adm_heap_remove(ready, lane->position);
    }
    adm_providers_reseat(&queue->providers, lane->provider, now);
}

void adm_queue_set_key_running(struct adm_queue *queue, uint32_t key, bool is_running,
                               int64_t now)
{
    if (key == ADM_KEY_NONE) {
        return;
    }
    adm_keys_at(&queue->keys, key)->is_running = is_running;
    uint32_t lane = adm_keys_at(&queue->keys, key)->first_lane;
    while (lane != ADM_POOL_NONE) {
        set_ready(queue, lane, !is_running, now);
        lane = lane_at(queue, lane)->next_of_key;
    }
}

void adm_queue_push(struct adm_queue *queue, uint32_t number, int64_t deadline_at, int64_t now)
{
    struct adm_ticket *ticket = adm_ticket_at(queue->tickets, number);
    uint32_t lane = find_lane(queue, ticket->provider, ticket->key);
    const bool is_new = lane == ADM_POOL_NONE;
    if (is_new) {
        lane = add_lane(queue, ticket->provider, ticket->key);
    }
    ticket->state = ADM_TICKET_QUEUED;
    ticket->turn = queue->n_arrivals++;
    ticket->lane = lane;
    ticket->position = ADM_HEAP_OUT;
    adm_ticket_list_append(&lane_at(queue, lane)->waiting, queue->tickets, number);
    if (is_new && !adm_keys_is_running(&queue->keys, ticket->key)) {
        set_ready(queue, lane, true, now);
    }
    if (deadline_at != ADM_NEVER) {
        adm_heap_add(&queue->deadlines, (struct adm_heap_entry){.major = (uint64_t)deadline_at,
                                                                .minor = ticket->turn,
                                                                .number = number});
    }
    adm_providers_at(&queue->providers, ticket->provider)->n_queued++;
    queue->n++;
}

void adm_queue_remove(struct adm_queue *queue, uint32_t number, int64_t now)
{
    const struct adm_ticket *ticket = adm_ticket_at(queue->tickets, number);
    ADM_ASSERT(ticket->state == ADM_TICKET_QUEUED);
    struct adm_lane *lane = lane_at(queue, ticket->lane);
    const bool was_head = lane->waiting.first == number;
    adm_ticket_list_remove(&lane->waiting, queue->tickets, number);
    if (ticket->position != ADM_HEAP_OUT) {
        adm_heap_remove(&queue->deadlines, ticket->position);
    }
    adm_providers_at(&queue->providers, ticket->provider)->n_queued--;
    queue->n--;
    if (lane->waiting.first == ADM_TICKET_NONE) {
        set_ready(queue, ticket->lane, false, now);
        remove_lane(queue, ticket->lane);
    } else if (was_head && lane->position != ADM_HEAP_OUT) {
        set_ready(queue, ticket->lane, true, now);
    }
}

uint32_t adm_queue_first_ready(const struct adm_queue *queue)
{
    const struct adm_heap_entry *open = adm_heap_first(&queue->providers.open);
    if (open == NULL) {
        return ADM_TICKET_NONE;
    }
    const struct adm_heap *ready = &adm_providers_at(&queue->providers, open->number)->ready;
    return lane_at(queue, adm_heap_first(ready)->number)->waiting.first;
}

int64_t adm_queue_ready_at(const struct adm_queue *queue)
{
    if (queue->providers.open.n > 0) {
        return 0;
    }
    const struct adm_heap_entry *shut = adm_heap_first(&queue->providers.shut);
    return shut == NULL ? ADM_NEVER : (int64_t)shut->major;
}

size_t adm_queue_bytes(const struct adm_queue *queue)
{
    return adm_keys_bytes(&queue->keys) + adm_providers_bytes(&queue->providers) +
           adm_pool_bytes(&queue->lanes) + adm_table_bytes(&queue->by_provider_and_key) +
           adm_heap_bytes(&queue->deadlines);
}
