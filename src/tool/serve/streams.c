/* See tool/serve/streams.h. It never waits: asking is a send, and every word of the actor comes
 * as an event. libmicrohttpd does not see a suspended client go, so each socket is watched
 * here, under the stream's id: a late report of a descriptor that has a new owner finds
 * nobody. */
#include "tool/serve/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/time.h"

enum {
    LOOK_AT_ONCE = 256,
    BLOCK = 1024 /* of a response on its way to libmicrohttpd */
};

TAILQ_HEAD(quiet_streams, adm_stream);
TAILQ_HEAD(late_streams, adm_stream);
LIST_HEAD(all_streams, adm_stream);

struct adm_streams {
    admission_client_t *client;
    struct adm_topics *topics;
    struct adm_streams_options options;
    int word_fd;
    int watch_fd;
    struct adm_hash_key key;
    struct adm_pool pool;
    struct adm_table table;     /* by id */
    struct quiet_streams quiet; /* those written to longest ago first */
    struct late_streams late;   /* those that took something longest ago first */
    struct all_streams all;
    struct adm_stream_counts counts;
    int64_t now;
    bool need_run;
    bool is_closed;
};

struct adm_streams *adm_streams_new(admission_actor_t *actor, struct adm_topics *topics,
                                    const struct adm_streams_options *options)
{
    struct adm_streams *streams = adm_memory_new(1, sizeof *streams);
    *streams = (struct adm_streams){
        .topics = topics,
        .options = *options,
        .watch_fd = epoll_create1(EPOLL_CLOEXEC),
        .key = adm_hash_key_random(),
    };
    adm_pool_init(&streams->pool, sizeof(struct adm_stream));
    TAILQ_INIT(&streams->quiet);
    TAILQ_INIT(&streams->late);
    LIST_INIT(&streams->all);
    if (streams->watch_fd == -1 ||
        admission_client_new(&streams->client, actor) != ADMISSION_OK ||
        admission_client_fd(streams->client, &streams->word_fd) != ADMISSION_OK) {
        adm_streams_destroy(&streams);
    }
    return streams;
}

void adm_streams_destroy(struct adm_streams **at)
{
    struct adm_streams *streams = *at;
    *at = NULL;
    const int saved = errno;
    ADM_ASSERT(LIST_EMPTY(&streams->all));
    admission_client_destroy(&streams->client);
    if (streams->watch_fd != -1) {
        close(streams->watch_fd);
    }
    adm_table_deinit(&streams->table);
    adm_pool_deinit(&streams->pool);
    free(streams);
    errno = saved;
}

int adm_streams_word_fd(const struct adm_streams *streams)
{
    return streams->word_fd;
}

int adm_streams_watch_fd(const struct adm_streams *streams)
{
    return streams->watch_fd;
}

const struct adm_stream_counts *adm_streams_counts(const struct adm_streams *streams)
{
    return &streams->counts;
}

size_t adm_streams_backlog(const struct adm_streams *streams)
{
    size_t n = 0;
    const struct adm_stream *stream;
    LIST_FOREACH (stream, &streams->all, of_all) {
        n += adm_spool_length(&stream->spool);
    }
    return n;
}

void adm_streams_set_now(struct adm_streams *streams, int64_t now)
{
    streams->now = now;
}

void adm_streams_begin_turn(struct adm_streams *streams)
{
    admission_client_cork(streams->client);
}

void adm_streams_end_turn(struct adm_streams *streams)
{
    admission_client_uncork(streams->client);
}

bool adm_streams_need_run(struct adm_streams *streams)
{
    const bool need_run = streams->need_run;
    streams->need_run = false;
    return need_run;
}

static struct adm_stream *find(const struct adm_streams *streams, uint64_t id)
{
    struct adm_table_walk walk;
    uint32_t number =
        adm_table_first(&streams->table, adm_hash_number(&streams->key, id), &walk);
    while (number != ADM_TABLE_NONE) {
        struct adm_stream *stream = adm_pool_at(&streams->pool, number);
        if (stream->id == id) {
            return stream;
        }
        number = adm_table_next(&streams->table, &walk);
    }
    return NULL;
}

static void suspend(struct adm_stream *stream)
{
    MHD_suspend_connection(stream->connection);
    stream->is_suspended = true;
}

static void wake(struct adm_stream *stream)
{
    if (stream->is_suspended) {
        stream->is_suspended = false;
        MHD_resume_connection(stream->connection);
        stream->streams->need_run = true;
    }
}

static void be_on_time(struct adm_stream *stream)
{
    if (stream->is_late) {
        stream->is_late = false;
        TAILQ_REMOVE(&stream->streams->late, stream, late);
    }
}

static void be_late_if_behind(struct adm_stream *stream)
{
    if (!stream->is_late && adm_spool_length(&stream->spool) > ADM_STREAM_BACKLOG_MAX) {
        stream->is_late = true;
        stream->taken_at = stream->streams->now;
        TAILQ_INSERT_TAIL(&stream->streams->late, stream, late);
    }
}

/* LIVE begins and ends in these two. */
static void enter(struct adm_stream *stream)
{
    stream->state = ADM_STREAM_LIVE;
    stream->written_at = stream->streams->now;
    TAILQ_INSERT_TAIL(&stream->principal->live, stream, of_principal);
    TAILQ_INSERT_TAIL(&stream->streams->quiet, stream, quiet);
}

static void retire(struct adm_stream *stream)
{
    if (stream->state == ADM_STREAM_LIVE && !stream->is_gone) {
        TAILQ_REMOVE(&stream->principal->live, stream, of_principal);
        TAILQ_REMOVE(&stream->streams->quiet, stream, quiet);
        be_on_time(stream);
    }
}

/* So does what follows it, while the last words are read. */
static void enter_end(struct adm_stream *stream)
{
    retire(stream);
    stream->state = ADM_STREAM_ENDED;
    stream->ended_at = stream->streams->now;
    TAILQ_INSERT_TAIL(&stream->principal->ended, stream, of_principal);
    stream->principal->n_ended++;
}

static void retire_end(struct adm_stream *stream)
{
    if (stream->state == ADM_STREAM_ENDED && !stream->is_gone) {
        TAILQ_REMOVE(&stream->principal->ended, stream, of_principal);
        stream->principal->n_ended--;
    }
}

/* Gives back the slot, now or when it comes. */
static void give_back(struct adm_stream *stream)
{
    retire(stream);
    retire_end(stream);
    stream->is_gone = true;
    if (stream->state == ADM_STREAM_ASKED || stream->state == ADM_STREAM_LIVE) {
        admission_client_leave(stream->streams->client, stream->id);
    }
}

/* The client is gone, or is to go. The shutdown is for libmicrohttpd, which may be waiting to
 * write. */
static void lose(struct adm_stream *stream)
{
    if (!stream->is_gone) {
        give_back(stream);
        shutdown(stream->fd, SHUT_RDWR);
        wake(stream);
    }
}

static void drop_unread(struct adm_stream *stream)
{
    stream->streams->counts.unread++;
    lose(stream);
}

static void free_wish(struct adm_stream_wish *wish)
{
    free(wish->tag);
    free(wish->hello);
}

static bool watch(struct adm_streams *streams, const struct adm_stream *stream)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.u64 = stream->id};
    return epoll_ctl(streams->watch_fd, EPOLL_CTL_ADD, stream->fd, &event) == 0;
}

static void take_interests(struct adm_stream *stream, const struct adm_stream_wish *wish)
{
    struct adm_topics *topics = stream->streams->topics;
    LIST_INIT(&stream->interests);
    for (size_t i = 0; i < wish->n_topics; i++) {
        struct adm_interest *interest = adm_topics_interest(topics, wish->topics[i], stream);
        LIST_INSERT_HEAD(&stream->interests, interest, of_stream);
    }
    if (wish->wants_everything) {
        struct adm_interest *interest = adm_topics_interest(topics, adm_name_none(), stream);
        LIST_INSERT_HEAD(&stream->interests, interest, of_stream);
    }
}

static struct adm_stream *add(struct adm_streams *streams, struct MHD_Connection *connection,
                              uint64_t id, const struct adm_stream_wish *wish)
{
    const uint32_t number = adm_pool_take(&streams->pool);
    struct adm_stream *stream = adm_pool_at(&streams->pool, number);
    *stream = (struct adm_stream){
        .dialect = wish->dialect,
        .streams = streams,
        .principal = wish->principal,
        .connection = connection,
        .id = id,
        .max = streams->options.max_listens,
        .state = ADM_STREAM_ASKED,
        .wants = wish->wants,
        .fd =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
        .number = number,
        .tag = wish->tag,
        .hello = wish->hello,
        .asked_at = streams->now,
    };
    take_interests(stream, wish);
    adm_table_add(&streams->table, adm_hash_number(&streams->key, id), number);
    LIST_INSERT_HEAD(&streams->all, stream, of_all);
    streams->counts.n_open++;
    return stream;
}

/* Who opens streams without end and reads no last words would else have all connections. What
 * has ended in this very turn could not be read yet. */
static void hurry_ended(struct adm_streams *streams, struct adm_principal *principal)
{
    struct adm_stream *oldest;
    while (principal->n_ended > streams->options.max_ended &&
           (oldest = TAILQ_FIRST(&principal->ended))->ended_at < streams->now) {
        drop_unread(oldest);
    }
}

struct adm_stream *adm_streams_ask(struct adm_streams *streams,
                                   struct MHD_Connection *connection,
                                   struct adm_stream_wish wish)
{
    struct admission_listen listen = admission_listen_default(wish.principal->name);
    listen.max = streams->options.max_listens;
    uint64_t id;
    hurry_ended(streams, wish.principal);
    if (streams->is_closed ||
        admission_client_request_listener(streams->client, &listen, &id) != ADMISSION_OK) {
        streams->counts.turned_away++;
        free_wish(&wish);
        return NULL;
    }
    struct adm_stream *stream = add(streams, connection, id, &wish);
    suspend(stream);
    if (!watch(streams, stream)) {
        lose(stream);
    }
    return stream;
}

/* libmicrohttpd asks for the next bytes. Nothing to say: the connection is suspended, for else
 * it would ask again and again. */
static ssize_t read_stream(void *self, uint64_t position, char *bytes, size_t room)
{
    (void)position;
    struct adm_stream *stream = self;
    if (stream->is_gone) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    const size_t n = adm_spool_take(&stream->spool, bytes, room);
    if (n > 0 && stream->is_late) {
        be_on_time(stream);
        be_late_if_behind(stream);
    }
    if (n == 0 && stream->state == ADM_STREAM_ENDED) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (n == 0) {
        suspend(stream);
    }
    return (ssize_t)n;
}

static enum MHD_Result begin_response(struct adm_stream *stream)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, stream, NULL);
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Cache-Control", "no-cache, no-transform");
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    MHD_add_response_header(response, "Connection", "close");
    const enum MHD_Result result =
        MHD_queue_response(stream->connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result adm_streams_answer(struct adm_stream *stream)
{
    if (stream->is_gone) {
        return MHD_NO;
    }
    switch (stream->state) {
    case ADM_STREAM_ASKED:
        suspend(stream);
        return MHD_YES;
    case ADM_STREAM_REFUSED:
        return stream->dialect->refuse(stream);
    case ADM_STREAM_LIVE:
    case ADM_STREAM_ENDED:
        return begin_response(stream);
    }
    return MHD_NO;
}

void adm_streams_release(struct adm_stream *stream)
{
    struct adm_streams *streams = stream->streams;
    epoll_ctl(streams->watch_fd, EPOLL_CTL_DEL, stream->fd, NULL);
    if (!stream->is_gone) {
        give_back(stream);
    }
    while (!LIST_EMPTY(&stream->interests)) {
        struct adm_interest *interest = LIST_FIRST(&stream->interests);
        LIST_REMOVE(interest, of_stream);
        adm_topics_lose(streams->topics, interest);
    }
    LIST_REMOVE(stream, of_all);
    adm_table_remove(&streams->table, adm_hash_number(&streams->key, stream->id),
                     stream->number);
    streams->counts.n_open--;
    adm_spool_deinit(&stream->spool);
    free(stream->tag);
    free(stream->hello);
    adm_pool_return(&streams->pool, stream->number);
}

static void count_wait(struct adm_streams *streams, const struct adm_stream *stream)
{
    const uint64_t waited_us = (uint64_t)(streams->now - stream->asked_at);
    const int bucket = waited_us == 0 ? 0 : 64 - __builtin_clzll(waited_us);
    streams->counts.waits[bucket]++;
    streams->counts.waited_us += waited_us;
}

static void begin(struct adm_stream *stream, uint64_t order)
{
    stream->order = order;
    count_wait(stream->streams, stream);
    if (stream->is_gone) {
        return;
    }
    enter(stream);
    stream->dialect->greet(stream, &stream->spool);
    free(stream->hello);
    stream->hello = NULL;
    wake(stream);
}

static void refuse(struct adm_stream *stream)
{
    stream->state = ADM_STREAM_REFUSED;
    wake(stream);
}

/* Else one principal's ended streams would hold what each live one may. */
static void cut_backlog(struct adm_stream *stream)
{
    if (adm_spool_length(&stream->spool) > ADM_STREAM_BACKLOG_MAX) {
        adm_spool_cut(&stream->spool, ADM_STREAM_MARK);
    }
}

/* The last words go out behind what is spooled, or behind the message under way if that is
 * much: who does not read them runs into the timeout of its connection. */
static void end(struct adm_stream *stream, enum adm_stream_end end)
{
    if (stream->state != ADM_STREAM_LIVE || stream->is_gone) {
        return;
    }
    enter_end(stream);
    cut_backlog(stream);
    stream->dialect->end(stream, end, &stream->spool);
    wake(stream);
}

static void hear(struct adm_streams *streams, const struct admission_event *event)
{
    struct adm_stream *stream = find(streams, event->id);
    if (stream == NULL) {
        return;
    }
    switch (event->type) {
    case ADMISSION_EVENT_ADMITTED:
        begin(stream, event->order);
        break;
    case ADMISSION_EVENT_REFUSED:
        refuse(stream);
        break;
    case ADMISSION_EVENT_SUPERSEDED:
        end(stream, ADM_STREAM_SUPERSEDED);
        break;
    case ADMISSION_EVENT_CLOSED:
        end(stream, ADM_STREAM_SHUTDOWN);
        break;
    case ADMISSION_EVENT_GRANTED:
    case ADMISSION_EVENT_ABORT:
    case ADMISSION_EVENT_LIVE:
        break;
    }
}

void adm_streams_hear(struct adm_streams *streams)
{
    struct admission_event event;
    while (admission_client_next(streams->client, 0, &event) == ADMISSION_OK) {
        hear(streams, &event);
    }
}

void adm_streams_look(struct adm_streams *streams)
{
    struct epoll_event events[LOOK_AT_ONCE];
    int n;
    do {
        n = epoll_wait(streams->watch_fd, events, LOOK_AT_ONCE, 0);
        for (int i = 0; i < n; i++) {
            struct adm_stream *stream = find(streams, events[i].data.u64);
            if (stream != NULL) {
                lose(stream);
            }
        }
    } while (n == LOOK_AT_ONCE);
}

/* What was spooled is on its way. How much it is says nothing about the client yet, who could
 * take none of it so far. */
static void hand_out(struct adm_stream *stream)
{
    struct adm_streams *streams = stream->streams;
    if (adm_spool_length(&stream->spool) > ADM_STREAM_BACKLOG_EVER) {
        drop_unread(stream);
        return;
    }
    be_late_if_behind(stream);
    stream->written_at = streams->now;
    TAILQ_REMOVE(&streams->quiet, stream, quiet);
    TAILQ_INSERT_TAIL(&streams->quiet, stream, quiet);
    wake(stream);
}

static bool can_hear(const struct adm_stream *stream)
{
    return stream->state == ADM_STREAM_LIVE && !stream->is_gone;
}

static int64_t keepalive_at(const struct adm_streams *streams)
{
    const struct adm_stream *stream = TAILQ_FIRST(&streams->quiet);
    return stream == NULL || streams->options.keepalive_us == 0
               ? ADM_NEVER
               : adm_time_add(stream->written_at, streams->options.keepalive_us);
}

static int64_t patience_at(const struct adm_streams *streams)
{
    const struct adm_stream *stream = TAILQ_FIRST(&streams->late);
    return stream == NULL ? ADM_NEVER : adm_time_add(stream->taken_at, ADM_STREAM_PATIENCE_US);
}

void adm_streams_drop_late(struct adm_streams *streams)
{
    while (patience_at(streams) <= streams->now) {
        drop_unread(TAILQ_FIRST(&streams->late));
    }
}

void adm_streams_keep_alive(struct adm_streams *streams)
{
    while (keepalive_at(streams) <= streams->now) {
        struct adm_stream *stream = TAILQ_FIRST(&streams->quiet);
        adm_spool_add_text(&stream->spool, ": keepalive\n\n");
        hand_out(stream);
    }
}

int64_t adm_streams_due_at(const struct adm_streams *streams)
{
    return adm_time_earlier(keepalive_at(streams), patience_at(streams));
}

static void tell(struct adm_streams *streams, const struct adm_interests *interests,
                 const struct adm_news *news)
{
    struct adm_interest *interest;
    LIST_FOREACH (interest, interests, of_topic) {
        struct adm_stream *stream = interest->stream;
        if (can_hear(stream)) {
            stream->dialect->tell(stream, news, &stream->spool);
            streams->counts.delivered++;
            hand_out(stream);
        }
    }
}

void adm_streams_tell(struct adm_streams *streams, const struct adm_topic *topic,
                      const struct adm_news *news)
{
    streams->counts.told_bytes += strlen(news->json);
    tell(streams, &topic->interests, news);
    tell(streams, &streams->topics->everything.interests, news);
}

void adm_streams_tell_change(struct adm_streams *streams, enum adm_stream_wants what)
{
    struct adm_stream *stream;
    LIST_FOREACH (stream, &streams->all, of_all) {
        if (can_hear(stream) && (stream->wants & what) != 0) {
            stream->dialect->tell_change(stream, what, &stream->spool);
            hand_out(stream);
        }
    }
}

void adm_streams_drop_all(struct adm_streams *streams)
{
    struct adm_stream *stream;
    streams->is_closed = true;
    LIST_FOREACH (stream, &streams->all, of_all) {
        lose(stream);
    }
}
