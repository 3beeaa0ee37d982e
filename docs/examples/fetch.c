/* Eight threads fetch from one HTTP upstream, paced and cooled: calls start 50 ms apart, one at
 * a time, and when the upstream answers 429 with a Retry-After, nobody calls before that time
 * has passed - the one who heard it neither.
 *
 * Usage: fetch URL COUNT */
#include <admission.h>
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    THREADS = 8,
    TOO_MANY_REQUESTS = 429,
    UNREACHABLE = 1000 /* our number for what is no answer at all */
};

static void must(admission_status_t status)
{
    if (status != ADMISSION_OK) {
        fprintf(stderr, "fetch: %s\n", admission_status_text(status));
        exit(1);
    }
}

/* One transfer, in libcurl's callbacks. */
struct transfer {
    struct admission_attempt *attempt;
    char retry_after[64]; /* the header's value, "" without one */
};

static size_t drop_body(char *bytes, size_t size, size_t n, void *transfer)
{
    (void)bytes;
    (void)transfer;
    return size * n;
}

static size_t read_header(char *line, size_t size, size_t n, void *arg)
{
    static const char name[] = "retry-after:";
    struct transfer *transfer = arg;
    const size_t length = size * n;
    const size_t skipped = sizeof name - 1;
    if (length > skipped && length - skipped < sizeof transfer->retry_after &&
        strncasecmp(line, name, skipped) == 0) {
        memcpy(transfer->retry_after, line + skipped, length - skipped);
        transfer->retry_after[length - skipped] = '\0';
        transfer->retry_after[strcspn(transfer->retry_after, "\r\n")] = '\0';
    }
    return length;
}

/* libcurl asks about once a second, and more often while bytes come: whatever is not 0 ends the
 * transfer. */
static int is_to_end(void *arg, curl_off_t down, curl_off_t so_far, curl_off_t up,
                     curl_off_t up_so_far)
{
    (void)down;
    (void)so_far;
    (void)up;
    (void)up_so_far;
    const struct transfer *transfer = arg;
    return admission_signal_reason(transfer->attempt->signal) != ADMISSION_ABORT_NONE;
}

/* What the upstream asks for, for everybody: before the slot is given back. */
static void cool_down(const struct transfer *transfer)
{
    int64_t delay_us;
    const int64_t now_us = (int64_t)time(NULL) * 1000000;
    if (admission_retry_after(transfer->retry_after, now_us, &delay_us) != ADMISSION_OK) {
        delay_us = ADMISSION_S(1); /* it says nothing that can be believed */
    }
    must(admission_attempt_cooldown(transfer->attempt, delay_us));
}

/* The function of the query: one GET, whose handle is the cycle's own. */
static int get(struct admission_attempt *attempt, void *url)
{
    CURL *curl = attempt->user;
    struct transfer transfer = {.attempt = attempt};
    curl_easy_setopt(curl, CURLOPT_URL, (const char *)url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, read_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_to_end);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
    if (curl_easy_perform(curl) != CURLE_OK) {
        return UNREACHABLE;
    }
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    if (code == TOO_MANY_REQUESTS) {
        cool_down(&transfer);
    }
    return code == 200 ? 0 : (int)code;
}

static bool should_retry(uint64_t attempt, int error, void *context)
{
    (void)attempt;
    (void)context;
    return error == TOO_MANY_REQUESTS;
}

/* None of our own: the cooldown holds the retry back. */
static int64_t retry_delay(uint64_t attempt, int error, void *context)
{
    (void)attempt;
    (void)error;
    (void)context;
    return 0;
}

static admission_query_t *make_query(const admission_client_t *client, char *url)
{
    struct admission_query_options options;
    admission_query_options_init(&options);
    options.provider = "upstream";
    options.function = get;
    options.context = url;
    options.attempt_timeout_us = ADMISSION_S(10);
    options.max_attempts = 5;
    options.should_retry = should_retry;
    options.retry_delay = retry_delay;
    admission_query_t *query;
    must(admission_query_new(&query, client, &options, NULL));
    return query;
}

/* What the threads share. */
struct work {
    admission_actor_t *actor;
    admission_query_t *query;
    atomic_long left;
    atomic_long fetched;
    atomic_long attempts;
};

static void *fetch_until_done(void *arg)
{
    struct work *work = arg;
    admission_client_t *client;
    must(admission_client_new(&client, work->actor));
    CURL *curl = curl_easy_init();
    while (atomic_fetch_sub(&work->left, 1) > 0) {
        struct admission_result result;
        must(admission_query_run(work->query, client, curl, NULL, &result));
        atomic_fetch_add(&work->attempts, (long)result.attempts);
        if (result.outcome == ADMISSION_OUTCOME_VALUE) {
            atomic_fetch_add(&work->fetched, 1);
        } else {
            fprintf(stderr, "fetch: %s, error %d\n", admission_outcome_text(result.outcome),
                    result.error);
        }
    }
    curl_easy_cleanup(curl);
    admission_client_destroy(&client);
    return NULL;
}

static void fetch_with_threads(struct work *work)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, fetch_until_done, work) != 0) {
            fprintf(stderr, "fetch: no thread\n");
            exit(1);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: fetch URL COUNT\n");
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    struct admission_provider upstream = admission_provider_default("upstream");
    upstream.min_interval_us = ADMISSION_MS(50);
    upstream.max_concurrent = 1; /* what one call hears holds before the next can start */
    struct admission_options options;
    admission_options_init(&options);
    options.providers = &upstream;
    options.n_providers = 1;

    struct work work = {0};
    admission_client_t *client;
    must(admission_actor_new(&work.actor, &options, NULL));
    must(admission_client_new(&client, work.actor));
    work.query = make_query(client, argv[1]);
    atomic_init(&work.left, atol(argv[2]));
    fetch_with_threads(&work);
    printf("%ld fetched in %ld attempts\n", atomic_load(&work.fetched),
           atomic_load(&work.attempts));

    admission_query_destroy(&work.query);
    admission_client_destroy(&client);
    admission_actor_destroy(&work.actor);
    curl_global_cleanup();
    return 0;
}
