/* A target without libFuzzer: tries each file that it is given, once. So the targets are built
 * and their seeds tried by every compiler. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fuzz.h"

/* The bytes of a file in a block of just their size; to free(). NULL when it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    uint8_t *bytes = NULL;
    size_t room = 0;
    *size = 0;
    for (int byte = fgetc(file); byte != EOF; byte = fgetc(file)) {
        bytes = adm_memory_reserve(bytes, &room, *size + 1, 1);
        bytes[(*size)++] = (uint8_t)byte;
    }
    fclose(file);
    return adm_memory_resize(bytes, *size + (*size == 0), 1);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_file(argv[i], &size);
        if (bytes == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
