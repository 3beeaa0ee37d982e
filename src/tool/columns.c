/* See tool/columns.h. Times carry their unit in the name of their column, so a unit is never
 * guessed; a header whose names say nothing is an error, for the same reason. */
#include "tool/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A field that a kind of log has, by the name it goes by; times are followed by their unit. */
static const struct field {
    enum adm_log_kind kind;
    enum adm_column column;
    const char *name;
    bool is_time;
} fields[] = {
    {ADM_LOG_LISTENS, ADM_COLUMN_AT, "open", true},
    {ADM_LOG_LISTENS, ADM_COLUMN_PRINCIPAL, "principal", false},
    {ADM_LOG_LISTENS, ADM_COLUMN_DURATION, "duration", true},
    {ADM_LOG_LISTENS, ADM_COLUMN_END, "end", true},
    {ADM_LOG_REQUESTS, ADM_COLUMN_AT, "arrive", true},
    {ADM_LOG_REQUESTS, ADM_COLUMN_PROVIDER, "provider", false},
    {ADM_LOG_REQUESTS, ADM_COLUMN_KEY, "key", false},
    {ADM_LOG_REQUESTS, ADM_COLUMN_DURATION, "duration", true},
    {ADM_LOG_REQUESTS, ADM_COLUMN_END, "end", true},
};

enum {
    N_FIELDS = sizeof fields / sizeof *fields
};

static const struct unit {
    const char *suffix;
    int64_t us;
} units[] = {{"_us", 1}, {"_ms", 1000}, {"_s", 1000000}};

enum {
    N_UNITS = sizeof units / sizeof *units
};

/* Is `text` this field? A time also says its unit. */
static bool is_field(const struct field *field, struct adm_text text, int64_t *unit_us)
{
    const size_t length = strlen(field->name);
    if (!field->is_time) {
        *unit_us = 0;
        return adm_text_is(text, field->name);
    }
    if (text.length < length || memcmp(text.bytes, field->name, length) != 0) {
        return false;
    }
    const struct adm_text suffix = {text.bytes + length, text.length - length};
    for (size_t i = 0; i < N_UNITS; i++) {
        if (adm_text_is(suffix, units[i].suffix)) {
            *unit_us = units[i].us;
            return true;
        }
    }
    return false;
}

static const struct field *find_field(enum adm_log_kind kind, struct adm_text text,
                                      int64_t *unit_us)
{
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (fields[i].kind == kind && is_field(&fields[i], text, unit_us)) {
            return &fields[i];
        }
    }
    return NULL;
}

static void put(struct adm_columns *columns, enum adm_column column, size_t number,
                int64_t unit_us)
{
    columns->places[column] = (struct adm_column_place){.number = number, .unit_us = unit_us};
    if (number > columns->n_wanted) {
        columns->n_wanted = number;
    }
}

void adm_columns_init(struct adm_columns *columns, enum adm_log_kind kind)
{
    *columns = (struct adm_columns){.kind = kind, .is_exact = true};
    put(columns, ADM_COLUMN_AT, 1, 1000);
    if (kind == ADM_LOG_LISTENS) {
        put(columns, ADM_COLUMN_PRINCIPAL, 2, 0);
        put(columns, ADM_COLUMN_DURATION, 3, 1000);
    } else {
        put(columns, ADM_COLUMN_PROVIDER, 2, 0);
        put(columns, ADM_COLUMN_KEY, 3, 0);
        put(columns, ADM_COLUMN_DURATION, 4, 1000);
    }
}

static bool fail_at(char error[ADM_READER_ERROR_MAX], struct adm_text text, const char *rule)
{
    struct adm_reader reader = {.error = error};
    return adm_reader_fail_at(&reader, text, "%s", rule);
}

static bool is_there(const struct adm_columns *columns, enum adm_column column)
{
    return columns->places[column].number != 0 || columns->places[column].header.length != 0;
}

/* The column that every log must have and this one has not; NULL when it has all. */
static const char *missing(const struct adm_columns *columns)
{
    const bool is_listens = columns->kind == ADM_LOG_LISTENS;
    if (!is_there(columns, ADM_COLUMN_AT)) {
        return is_listens ? "open_ms" : "arrive_ms";
    }
    return is_listens && !is_there(columns, ADM_COLUMN_PRINCIPAL) ? "principal" : NULL;
}

static void clear(struct adm_columns *columns)
{
    *columns = (struct adm_columns){.kind = columns->kind};
}

static bool parse_one(struct adm_columns *columns, struct adm_text word,
                      char error[ADM_READER_ERROR_MAX])
{
    const char *equals = memchr(word.bytes, '=', word.length);
    if (equals == NULL || equals + 1 == word.bytes + word.length) {
        return fail_at(error, word, "FIELD=WHERE is wanted");
    }
    const struct adm_text name = {word.bytes, (size_t)(equals - word.bytes)};
    const struct adm_text where = {equals + 1, word.length - name.length - 1};
    int64_t unit_us = 0;
    const struct field *field = find_field(columns->kind, name, &unit_us);
    if (field == NULL) {
        return fail_at(error, name, "not a field of this log");
    }
    struct adm_column_place *place = &columns->places[field->column];
    if (place->number != 0 || place->header.length != 0) {
        return fail_at(error, name, "this field comes twice");
    }
    uint32_t number;
    if (!adm_value_count(where, &number)) {
        *place = (struct adm_column_place){.header = where, .unit_us = unit_us};
        return true;
    }
    if (number == 0 || number > ADM_COLUMN_MAX) {
        return fail_at(error, word, "columns are numbered from 1");
    }
    put(columns, field->column, number, unit_us);
    return true;
}

bool adm_columns_parse(struct adm_columns *columns, const char *spec,
                       char error[ADM_READER_ERROR_MAX])
{
    clear(columns);
    columns->are_given = true;
    while (*spec != '\0') {
        const size_t length = strcspn(spec, ",");
        if (!parse_one(columns, (struct adm_text){spec, length}, error)) {
            return false;
        }
        spec += length + (spec[length] == ',');
    }
    if (missing(columns) != NULL) {
        return fail_at(error, adm_text_of(missing(columns)), "not among them");
    }
    return true;
}

static bool looks_like_a_name(struct adm_text text)
{
    const char first = text.length > 0 ? text.bytes[0] : '0';
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
}

/* The columns that the user knows by the header. */
static bool resolve_named(struct adm_columns *columns, const struct adm_delimited *header,
                          char error[ADM_READER_ERROR_MAX])
{
    for (size_t c = 0; c < ADM_N_COLUMNS; c++) {
        struct adm_column_place *place = &columns->places[c];
        const struct adm_text wanted = place->header;
        for (size_t i = 0; i < header->n_fields && place->header.length > 0; i++) {
            const struct adm_text there = adm_delimited_field(header, i);
            if (there.length == wanted.length &&
                memcmp(there.bytes, wanted.bytes, wanted.length) == 0) {
                put(columns, (enum adm_column)c, i + 1, place->unit_us);
            }
        }
        if (place->header.length > 0) {
            return fail_at(error, wanted, "the first line has no such column");
        }
    }
    return true;
}

static bool resolve_header(struct adm_columns *columns, const struct adm_delimited *header,
                           char error[ADM_READER_ERROR_MAX])
{
    clear(columns);
    for (size_t i = 0; i < header->n_fields; i++) {
        int64_t unit_us = 0;
        const struct field *field =
            find_field(columns->kind, adm_delimited_field(header, i), &unit_us);
        if (field != NULL && columns->places[field->column].number == 0) {
            put(columns, field->column, i + 1, unit_us);
        }
    }
    if (missing(columns) != NULL) {
        return fail_at(error, adm_text_of(missing(columns)),
                       "the header has no such column; --columns tells which is what");
    }
    return true;
}

bool adm_columns_resolve(struct adm_columns *columns, const struct adm_delimited *first,
                         bool *is_header, char error[ADM_READER_ERROR_MAX])
{
    bool is_named = false;
    for (size_t c = 0; c < ADM_N_COLUMNS; c++) {
        is_named |= columns->places[c].header.length > 0;
    }
    const size_t at = columns->places[ADM_COLUMN_AT].number;
    *is_header = is_named || looks_like_a_name(adm_delimited_field(first, at - 1));
    if (is_named) {
        return resolve_named(columns, first, error);
    }
    return !*is_header || columns->are_given || resolve_header(columns, first, error);
}

bool adm_columns_have_duration(const struct adm_columns *columns)
{
    return is_there(columns, ADM_COLUMN_DURATION) || is_there(columns, ADM_COLUMN_END);
}

static struct adm_text field_of(const struct adm_columns *columns,
                                const struct adm_delimited *line, enum adm_column column)
{
    const size_t number = columns->places[column].number;
    return number == 0 ? adm_text_of("") : adm_delimited_field(line, number - 1);
}

static bool read_time(const struct adm_columns *columns, const struct adm_delimited *line,
                      enum adm_column column, int64_t *us, char error[ADM_READER_ERROR_MAX])
{
    const struct adm_text text = field_of(columns, line, column);
    return adm_value_decimal(text, columns->places[column].unit_us, us) ||
           fail_at(error, text, "a time is a decimal number, less than 2^63-1 us");
}

static bool read_lasts(const struct adm_columns *columns, const struct adm_delimited *line,
                       struct adm_log_entry *entry, char error[ADM_READER_ERROR_MAX])
{
    if (columns->places[ADM_COLUMN_DURATION].number != 0) {
        return read_time(columns, line, ADM_COLUMN_DURATION, &entry->lasts_us, error);
    }
    entry->lasts_us = ADM_LASTS_UNKNOWN;
    if (columns->places[ADM_COLUMN_END].number == 0) {
        return true;
    }
    int64_t end_us;
    if (!read_time(columns, line, ADM_COLUMN_END, &end_us, error)) {
        return false;
    }
    if (end_us < entry->at_us) {
        snprintf(error, ADM_READER_ERROR_MAX, "it ends before it begins");
        return false;
    }
    entry->lasts_us = end_us - entry->at_us;
    return true;
}

bool adm_columns_read(const struct adm_columns *columns, const struct adm_delimited *line,
                      struct adm_log_entry *entry, char error[ADM_READER_ERROR_MAX])
{
    const size_t n = line->n_fields;
    if (n < columns->n_wanted || (columns->is_exact && n > columns->n_wanted)) {
        snprintf(error, ADM_READER_ERROR_MAX, "%zu columns are wanted, %zu are there",
                 columns->n_wanted, n);
        return false;
    }
    entry->is_end = false;
    entry->principal = field_of(columns, line, ADM_COLUMN_PRINCIPAL);
    entry->provider = field_of(columns, line, ADM_COLUMN_PROVIDER);
    entry->key = field_of(columns, line, ADM_COLUMN_KEY);
    return read_time(columns, line, ADM_COLUMN_AT, &entry->at_us, error) &&
           read_lasts(columns, line, entry, error);
}
