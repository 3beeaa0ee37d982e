/* The examples of docs/messages.md: each block of bytes is decoded and must be what the
 * document says it is, line by line. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>

#include "describe.h"
#include "exact.h"

enum {
    N_OPS = 15,
    N_TYPES = ADM_EVENT_END + 1,
    EXAMPLE_MAX = 1024
};

TestSuite(messages, .timeout = 10);

/* A fenced block `inlet` or `outlet`: bytes in hex, `;` before a comment, and after them a line
 * that begins with `= ` for each line of the description. */
struct example {
    bool is_inlet;
    unsigned line;
    uint8_t bytes[EXAMPLE_MAX];
    size_t size;
    char said[EXAMPLE_MAX];
};

static void read_hex(struct example *example, const char *text)
{
    for (;;) {
        text += strspn(text, " \n");
        if (*text == '\0' || *text == ';') {
            return;
        }
        cr_assert(isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]),
                  "example of line %u: no hex byte in `%s`", example->line, text);
        const char digits[] = {text[0], text[1], '\0'};
        cr_assert(example->size < sizeof example->bytes);
        example->bytes[example->size++] = (uint8_t)strtoul(digits, NULL, 16);
        text += 2;
    }
}

static void read_line(struct example *example, const char *text)
{
    if (strncmp(text, "= ", 2) == 0) {
        cr_assert(strlen(example->said) + strlen(text) < sizeof example->said);
        strcat(example->said, text + 2);
    } else {
        read_hex(example, text);
    }
}

/* Finds the next example; false at the end of the document. */
static bool next_example(FILE *document, unsigned *line, struct example *example)
{
    char text[512];
    bool is_inside = false;
    memset(example, 0, sizeof *example);
    while (fgets(text, sizeof text, document) != NULL) {
        ++*line;
        if (is_inside) {
            if (strcmp(text, "```\n") == 0) {
                return true;
            }
            read_line(example, text);
        } else if (strcmp(text, "```inlet\n") == 0 || strcmp(text, "```outlet\n") == 0) {
            is_inside = true;
            example->is_inlet = text[3] == 'i';
            example->line = *line;
        }
    }
    cr_assert_not(is_inside, "example of line %u: no end", example->line);
    return false;
}

static FILE *open_document(void)
{
    const char *path = getenv("ADM_MESSAGES");
    cr_assert_not_null(path, "ADM_MESSAGES is the path of docs/messages.md");
    FILE *document = fopen(path, "r");
    cr_assert_not_null(document, "%s cannot be read", path);
    return document;
}

Test(messages, every_example_is_what_the_document_says)
{
    FILE *document = open_document();
    struct example example;
    unsigned line = 0;
    while (next_example(document, &line, &example)) {
        uint8_t *bytes = exact_copy(example.bytes, example.size);
        char *found = example.is_inlet ? describe_inlet(bytes, example.size)
                                       : describe_outlet(bytes, example.size);
        cr_expect_str_eq(found, example.said, "example of line %u is\n%sand said to be\n%s",
                         example.line, found, example.said);
        free(found);
        exact_free(bytes);
    }
    fclose(document);
}

/* Marks the kinds of the records of one example. */
static void mark_kinds(const struct example *example, bool ops[N_OPS], bool types[N_TYPES])
{
    size_t at = example->is_inlet ? 0 : ADM_EVENT_STAMP;
    while (at < example->size) {
        struct adm_inbound inbound;
        struct adm_event event;
        const uint8_t *bytes = example->bytes + at;
        const size_t size = example->size - at;
        if (example->is_inlet) {
            const size_t length = adm_inbound_decode(bytes, size, &inbound);
            if (length == 0) {
                return;
            }
            ops[bytes[0] & 31] = true;
            at += length;
        } else {
            if (!adm_event_decode(bytes, size, &event)) {
                return;
            }
            types[event.type] = true;
            at += (event.n + 1) * ADM_EVENT_RECORD;
        }
    }
}

Test(messages, every_kind_of_record_has_an_example)
{
    FILE *document = open_document();
    struct example example;
    unsigned line = 0;
    bool ops[N_OPS] = {false};
    bool types[N_TYPES] = {false};
    while (next_example(document, &line, &example)) {
        mark_kinds(&example, ops, types);
    }
    fclose(document);
    for (unsigned op = 0; op < N_OPS; op++) {
        cr_expect(ops[op], "no example of op %u", op);
    }
    for (unsigned type = 0; type < N_TYPES; type++) {
        cr_expect(types[type], "no example of type %u", type);
    }
}
