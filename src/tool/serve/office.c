/* See tool/serve/office.h. Reading the actor's books is the one thing that waits for it, and
 * all streams wait as well: so it is done once in a turn, however many ask. */
#include "tool/serve/office.h"

/* What this turn has asked of the actor goes out first, so that its books have it, and what it
 * has said is heard, so that ours have that. */
static void read_books(struct adm_office *office)
{
    struct adm_books *books = &office->books;
    adm_streams_end_turn(office->streams);
    adm_streams_begin_turn(office->streams);
    books->turn = office->turn;
    books->is_open = admission_actor_stats(office->actor, &books->stats) == ADMISSION_OK;
    adm_streams_hear(office->streams);
}

bool adm_office_figures(struct adm_office *office, struct adm_figures *figures)
{
    if (office->books.turn != office->turn) {
        read_books(office);
    }
    if (!office->books.is_open) {
        return false;
    }
    *figures = (struct adm_figures){
        .actor = office->books.stats,
        .streams = adm_streams_counts(office->streams),
        .press = &office->press,
        .feed = &office->feed,
        .max_listens = office->settings->max_listens,
        .connections = MHD_get_daemon_info(office->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
                           ->num_connections,
        .requests = office->requests,
    };
    return true;
}
