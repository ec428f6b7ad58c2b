/* What a JSON profile holds beside the regions: metadata, threads, tasks, processes, problems. */
#include "json_profile.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool no_memory(struct rd_json *json) { return rd_json_fail(json, SPR_NO_MEMORY, "not enough memory"); }

bool rd_json_grow(struct rd_json *json, void **items, size_t count, size_t size) {
    if (count & (count - 1)) return true;
    void *grown = realloc(*items, (count ? 2 * count : 1) * size);
    if (!grown) return no_memory(json);
    *items = grown;
    return true;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

bool rd_json_texts_add(struct rd_json *json, const char *what, struct rd_json_texts *texts) {
    void *items = texts->items;
    const char *text;
    if (!rd_json_get_text(json, what, texts->arena, &text)) return false;
    if (!text) return rd_json_fail(json, SPR_DAMAGED, "'%s' holds a null", what);
    const bool room = rd_json_grow(json, &items, texts->count, sizeof *texts->items);
    texts->items = items;
    if (room) texts->items[texts->count++] = text;
    return room;
}

bool rd_json_texts_keep(struct rd_json *json, struct rd_json_texts *texts) {
    texts->kept = rd_arena_take(texts->arena, (texts->count + 1) * sizeof *texts->kept);
    if (!texts->kept) return no_memory(json);
    if (texts->count) memcpy(texts->kept, texts->items, texts->count * sizeof *texts->kept);
    return true;
}

/* ---- metadata --------------------------------------------------------------------------------------------------- */

/* Elements that are no texts are left out: only module lists are known to be lists. */
static bool read_list(struct rd_json *json, struct rd_json_texts *texts) {
    bool more;
    for (bool first = true;; first = false) {
        enum rd_json_kind kind;
        if (!rd_json_element(json, first, &more)) return false;
        if (!more) return rd_json_texts_keep(json, texts);
        if (!rd_json_value(json, &kind)) return false;
        if (kind == RD_JSON_ARRAY || kind == RD_JSON_OBJECT)
            return rd_json_fail(json, SPR_DAMAGED, "a list of the metadata holds more than texts");
        if (kind != RD_JSON_TEXT) continue;
        void *items = texts->items;
        const char *copy = rd_arena_copy(texts->arena, json->text, json->length);
        const bool room = copy && rd_json_grow(json, &items, texts->count, sizeof *texts->items);
        texts->items = items;
        if (!room) return no_memory(json);
        texts->items[texts->count++] = copy;
    }
}

static bool pass_over_object(struct rd_json *json) {
    bool more;
    for (bool first = true;; first = false) {
        if (!rd_json_key(json, first, &more)) return false;
        if (!more) return true;
        if (!rd_json_skip(json)) return false;
    }
}

static bool read_value(struct rd_json *json, struct rd_arena *arena, spr_value *value, bool *known) {
    enum rd_json_kind kind;
    struct rd_json_texts texts = {.arena = arena};
    bool fine = true;
    if (!rd_json_value(json, &kind)) return false;
    *known = true;
    switch (kind) {
    case RD_JSON_TEXT:
        value->kind = SPR_TEXT;
        value->text = rd_arena_copy(arena, json->text, json->length);
        return value->text || no_memory(json);
    case RD_JSON_INTEGER:
    case RD_JSON_TRUE:
    case RD_JSON_FALSE:
        value->kind = SPR_INTEGER;
        value->integer = kind == RD_JSON_INTEGER ? json->integer : kind == RD_JSON_TRUE;
        return true;
    case RD_JSON_REAL:
        value->kind = SPR_REAL;
        value->real = json->real;
        return true;
    case RD_JSON_ARRAY:
        fine = read_list(json, &texts);
        value->kind = SPR_TEXT_LIST;
        value->items = texts.kept;
        value->count = texts.count;
        free(texts.items);
        return fine;
    case RD_JSON_OBJECT:
        *known = false;
        return pass_over_object(json);
    case RD_JSON_NULL:
        break;
    }
    *known = false;
    return true;
}

bool rd_json_take_metadata(struct rd_json *json, const char *key, void *context) {
    struct rd_json_document *document = context;
    spr_profile *profile = document->profile;
    spr_value value = {.key = rd_arena_copy(&profile->strings, key, strlen(key))};
    bool known;
    if (!value.key) return no_memory(json);
    if (!read_value(json, &profile->strings, &value, &known)) return false;
    return !known || rd_metadata_add(profile, &value) || no_memory(json);
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

enum field_kind { NUMBER, COUNT_64, FLAG, SWITCH, WORD };

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
};

static bool take_field(struct rd_json *json, const struct field *field, struct rd_json_document *document) {
    void *at = (char *)document->record + field->offset;
    const char *text;
    bool flag;
    int64_t number;
    switch (field->kind) {
    case NUMBER:
        return rd_json_get_integer(json, field->key, at);
    case COUNT_64:
        if (!rd_json_get_integer(json, field->key, &number)) return false;
        if (number < 0) return rd_json_fail(json, SPR_DAMAGED, "'%s' is negative", field->key);
        *(uint64_t *)at = (uint64_t)number;
        return true;
    case FLAG:
        if (!rd_json_get_bool(json, field->key, &flag)) return false;
        *(int *)at = flag;
        return true;
    case SWITCH:
        return rd_json_get_bool(json, field->key, at);
    case WORD:
        if (!rd_json_get_text(json, field->key, &document->profile->strings, &text)) return false;
        if (text) *(const char **)at = text;
        return true;
    }
    return false;
}

struct record_kind {
    const struct field *fields;
    size_t num_fields, size;
    bool (*begin)(struct rd_json *json, struct rd_json_document *document); /* makes document->record */
};

struct records {
    struct rd_json_document *document;
    const struct record_kind *kind;
};

static bool take_record_field(struct rd_json *json, const char *key, void *context) {
    const struct records *records = context;
    for (size_t i = 0; i < records->kind->num_fields; i++)
        if (strcmp(records->kind->fields[i].key, key) == 0)
            return take_field(json, &records->kind->fields[i], records->document);
    return rd_json_skip(json);
}

static bool take_record(struct rd_json *json, void *context) {
    const struct records *records = context;
    return records->kind->begin(json, records->document) && rd_json_each(json, "record", take_record_field, context);
}

bool rd_json_set_rank(struct rd_json *json, const char *key, struct rd_json_document *document) {
    char *end;
    const long long rank = strtoll(key, &end, 10);
    if (*key < '0' || *key > '9' || *end || rank > INT32_MAX)
        return rd_json_fail(json, SPR_DAMAGED, "'%s' is no rank", key);
    document->rank = rank;
    return true;
}

static bool take_rank(struct rd_json *json, const char *key, void *context) {
    const struct records *records = context;
    return rd_json_set_rank(json, key, records->document) &&
           rd_json_array(json, "records of a rank", take_record, context);
}

static bool take_records(struct rd_json *json, const char *key, const struct record_kind *kind, void *context) {
    struct records records = {context, kind};
    return rd_json_each(json, key, take_rank, &records);
}

/* ---- threads, tasks, processes ---------------------------------------------------------------------------------- */

static bool begin_thread(struct rd_json *json, struct rd_json_document *document) {
    spr_profile *profile = document->profile;
    void *items = profile->threads;
    if (!rd_json_grow(json, &items, profile->num_threads, sizeof *profile->threads)) return false;
    profile->threads = items;
    spr_thread *thread = &profile->threads[profile->num_threads++];
    *thread = (spr_thread){.rank = (uint32_t)document->rank,
                           .index = -1,
                           .ident = -1,
                           .native_id = -1,
                           .start_ns = -1,
                           .end_ns = -1,
                           .cpu_ns = -1,
                           .name = ""};
    document->record = thread;
    return true;
}

bool rd_json_take_threads(struct rd_json *json, const char *key, void *context) {
#define THREAD(member) offsetof(spr_thread, member)
    static const struct field fields[] = {
        {"index", NUMBER, THREAD(index)},   {"name", WORD, THREAD(name)},
        {"ident", NUMBER, THREAD(ident)},   {"native_id", NUMBER, THREAD(native_id)},
        {"daemon", FLAG, THREAD(daemon)},   {"start_ns", NUMBER, THREAD(start_ns)},
        {"end_ns", NUMBER, THREAD(end_ns)}, {"cpu_ns", NUMBER, THREAD(cpu_ns)},
    };
    static const struct record_kind kind = {fields, COUNT(fields), sizeof(spr_thread), begin_thread};
    return take_records(json, key, &kind, context);
}

static bool begin_task(struct rd_json *json, struct rd_json_document *document) {
    spr_profile *profile = document->profile;
    void *items = profile->tasks;
    if (!rd_json_grow(json, &items, profile->num_tasks, sizeof *profile->tasks)) return false;
    profile->tasks = items;
    spr_task *task = &profile->tasks[profile->num_tasks++];
    *task = (spr_task){.rank = (uint32_t)document->rank,
                       .index = -1,
                       .thread_index = -1,
                       .created_ns = -1,
                       .done_ns = -1,
                       .steps = -1,
                       .running_ns = -1,
                       .suspended_ns = -1,
                       .kind = "",
                       .name = "",
                       .coro_name = ""};
    document->record = task;
    return true;
}

bool rd_json_take_tasks(struct rd_json *json, const char *key, void *context) {
#define TASK(member) offsetof(spr_task, member)
    static const struct field fields[] = {
        {"index", NUMBER, TASK(index)},
        {"kind", WORD, TASK(kind)},
        {"name", WORD, TASK(name)},
        {"coro_name", WORD, TASK(coro_name)},
        {"created_ns", NUMBER, TASK(created_ns)},
        {"thread_index", NUMBER, TASK(thread_index)},
        {"done_ns", NUMBER, TASK(done_ns)},
        {"steps", NUMBER, TASK(steps)},
        {"running_ns", NUMBER, TASK(running_ns)},
        {"suspended_ns", NUMBER, TASK(suspended_ns)},
    };
    static const struct record_kind kind = {fields, COUNT(fields), sizeof(spr_task), begin_task};
    return take_records(json, key, &kind, context);
}

static bool begin_process(struct rd_json *json, struct rd_json_document *document) {
    spr_profile *profile = document->profile;
    void *items = profile->processes;
    if (!rd_json_grow(json, &items, profile->num_processes, sizeof *profile->processes)) return false;
    profile->processes = items;
    spr_process *process = &profile->processes[profile->num_processes++];
    *process = (spr_process){.rank = (uint32_t)document->rank,
                             .pid = -1,
                             .parent_pid = -1,
                             .mpi_rank = -1,
                             .start_ns = -1,
                             .end_ns = -1,
                             .command = "",
                             .ended = "",
                             .incomplete_since_ns = -1,
                             .problem = ""};
    document->record = process;
    return true;
}

bool rd_json_take_processes(struct rd_json *json, const char *key, void *context) {
#define PROCESS(member) offsetof(spr_process, member)
    static const struct field fields[] = {
        {"pid", NUMBER, PROCESS(pid)},           {"parent_pid", NUMBER, PROCESS(parent_pid)},
        {"mpi_rank", NUMBER, PROCESS(mpi_rank)}, {"node", NUMBER, PROCESS(node)},
        {"command", WORD, PROCESS(command)},     {"start_ns", NUMBER, PROCESS(start_ns)},
        {"end_ns", NUMBER, PROCESS(end_ns)},     {"ended", WORD, PROCESS(ended)},
        {"complete", SWITCH, PROCESS(complete)}, {"incomplete_since_ns", NUMBER, PROCESS(incomplete_since_ns)},
        {"problem", WORD, PROCESS(problem)},
    };
    static const struct record_kind kind = {fields, COUNT(fields), sizeof(spr_process), begin_process};
    return take_records(json, key, &kind, context);
}

/* ---- problems --------------------------------------------------------------------------------------------------- */

static bool begin_problem(struct rd_json *json, struct rd_json_document *document) {
    void *items = document->problems;
    if (!rd_json_grow(json, &items, document->num_problems, sizeof *document->problems)) return false;
    document->problems = items;
    struct rd_json_problem *problem = &document->problems[document->num_problems++];
    *problem = (struct rd_json_problem){.problem = {.rank = (uint32_t)document->rank, .region = SIZE_MAX}, .kind = -1};
    document->record = problem;
    return true;
}

bool rd_json_take_problems(struct rd_json *json, const char *key, void *context) {
#define PROBLEM(member) offsetof(struct rd_json_problem, member)
    static const struct field fields[] = {
        {"region", WORD, PROBLEM(region)},
        {"kind", NUMBER, PROBLEM(kind)},
        {"count", COUNT_64, PROBLEM(problem.count)},
        {"at_exit", NUMBER, PROBLEM(problem.at_exit)},
        {"open_ns", NUMBER, PROBLEM(problem.open_ns)},
    };
    static const struct record_kind kind = {fields, COUNT(fields), sizeof(struct rd_json_problem), begin_problem};
    return take_records(json, key, &kind, context);
}

bool rd_json_finish_tables(struct rd_json *json, struct rd_json_document *document) {
    spr_profile *profile = document->profile;
    profile->problems = calloc(document->num_problems ? document->num_problems : 1, sizeof *profile->problems);
    if (!profile->problems) return no_memory(json);
    for (size_t i = 0; i < document->num_problems; i++) {
        struct rd_json_problem *from = &document->problems[i];
        if (from->kind < 0) return rd_json_fail(json, SPR_DAMAGED, "a problem has no kind");
        if (from->kind > SPR_LOST) continue; /* a kind that a later version added */
        from->problem.kind = (enum spr_problem_kind)from->kind;
        if (from->region && !rd_names_find(&document->names, &profile->strings, from->region, &from->problem.region))
            return no_memory(json);
        profile->problems[profile->num_problems++] = from->problem;
    }
    return true;
}
