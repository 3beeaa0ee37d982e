/* The program that the library lives in: its signals, its streams, its exit. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "steps.h"

TestSuite(host, .timeout = 60);

/* Signals. */

static atomic_int n_signals;

static void count_signal(int signal)
{
    (void)signal;
    atomic_fetch_add(&n_signals, 1);
}

static void interrupt_every_ms(bool is_on)
{
    const struct sigaction action = {.sa_handler = count_signal}; /* without SA_RESTART */
    cr_assert(sigaction(SIGALRM, &action, NULL) == 0);
    const struct timeval interval = {.tv_usec = is_on ? 1000 : 0};
    const struct itimerval timer = {.it_interval = interval, .it_value = interval};
    cr_assert(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

Test(host, a_call_that_waits_goes_on_over_signals)
{
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    struct admission_event event;
    interrupt_every_ms(true);
    const int64_t before = monotonic_us();
    cr_assert(admission_client_next(client, ADMISSION_MS(60), &event) == ADMISSION_EMPTY);
    cr_assert(monotonic_us() - before >= ADMISSION_MS(60));
    cr_assert(atomic_load(&n_signals) >= 5, "it was interrupted %d times", n_signals);
    limit_running(actor, 0);
    const struct admission_ticket ticket = {.timeout_us = ADMISSION_MS(60)};
    cr_assert(admission_client_admit_ticket(client, &ticket, NULL, &event) ==
              ADMISSION_REFUSED);
    cr_assert(event.reason == ADMISSION_REASON_TIMEOUT && event.waited_us >= ADMISSION_MS(60));
    limit_running(actor, 1);
    (void)grant_ticket(client);
    cr_assert(admission_actor_close(actor, ADMISSION_MS(60)) == ADMISSION_NOT_DRAINED);
    interrupt_every_ms(false);
    close_client(client);
    finish(actor);
}

Test(host, no_signal_is_handled_otherwise_after_an_actor_than_before)
{
    struct sigaction before[NSIG];
    memset(before, 0, sizeof before);
    const struct sigaction ours = {.sa_handler = count_signal};
    cr_assert(sigaction(SIGTERM, &ours, NULL) == 0);
    for (int i = 1; i < NSIG; i++) {
        (void)sigaction(i, NULL, &before[i]);
    }
    sigset_t mask_before;
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    admission_actor_t *actor = start();
    admission_client_t *client = open_client(actor);
    for (int end = 0; end < 2; end++) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        for (int i = 1; i < NSIG; i++) {
            struct sigaction now;
            memset(&now, 0, sizeof now);
            (void)sigaction(i, NULL, &now);
            cr_assert(now.sa_handler == before[i].sa_handler, "signal %d", i);
            cr_assert(now.sa_flags == before[i].sa_flags, "signal %d", i);
            cr_assert(sigismember(&mask, i) == sigismember(&mask_before, i), "signal %d", i);
        }
        if (end == 0) {
            (void)grant_ticket(client);
            close_client(client);
            finish(actor);
        }
    }
}

/* What /proc says of the signals that each thread but this one blocks. */
static void expect_all_blocked(void)
{
    DIR *tasks = opendir("/proc/self/task");
    cr_assert(tasks != NULL);
    const struct dirent *task;
    int n_actors = 0;
    while ((task = readdir(tasks)) != NULL) {
        char path[300];
        char line[200];
        bool is_actor = false;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        while (status != NULL && fgets(line, sizeof line, status) != NULL) {
            is_actor |= strcmp(line, "Name:\tadmission\n") == 0;
            if (is_actor && strncmp(line, "SigBlk:", 7) == 0) {
                const uint64_t blocked = strtoull(line + 7, NULL, 16);
                for (int i = 1; i <= 31; i++) {
                    const bool can_be = i != SIGKILL && i != SIGSTOP;
                    cr_assert(!can_be || (blocked >> (i - 1) & 1) != 0, "signal %d", i);
                }
                n_actors++;
            }
        }
        if (status != NULL) {
            fclose(status);
        }
    }
    closedir(tasks);
    cr_assert(n_actors == 1);
}

Test(host, the_actors_thread_blocks_every_signal)
{
    admission_actor_t *actor = start();
    (void)books(actor); /* so that it runs, under its name */
    expect_all_blocked();
    finish(actor);
}

/* A program that ends in this way prints nothing, and ends well and at once. */
static void expect_clean_exit(const char *way)
{
    const char *program = getenv("ADM_HOST");
    cr_assert(program != NULL, "ADM_HOST names the program tests/api/host.c");
    char command[600];
    snprintf(command, sizeof command, "exec timeout 20 '%s' %s 2>&1", program, way);
    FILE *output = popen(command, "r");
    cr_assert(output != NULL);
    char line[300];
    const bool has_printed = fgets(line, sizeof line, output) != NULL;
    const int status = pclose(output);
    cr_assert(!has_printed, "%s: it says: %s", way, line);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x", way, status);
}

Test(host, whatever_is_left_open_a_program_ends_silently_and_with_0)
{
    static const char *const ways[] = {
        "return", "exit",       "exit-in-thread", "exit-while-blocked",
        "quick",  "under-load", "pthread-exit",   "in-order"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        expect_clean_exit(ways[i]);
    }
}
