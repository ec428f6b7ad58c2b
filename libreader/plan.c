/* What a new file will hold: ranks and regions of all profiles, checked against each other. */
#include "write.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXTRA(member, event)                                                                                           \
    .in_block = offsetof(struct rd_block, member), .in_events = offsetof(struct rd_events, event)
const struct rd_extra_column rd_extra_columns[RD_EXTRAS] = {
    [RD_CALL_IDS] = {"call_ids", "call_ids", EXTRA(call_ids, call_ids), .missing = -1},
    [RD_PARENT_IDS] = {"parent_ids", "parent_ids", EXTRA(parent_ids, parent_ids), .missing = -1},
    [RD_THREAD_IDS] = {"thread_ids", "thread_ids", EXTRA(thread_ids, thread_ids), .missing = -1},
    [RD_TASK_IDS] = {"task_ids", "task_ids", EXTRA(task_ids, task_ids), .missing = -1},
    [RD_AWAIT_NS] = {"await_ns", "await_ns", EXTRA(await_ns, await_ns), .missing = 0},
    [RD_GPU_DURATIONS] = {"gpu_durations", "gpu_durations_ns", EXTRA(gpu_durations, gpu_durations), .missing = -1},
};

int rd_plan_fail(const struct rd_plan *plan, int status, const char *what) {
    return rd_fail(plan->error, status, plan->path, "%s", what);
}

static int no_memory(const struct rd_plan *plan) { return rd_plan_fail(plan, SPR_NO_MEMORY, "not enough memory"); }

const spr_row *rd_plan_source(const struct rd_plan *plan, const struct rd_plan_row *row) {
    return &plan->profiles[row->from]->rows[row->row];
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b) {
    const struct rd_plan_row *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row); /* of one rank: by region */
}

static int add_profile(struct rd_plan *plan, size_t number) {
    const spr_profile *profile = plan->profiles[number];
    size_t *regions = malloc((profile->num_regions ? profile->num_regions : 1) * sizeof *regions);
    if (!regions) return no_memory(plan);
    bool fine = true;
    for (size_t i = 0; fine && i < profile->num_regions; i++)
        fine = rd_names_find(&plan->names, &plan->arena, profile->names[i], &regions[i]);
    for (size_t i = 0; fine && i < profile->num_rows; i++) {
        const spr_row *row = &profile->rows[i];
        plan->rows[plan->num_rows++] =
            (struct rd_plan_row){number, i, row->rank + plan->first_rank[number], regions[row->region], false};
        plan->num_calls += row->calls;
    }
    free(regions);
    return fine ? SPR_OK : no_memory(plan);
}

static int check_layout(struct rd_plan *plan) {
    size_t aggregates = 0, with_rows = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        if (!plan->profiles[i]->num_rows) continue;
        with_rows++;
        aggregates += plan->profiles[i]->aggregate;
        plan->partial |= plan->profiles[i]->partial;
    }
    plan->aggregate = aggregates > 0;
    if (!aggregates || aggregates == with_rows) return SPR_OK;
    return rd_plan_fail(plan, SPR_CONFLICT, "profiles with and without single calls cannot become one");
}

/* Ranks keep their numbers, or go on from those of the profiles before. */
static int place_ranks(struct rd_plan *plan) {
    uint64_t next = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        plan->first_rank[i] = plan->options->ranks == SPR_RANKS_RENUMBER ? (uint32_t)next : 0;
        next += plan->profiles[i]->num_ranks;
        if (next > INT32_MAX && plan->options->ranks == SPR_RANKS_RENUMBER)
            return rd_plan_fail(plan, SPR_CONFLICT, "there are too many ranks");
        const uint32_t end = plan->first_rank[i] + plan->profiles[i]->num_ranks;
        if (end > plan->num_ranks) plan->num_ranks = end;
    }
    return SPR_OK;
}

static int rank_twice(const struct rd_plan *plan, const struct rd_plan_row *a, const struct rd_plan_row *b) {
    return rd_fail(plan->error, SPR_CONFLICT, plan->profiles[b->from]->path, "holds rank %u, which %s holds as well",
                   a->rank, plan->profiles[a->from]->path);
}

/* Rows of several profiles on one rank: refused, or marked where only the first profile's come to another's. */
static int check_ranks(struct rd_plan *plan) {
    const bool may_share = plan->options->ranks == SPR_RANKS_SHARE;
    for (size_t begin = 0, end; begin < plan->num_rows; begin = end) {
        const struct rd_plan_row *owner = &plan->rows[begin];
        bool shared = false;
        for (end = begin; end < plan->num_rows && plan->rows[end].rank == plan->rows[begin].rank; end++) {
            if (plan->rows[end].from == owner->from) continue;
            if (!may_share || owner->from != 0) return rank_twice(plan, owner, &plan->rows[end]);
            owner = &plan->rows[end];
            shared = true;
        }
        for (size_t i = begin; i < end; i++) plan->rows[i].shared = shared;
    }
    return SPR_OK;
}

/* The first profile, whose ranks others may have, must have regions of its own. */
static int check_regions(struct rd_plan *plan) {
    if (plan->options->ranks != SPR_RANKS_SHARE || !plan->names.count) return SPR_OK;
    size_t *owners = calloc(plan->names.count, sizeof *owners); /* 0: nobody yet */
    if (!owners) return no_memory(plan);
    int status = SPR_OK;
    for (size_t i = 0; status == SPR_OK && i < plan->num_rows; i++) {
        const struct rd_plan_row *row = &plan->rows[i];
        size_t *owner = &owners[row->region];
        if (*owner && (*owner == 1) != (row->from == 0))
            status = rd_fail(plan->error, SPR_CONFLICT, plan->profiles[row->from]->path, "has a region '%s', as %s has",
                             plan->names.items[row->region], plan->profiles[*owner - 1]->path);
        *owner = row->from + 1;
    }
    free(owners);
    return status;
}

static void shift_threads(struct rd_plan *plan) {
    int64_t next = 0;
    if (plan->options->ranks != SPR_RANKS_SHARE) return;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        const spr_profile *profile = plan->profiles[i];
        int64_t highest = -1;
        plan->first_thread[i] = next;
        for (size_t k = 0; k < profile->num_threads; k++)
            if (profile->threads[k].index > highest) highest = profile->threads[k].index;
        for (size_t k = 0; k < profile->num_tasks; k++)
            if (profile->tasks[k].index > highest) highest = profile->tasks[k].index;
        if (highest < INT32_MAX) next += highest + 1;
    }
}

static bool has_extra(const spr_profile *profile, size_t row, enum rd_extra extra) {
    const struct rd_place *place = &profile->places[row];
    if (place->group) return true; /* schema 1: looked at when it is read */
    const struct rd_events *events = place->events ? place->events : &profile->events;
    const char *column = (const char *)events + rd_extra_columns[extra].in_events;
    return rd_column_exists((const struct rd_column *)(const void *)column);
}

/* Schema 1 has its columns in groups: one that is there in any is in the file. */
static bool opened_has_extra(spr_profile *profile, size_t row, enum rd_extra extra) {
    struct rd_cursor cursor;
    if (!profile->places[row].group) return has_extra(profile, row, extra);
    if (rd_cursor_open(profile, row, &cursor, NULL) != SPR_OK) return false;
    const char *column = (const char *)cursor.events + rd_extra_columns[extra].in_events;
    const bool exists = rd_column_exists((const struct rd_column *)(const void *)column);
    rd_cursor_close(&cursor);
    return exists;
}

static void find_extras(struct rd_plan *plan) {
    for (size_t i = 0; !plan->aggregate && i < plan->num_rows; i++) {
        const struct rd_plan_row *row = &plan->rows[i];
        for (int extra = 0; extra < RD_EXTRAS; extra++)
            if (!plan->extras[extra])
                plan->extras[extra] = opened_has_extra(plan->profiles[row->from], row->row, (enum rd_extra)extra);
    }
}

/* ---- metadata --------------------------------------------------------------------------------------------------- */

static bool set_value(struct rd_plan *plan, const spr_value *value) {
    for (size_t i = 0; i < plan->num_metadata; i++) {
        if (strcmp(plan->metadata[i].key, value->key) != 0) continue;
        plan->metadata[i] = *value;
        return true;
    }
    spr_value *grown = realloc(plan->metadata, (plan->num_metadata + 1) * sizeof *grown);
    if (!grown) return false;
    plan->metadata = grown;
    plan->metadata[plan->num_metadata++] = *value;
    return true;
}

static bool set_integer(struct rd_plan *plan, const char *key, int64_t value) {
    return set_value(plan, &(spr_value){.key = key, .kind = SPR_INTEGER, .integer = value});
}

static bool set_text(struct rd_plan *plan, const char *key, const char *text) {
    return set_value(plan, &(spr_value){.key = key, .kind = SPR_TEXT, .text = text});
}

static const spr_value *integer_of(const spr_profile *profile, const char *key) {
    const spr_value *value = spr_metadata(profile, key);
    return value && value->kind == SPR_INTEGER ? value : NULL;
}

/* The least or the largest value of all profiles; nothing when none has one. */
static bool set_extreme(struct rd_plan *plan, const char *key, bool largest) {
    const spr_value *found = NULL;
    for (size_t i = 0; i < plan->num_profiles; i++) {
        const spr_value *value = integer_of(plan->profiles[i], key);
        if (!value) continue;
        if (!found || (largest ? value->integer > found->integer : value->integer < found->integer)) found = value;
    }
    return !found || set_integer(plan, key, found->integer);
}

static bool is_native(const struct rd_plan *plan) {
    for (size_t i = 0; i < plan->num_profiles; i++) {
        const spr_value *source = spr_metadata(plan->profiles[i], "source");
        if (source && source->kind == SPR_TEXT && strcmp(source->text, "native") == 0) return true;
    }
    return false;
}

/* What only the whole of several profiles can say. */
static bool describe_whole(struct rd_plan *plan) {
    if (!set_extreme(plan, "start_time_ns", false) || !set_extreme(plan, "finalize_time_ns", true)) return false;
    if (plan->num_ranks && !set_integer(plan, "mpi_size", plan->num_ranks)) return false;
    for (size_t i = 0; i < plan->num_metadata; i++) {
        const spr_value *value = &plan->metadata[i];
        if (strcmp(value->key, "omp_num_threads") == 0 && value->kind == SPR_INTEGER && value->integer > 0 &&
            value->integer < INT32_MAX)
            return set_integer(plan, "total_cores", value->integer * plan->num_ranks);
    }
    return true;
}

/* Otherwise the metadata are those of the first profile that has some beyond what every native trace has. */
static const spr_profile *describing(const struct rd_plan *plan) {
    for (size_t i = 0; i < plan->num_profiles; i++)
        if (plan->profiles[i]->format != SPR_NATIVE && plan->profiles[i]->num_metadata) return plan->profiles[i];
    return plan->num_profiles ? plan->profiles[0] : NULL;
}

/* Sorted by key; the last of equal ones counts. */
static bool copy_metadata(struct rd_plan *plan, const spr_profile *from) {
    plan->metadata = malloc((from->num_metadata + 1) * sizeof *plan->metadata);
    if (!plan->metadata) return false;
    for (size_t i = 0; i < from->num_metadata; i++) {
        const spr_value *value = &from->metadata[i];
        const bool again = i + 1 < from->num_metadata && strcmp(value->key, value[1].key) == 0;
        const bool of_one_rank = plan->num_profiles > 1 && strcmp(value->key, "mpi_rank") == 0;
        if (!again && !of_one_rank) plan->metadata[plan->num_metadata++] = *value;
    }
    return true;
}

static bool plan_metadata(struct rd_plan *plan) {
    const spr_profile *first = describing(plan);
    bool fine = !first || copy_metadata(plan, first);
    if (fine && is_native(plan))
        fine = set_text(plan, "source", "native") && set_integer(plan, "trace_format_version", 2);
    if (fine && plan->num_profiles > 1) fine = describe_whole(plan);
    if (fine && plan->options->label && *plan->options->label) fine = set_text(plan, "label", plan->options->label);
    return fine;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

int rd_plan_make(struct rd_plan *plan) {
    size_t rows = 0;
    for (size_t i = 0; i < plan->num_profiles; i++) rows += plan->profiles[i]->num_rows;
    plan->rows = malloc((rows ? rows : 1) * sizeof *plan->rows);
    plan->first_rank = calloc(plan->num_profiles + 1, sizeof *plan->first_rank);
    plan->first_thread = calloc(plan->num_profiles + 1, sizeof *plan->first_thread);
    if (!plan->rows || !plan->first_rank || !plan->first_thread) return no_memory(plan);
    int status = check_layout(plan);
    if (status == SPR_OK) status = place_ranks(plan);
    for (size_t i = 0; status == SPR_OK && i < plan->num_profiles; i++) status = add_profile(plan, i);
    if (status != SPR_OK) return status;
    if (plan->num_rows) qsort(plan->rows, plan->num_rows, sizeof *plan->rows, compare_rows);
    status = check_ranks(plan);
    if (status == SPR_OK) status = check_regions(plan);
    if (status != SPR_OK) return status;
    shift_threads(plan);
    find_extras(plan);
    status = rd_plan_tables(plan);
    if (status != SPR_OK) return status;
    return plan_metadata(plan) ? SPR_OK : no_memory(plan);
}

void rd_plan_free(struct rd_plan *plan) {
    rd_plan_tables_free(plan);
    rd_names_close(&plan->names);
    free(plan->names.items);
    free(plan->rows);
    free(plan->first_rank);
    free(plan->first_thread);
    free(plan->metadata);
    rd_arena_free(&plan->arena);
}

int rd_plan_exclusive(struct rd_plan *plan, const struct rd_plan_row *row, int64_t *exclusive_ns) {
    *exclusive_ns = row->shared ? -1 : rd_plan_source(plan, row)->exclusive_ns;
    if (*exclusive_ns >= 0 || row->shared || plan->aggregate) return SPR_OK;
    return rd_own_time(plan->profiles[row->from], row->row, exclusive_ns, plan->error);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static int64_t **extra_place(struct rd_block *block, enum rd_extra extra) {
    return (int64_t **)(void *)((char *)block + rd_extra_columns[extra].in_block);
}

int64_t *rd_plan_extra(const struct rd_block *block, enum rd_extra extra) {
    struct rd_block copy = *block;
    return *extra_place(&copy, extra);
}

int rd_plan_open(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_plan_calls *calls) {
    spr_profile *profile = plan->profiles[row->from];
    *calls = (struct rd_plan_calls){0};
    int status = rd_cursor_open(profile, row->row, &calls->cursor, plan->error);
    if (status != SPR_OK) return status;
    calls->room = calls->cursor.count < RD_BLOCK ? (size_t)calls->cursor.count + 1 : RD_BLOCK;
    calls->block.start = malloc(calls->room * sizeof(int64_t));
    calls->block.end = malloc(calls->room * sizeof(int64_t));
    bool fine = calls->block.start && calls->block.end;
    for (int extra = 0; extra < RD_EXTRAS; extra++) {
        if (!plan->extras[extra]) continue;
        int64_t **place = extra_place(&calls->block, (enum rd_extra)extra);
        *place = malloc(calls->room * sizeof(int64_t));
        fine = fine && *place;
    }
    return fine ? SPR_OK : no_memory(plan);
}

static void shift(int64_t *values, size_t count, int64_t by) {
    for (size_t i = 0; values && by && i < count; i++)
        if (values[i] >= 0) values[i] += by;
}

int rd_plan_read(struct rd_plan *plan, const struct rd_plan_row *row, struct rd_plan_calls *calls, size_t *count) {
    const uint64_t left = calls->cursor.count - calls->cursor.next;
    struct rd_block *block = &calls->block;
    *count = left < calls->room ? (size_t)left : calls->room;
    if (!*count) return SPR_OK;
    const int status = rd_cursor_read(plan->profiles[row->from], &calls->cursor, *count, block, plan->error);
    if (status != SPR_OK) return status;
    shift(block->thread_ids, *count, plan->first_thread[row->from]);
    shift(block->task_ids, *count, plan->first_thread[row->from]);
    for (size_t i = 0; row->shared && i < *count; i++) {
        if (block->call_ids) block->call_ids[i] = -1;
        if (block->parent_ids) block->parent_ids[i] = -1;
    }
    return SPR_OK;
}

void rd_plan_close(struct rd_plan_calls *calls) {
    rd_cursor_close(&calls->cursor);
    free(calls->block.start);
    free(calls->block.end);
    for (int extra = 0; extra < RD_EXTRAS; extra++) free(*extra_place(&calls->block, (enum rd_extra)extra));
    *calls = (struct rd_plan_calls){0};
}
