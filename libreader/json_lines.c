/* "line_profile": for each rank an array of records of Python functions, with one column each of lines, hits, times. */
#include "json_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The record that is being read, and its columns until all of them are there. */
struct line_record {
    struct rd_json_document *document;
    spr_line_record record;
    struct rd_store numbers, hits;
    double *times;
    size_t num_times;
    double unit;
};

static bool take_time(struct rd_json *json, void *context) {
    struct line_record *reading = context;
    void *items = reading->times;
    const bool room = rd_json_grow(json, &items, reading->num_times, sizeof *reading->times);
    reading->times = items;
    return room && rd_json_get_real(json, "times", &reading->times[reading->num_times++]);
}

static bool take_times(struct rd_json *json, const char *key, void *context) {
    return rd_json_array(json, key, take_time, context);
}

static bool take_integers(struct rd_json *json, const char *key, void *context) {
    struct line_record *reading = context;
    uint64_t count;
    return rd_json_integers(json, key, strcmp(key, "hits") == 0 ? &reading->hits : &reading->numbers, &count);
}

static bool take_text(struct rd_json *json, const char *key, void *context) {
    struct line_record *reading = context;
    spr_line_record *record = &reading->record;
    const char *text, **place = strcmp(key, "region") == 0     ? &record->region
                                : strcmp(key, "filename") == 0 ? &record->filename
                                : strcmp(key, "function") == 0 ? &record->function
                                                               : &record->source;
    if (!rd_json_get_text(json, key, &reading->document->profile->strings, &text)) return false;
    if (text) *place = text;
    return true;
}

static bool take_first(struct rd_json *json, const char *key, void *context) {
    spr_line_record *record = &((struct line_record *)context)->record;
    return rd_json_get_integer(json, key,
                               strcmp(key, "first_lineno") == 0 ? &record->first_line : &record->source_first_line);
}

static bool take_unit(struct rd_json *json, const char *key, void *context) {
    return rd_json_get_real(json, key, &((struct line_record *)context)->unit);
}

static int compare_lines(const void *a, const void *b) {
    const spr_line *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static bool build_lines(struct rd_json *json, struct line_record *reading) {
    spr_line_record *record = &reading->record;
    record->unit = reading->unit;
    const size_t count = (size_t)(reading->numbers.bytes / sizeof(int64_t));
    if (reading->numbers.bytes != reading->hits.bytes || count != reading->num_times)
        return rd_json_fail(json, SPR_DAMAGED, "the line columns of function '%s' differ in length", record->function);
    record->lines = calloc(count ? count : 1, sizeof *record->lines);
    if (!record->lines) return rd_json_fail(json, SPR_NO_MEMORY, "not enough memory");
    for (size_t i = 0; i < count; i++) {
        spr_line *line = &record->lines[i];
        if (!rd_store_read(&reading->numbers, i * sizeof(int64_t), &line->number, 1) ||
            !rd_store_read(&reading->hits, i * sizeof(int64_t), &line->hits, 1))
            return rd_json_fail(json, SPR_NO_MEMORY, "its lines cannot be kept");
        line->time = reading->times[i];
        const double seconds = line->time * record->unit;
        line->seconds = isfinite(seconds) ? seconds : (double)NAN;
    }
    record->num_lines = count;
    if (count) qsort(record->lines, count, sizeof *record->lines, compare_lines);
    return true;
}

static bool keep_record(struct rd_json *json, struct line_record *reading) {
    spr_line_profile *lines = &reading->document->profile->lines;
    void *items = lines->records;
    const bool room = rd_json_grow(json, &items, lines->count, sizeof *lines->records);
    lines->records = items;
    if (room) lines->records[lines->count++] = reading->record;
    return room;
}

static bool take_record(struct rd_json *json, void *context) {
    static const struct rd_json_member members[] = {
        {"region", take_text}, {"filename", take_text},         {"function", take_text},
        {"source", take_text}, {"first_lineno", take_first},    {"source_first_lineno", take_first},
        {"unit", take_unit},   {"line_numbers", take_integers}, {"hits", take_integers},
        {"times", take_times},
    };
    struct rd_json_document *document = context;
    struct line_record reading = {
        .document = document,
        .numbers = RD_NO_STORE,
        .hits = RD_NO_STORE,
        .unit = 1,
        .record = {
            .rank = (uint32_t)document->rank, .region = "", .function = "", .filename = "", .source_first_line = 1}};
    const bool fine = rd_json_object(json, "line_profile[]", members, COUNT(members), &reading) &&
                      build_lines(json, &reading) && keep_record(json, &reading);
    if (!fine) free(reading.record.lines);
    rd_store_close(&reading.numbers);
    rd_store_close(&reading.hits);
    free(reading.times);
    return fine;
}

static bool take_rank(struct rd_json *json, const char *key, void *context) {
    return rd_json_set_rank(json, key, context) && rd_json_array(json, "line_profile of a rank", take_record, context);
}

bool rd_json_take_lines(struct rd_json *json, const char *key, void *context) {
    return rd_json_each(json, key, take_rank, context);
}
