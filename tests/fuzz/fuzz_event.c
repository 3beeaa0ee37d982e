/* Any bytes as a message of an outlet: what is read is in range and encodes to the same bytes.
 */
#include <string.h>

#include "base/assert.h"
#include "fuzz.h"
#include "wire/event.h"

static void try_rows(const uint8_t *data, size_t size, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct adm_event_row row;
        uint8_t again[ADM_EVENT_RECORD];
        ADM_ASSERT(adm_event_row_decode(data, size, &row)); /* its LIVE said that it is there */
        adm_event_row_encode(&row, again);
        ADM_ASSERT(memcmp(again, data, sizeof again) == 0);
        data += sizeof again;
        size -= sizeof again;
    }
}

static void try_records(const uint8_t *data, size_t size)
{
    struct adm_event event;
    while (adm_event_decode(data, size, &event)) {
        uint8_t again[ADM_EVENT_RECORD];
        adm_event_encode(&event, again); /* asserts the ranges */
        ADM_ASSERT(memcmp(again, data, sizeof again) == 0);
        data += sizeof again;
        size -= sizeof again;
        try_rows(data, size, event.n);
        data += event.n * sizeof again;
        size -= event.n * sizeof again;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t stamp_us;
    if (adm_event_stamp_decode(data, size, &stamp_us)) {
        uint8_t again[ADM_EVENT_STAMP];
        adm_event_stamp_encode(stamp_us, again);
        ADM_ASSERT(memcmp(again, data, sizeof again) == 0);
        try_records(data + sizeof again, size - sizeof again);
    }
    return 0;
}
