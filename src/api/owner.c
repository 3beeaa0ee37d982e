/* See api/owner.h.
 *
 * libzmq tells nobody that a peer's thread has gone; a destructor of thread-specific data does.
 * One key for the whole process, made at the first client and deleted when the library is
 * unloaded; its value is the thread's list of clients. The lock is held for pointer work only.
 */
#include "api/owner.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

struct adm_owner {
    LIST_HEAD(, adm_owned) clients;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static struct adm_owned *take_first(struct adm_owner *owner)
{
    pthread_mutex_lock(&lock);
    struct adm_owned *owned = LIST_FIRST(&owner->clients);
    if (owned != NULL) {
        LIST_REMOVE(owned, link);
        owned->owner = NULL;
    }
    pthread_mutex_unlock(&lock);
    return owned;
}

static void end_thread(void *value)
{
    struct adm_owner *owner = value;
    struct adm_owned *owned;
    while ((owned = take_first(owner)) != NULL) {
        owned->die(owned->client);
    }
    free(owner);
}

/* A child made by fork() may free its clients, so it must not find the lock held by a thread
 * that it does not have. */
static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void make_key(void)
{
    has_key = pthread_atfork(take_lock, release_lock, release_lock) == 0 &&
              pthread_key_create(&key, end_thread) == 0;
}

__attribute__((destructor)) static void delete_key(void)
{
    if (has_key) {
        pthread_key_delete(key);
    }
}

/* The calling thread's list, made if need be; NULL when it can't be had. */
static struct adm_owner *obtain_owner(void)
{
    pthread_once(&once, make_key);
    if (!has_key) {
        return NULL;
    }
    struct adm_owner *owner = pthread_getspecific(key);
    if (owner == NULL) {
        owner = adm_memory_new(1, sizeof *owner);
        LIST_INIT(&owner->clients);
        if (pthread_setspecific(key, owner) != 0) {
            free(owner);
            return NULL;
        }
    }
    return owner;
}

bool adm_owner_adopt(struct adm_owned *owned)
{
    if (adm_owner_is_caller(owned)) {
        return true;
    }
    struct adm_owner *owner = obtain_owner();
    if (owner == NULL) {
        return false;
    }
    adm_owner_leave(owned);
    pthread_mutex_lock(&lock);
    owned->owner = owner;
    LIST_INSERT_HEAD(&owner->clients, owned, link);
    pthread_mutex_unlock(&lock);
    return true;
}

void adm_owner_leave(struct adm_owned *owned)
{
    pthread_mutex_lock(&lock);
    struct adm_owner *owner = owned->owner;
    bool is_last_of_caller = false;
    if (owner != NULL) {
        LIST_REMOVE(owned, link);
        owned->owner = NULL;
        is_last_of_caller = LIST_EMPTY(&owner->clients) && pthread_getspecific(key) == owner;
    }
    pthread_mutex_unlock(&lock);
    if (is_last_of_caller) {
        pthread_setspecific(key, NULL);
        free(owner);
    }
}

bool adm_owner_is_caller(const struct adm_owned *owned)
{
    return owned->owner != NULL && pthread_getspecific(key) == owned->owner;
}
