/* What happens between two steps of the library, made to happen there every time: the program
 * stands in for the calls by which those steps look at the world. */
#include <criterion/criterion.h>

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "script.h"

TestSuite(moments, .timeout = 20);

/* The dispatcher of a pool stops short of taking its flag down, until this thread has raised
 * it once more. */
static struct {
    atomic_bool is_set;
    sem_t is_reached;
    sem_t is_raised;
} gate;

static bool is_dispatcher(void)
{
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "admission-pool") == 0;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    if (atomic_load(&gate.is_set) && is_dispatcher()) {
        raise_semaphore(&gate.is_reached);
        wait_for_semaphore(&gate.is_raised);
        atomic_store(&gate.is_set, false);
    }
    return syscall(SYS_read, fd, bytes, size);
}

static _Thread_local bool is_to_tell;

ssize_t write(int fd, const void *bytes, size_t size)
{
    const ssize_t written = syscall(SYS_write, fd, bytes, size);
    if (is_to_tell) {
        is_to_tell = false;
        raise_semaphore(&gate.is_raised);
    }
    return written;
}

/* Its end is the last thing that the dispatcher hears of. */
static int set_the_gate(struct admission_attempt *attempt, void *context)
{
    (void)attempt;
    (void)context;
    atomic_store(&gate.is_set, true);
    return 0;
}

Test(moments, a_pool_that_is_destroyed_while_its_dispatcher_takes_its_flag_down_ends)
{
    struct bench bench = bench_with(1, NULL);
    admission_pool_t *pool;
    check_ok(admission_pool_new(&pool, bench.actor, NULL, NULL));
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.function = set_the_gate;
    admission_query_t *query = query_of(&bench, &options);
    check(sem_init(&gate.is_reached, 0, 0) == 0 && sem_init(&gate.is_raised, 0, 0) == 0);
    check_ok(admission_pool_submit(pool, query, NULL, NULL));
    wait_for_semaphore(&gate.is_reached);
    is_to_tell = true;
    admission_pool_destroy(&pool);
    check(!atomic_load(&gate.is_set));
    admission_query_destroy(&query);
    bench_end(&bench);
}
