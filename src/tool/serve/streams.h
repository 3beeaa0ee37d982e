/* The streams: each is one HTTP response that stays open, asked for in a principal's name and
 * admitted by the actor. One admission client carries them all.
 *
 * A stream is ASKED for when its request has been read, and its connection is suspended. The
 * actor's word makes it LIVE, with its greeting as the first bytes, or REFUSED. A later word
 * ENDs it: what is spooled still goes out, the last words included, then the response ends.
 * Whatever happens to the client - closed, reset, half-closed, not reading - makes it gone: the
 * slot is given back at once. The stream itself goes when its request has been completed.
 *
 * A client that is behind with ADM_STREAM_BACKLOG_MAX bytes makes its stream late: it has
 * ADM_STREAM_PATIENCE_US to take some of them, and again each time that it took some. Above
 * ADM_STREAM_BACKLOG_EVER bytes it goes at once.
 *
 * Invariant: a stream has an entry in the watch from its beginning to its end, or is gone from
 * its beginning for want of one. It stands in the lists of the live ones of its principal and
 * of the quiet ones exactly while it is LIVE and not gone, in that of the late ones while it is
 * late as well, and in that of the ended ones of its principal while it is ENDED and not
 * gone. */
#ifndef ADM_SERVE_STREAMS_H
#define ADM_SERVE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <microhttpd.h>

#include "admission/client.h"
#include "base/pool.h"
#include "base/table.h"
#include "tool/serve/principals.h"
#include "tool/serve/spool.h"
#include "tool/serve/topics.h"

/* What ends a message on its way, in either dialect, and is nowhere in it. */
#define ADM_STREAM_MARK "\n\n"

enum {
    ADM_STREAM_BACKLOG_MAX = 64 * 1024,
    ADM_STREAM_BACKLOG_EVER = 2 * 1024 * 1024, /* ten of the largest messages, all escapes */
    ADM_STREAM_PATIENCE_US = 1000000
};

enum adm_stream_state {
    ADM_STREAM_ASKED,
    ADM_STREAM_REFUSED,
    ADM_STREAM_LIVE,
    ADM_STREAM_ENDED,
};

enum adm_stream_end {
    ADM_STREAM_SUPERSEDED,
    ADM_STREAM_SHUTDOWN,
};

/* What a stream may hear of besides its topics. */
enum adm_stream_wants {
    ADM_STREAM_WANTS_TOPICS = 1 << 0, /* that the list of topics changed */
    ADM_STREAM_WANTS_TOOLS = 1 << 1,  /* that the list of tools changed */
};

/* A message for those who asked for its topic. */
struct adm_news {
    struct adm_name topic;
    const char *json; /* the topic and its body */
};

/* How one kind of stream speaks. Each writes whole frames. */
struct adm_dialect {
    void (*greet)(const struct adm_stream *stream, struct adm_spool *spool);
    void (*tell)(const struct adm_stream *stream, const struct adm_news *news,
                 struct adm_spool *spool);
    void (*tell_change)(const struct adm_stream *stream, enum adm_stream_wants what,
                        struct adm_spool *spool);
    void (*end)(const struct adm_stream *stream, enum adm_stream_end end,
                struct adm_spool *spool);
    /* What is said instead of a stream that was refused. */
    enum MHD_Result (*refuse)(const struct adm_stream *stream);
};

/* What is asked for. `tag` and `hello` become the stream's. */
struct adm_stream_wish {
    const struct adm_dialect *dialect;
    struct adm_principal *principal;
    char *tag;      /* the dialect's own: by what the client knows the stream */
    char *hello;    /* the dialect's own, for its greeting */
    unsigned wants; /* of enum adm_stream_wants */
    const struct adm_name *topics;
    size_t n_topics;
    bool wants_everything;
};

struct adm_stream {
    const struct adm_dialect *dialect;
    struct adm_streams *streams;
    struct adm_principal *principal;
    struct MHD_Connection *connection;
    uint64_t id; /* of the admission client, and what clients see as `ref` */
    uint64_t order;
    int64_t max; /* live ones of its principal */
    enum adm_stream_state state;
    unsigned wants;
    int fd;
    uint32_t number;
    bool is_suspended;
    bool is_gone;
    bool is_late;
    char *tag;
    char *hello;
    struct adm_interests interests;
    struct adm_spool spool;
    int64_t asked_at;
    int64_t written_at;
    int64_t taken_at; /* while it is late: since when nothing was taken */
    int64_t ended_at;
    TAILQ_ENTRY(adm_stream) of_principal; /* of its live ones, then of its ended ones */
    TAILQ_ENTRY(adm_stream) quiet;
    TAILQ_ENTRY(adm_stream) late;
    LIST_ENTRY(adm_stream) of_all;
};

/* What the actor cannot know. */
struct adm_stream_counts {
    uint64_t n_open;      /* of any state */
    uint64_t turned_away; /* before the actor was asked */
    uint64_t unread;      /* dropped, for their client did not read */
    uint64_t delivered;   /* messages put into a stream */
    uint64_t told_bytes;  /* of messages, each counted once however many heard it */
    /* From asking to being admitted; the buckets are those of admission_stats. */
    uint64_t waits[ADMISSION_N_WAITS];
    uint64_t waited_us;
};

struct adm_streams;

struct adm_streams_options {
    int64_t max_listens;  /* live ones of one principal */
    size_t max_ended;     /* of one principal, for their last words to be read */
    int64_t keepalive_us; /* of silence, until there is a comment; 0: none */
};

/* NULL: what was missing is in errno. */
struct adm_streams *adm_streams_new(admission_actor_t *actor, struct adm_topics *topics,
                                    const struct adm_streams_options *options);

/* No stream is left. */
void adm_streams_destroy(struct adm_streams **streams);

/* Two descriptors to wait for: words of the actor, and clients that are gone. */
int adm_streams_word_fd(const struct adm_streams *streams);
int adm_streams_watch_fd(const struct adm_streams *streams);

const struct adm_stream_counts *adm_streams_counts(const struct adm_streams *streams);

/* The bytes that are spooled: what clients are behind with. */
size_t adm_streams_backlog(const struct adm_streams *streams);

/* The instant of this turn of the loop. */
void adm_streams_set_now(struct adm_streams *streams, int64_t now);

/* Requests of one turn travel as one message. */
void adm_streams_begin_turn(struct adm_streams *streams);
void adm_streams_end_turn(struct adm_streams *streams);

/* Asks the actor and suspends the connection. Of the principal's streams that had a turn for
 * their last words the oldest go, while there are more than `max_ended`. NULL: the actor can't
 * be asked, and what the wish owned has been freed. */
struct adm_stream *adm_streams_ask(struct adm_streams *streams,
                                   struct MHD_Connection *connection,
                                   struct adm_stream_wish wish);

/* Answers a request whose stream is no longer ASKED: begins the response, or refuses. */
enum MHD_Result adm_streams_answer(struct adm_stream *stream);

/* The request is completed, however it ended: frees the stream. */
void adm_streams_release(struct adm_stream *stream);

/* Hears what the actor has said, and looks who is gone. */
void adm_streams_hear(struct adm_streams *streams);
void adm_streams_look(struct adm_streams *streams);

/* Says a comment on every stream that has been quiet for long enough. */
void adm_streams_keep_alive(struct adm_streams *streams);

/* Drops the late that have had their time. It comes after MHD has run: the server itself may
 * have been stopped for longer than that. */
void adm_streams_drop_late(struct adm_streams *streams);

/* When one of the two has something to do next; ADM_NEVER. */
int64_t adm_streams_due_at(const struct adm_streams *streams);

/* Delivers a message to all who asked for the topic; tells a change to all who want to know. */
void adm_streams_tell(struct adm_streams *streams, const struct adm_topic *topic,
                      const struct adm_news *news);
void adm_streams_tell_change(struct adm_streams *streams, enum adm_stream_wants what);

/* Drops every stream, for the end of the server: nothing more is waited for, and no other can
 * be asked for. */
void adm_streams_drop_all(struct adm_streams *streams);

/* Connections were resumed since it was last asked: MHD has to run, for it does not know. */
bool adm_streams_need_run(struct adm_streams *streams);

#endif
