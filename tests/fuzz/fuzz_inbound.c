/* Any bytes as a message of the inlet: what is read is in range and encodes to the same bytes.
 */
#include <string.h>

#include "base/assert.h"
#include "fuzz.h"
#include "wire/inbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adm_inbound inbound;
    for (size_t length; (length = adm_inbound_decode(data, size, &inbound)) > 0;) {
        uint8_t again[ADM_WIRE_INBOUND_MAX];
        ADM_ASSERT(length <= size);
        ADM_ASSERT(adm_inbound_encode(&inbound, again) == length); /* asserts the ranges */
        ADM_ASSERT(memcmp(again, data, length) == 0);
        data += length;
        size -= length;
    }
    return 0;
}
