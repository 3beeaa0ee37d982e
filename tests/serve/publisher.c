/* Publishes the time of day, once a second, to whoever connects or to a feed that binds.
 *
 * Usage: publisher ENDPOINT [COUNT] */
#include <stdlib.h>

#include <czmq.h>

int main(int argc, char **argv)
{
    zsock_t *publisher = zsock_new_pub(argc > 1 ? argv[1] : "@tcp://127.0.0.1:5555");
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    for (long i = 0; i != count && !zsys_interrupted && publisher != NULL; i++) {
        char *now = zclock_timestr();
        zstr_sendx(publisher, "time", now, NULL);
        zstr_free(&now);
        zclock_sleep(1000);
    }
    zsock_destroy(&publisher);
    return 0;
}
