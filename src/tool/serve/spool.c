/* See tool/serve/spool.h. It knows neither frames nor who reads them. */
#include "tool/serve/spool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void adm_spool_deinit(struct adm_spool *spool)
{
    free(spool->bytes);
    *spool = (struct adm_spool){0};
}

void adm_spool_add(struct adm_spool *spool, const void *bytes, size_t n)
{
    if (n == 0) {
        return;
    }
    if (spool->taken > 0 && spool->n + n > spool->room) {
        memmove(spool->bytes, spool->bytes + spool->taken, spool->n - spool->taken);
        spool->n -= spool->taken;
        spool->taken = 0;
    }
    spool->bytes = adm_memory_reserve(spool->bytes, &spool->room, spool->n + n, 1);
    memcpy(spool->bytes + spool->n, bytes, n);
    spool->n += n;
}

void adm_spool_add_text(struct adm_spool *spool, const char *text)
{
    adm_spool_add(spool, text, strlen(text));
}

void adm_spool_print(struct adm_spool *spool, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    char *text = NULL;
    const int n = vasprintf(&text, form, arguments);
    va_end(arguments);
    if (n < 0) {
        abort();
    }
    adm_spool_add(spool, text, (size_t)n);
    free(text);
}

size_t adm_spool_take(struct adm_spool *spool, char *bytes, size_t room)
{
    const size_t length = adm_spool_length(spool);
    const size_t n = length < room ? length : room;
    if (n == 0) {
        return 0;
    }
    memcpy(bytes, spool->bytes + spool->taken, n);
    spool->taken += n;
    if (spool->taken == spool->n) {
        adm_spool_deinit(spool);
    }
    return n;
}

void adm_spool_cut(struct adm_spool *spool, const char *mark)
{
    struct adm_spool kept = {0};
    const struct adm_text all = adm_spool_text(spool);
    const char *end = memmem(all.bytes, all.length, mark, strlen(mark));
    ADM_ASSERT(end != NULL);
    adm_spool_add(&kept, all.bytes, (size_t)(end - all.bytes) + strlen(mark));
    adm_spool_deinit(spool);
    *spool = kept;
}

size_t adm_spool_length(const struct adm_spool *spool)
{
    return spool->n - spool->taken;
}

struct adm_text adm_spool_text(const struct adm_spool *spool)
{
    return (struct adm_text){
        .bytes = spool->bytes == NULL ? "" : spool->bytes + spool->taken,
        .length = adm_spool_length(spool),
    };
}

char *adm_spool_string(struct adm_spool *spool)
{
    const size_t length = adm_spool_length(spool);
    char *string = adm_memory_new(length + 1, 1);
    adm_spool_take(spool, string, length);
    return string;
}
