/* The tables over the rows, whichever schema they come from. */
#include "internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ------------------------------------------------------------------------------------------------------ */

struct placed_row {
    spr_row row;
    struct rd_place place;
};

static int compare_placed(const void *a, const void *b) {
    const spr_row *x = &((const struct placed_row *)a)->row, *y = &((const struct placed_row *)b)->row;
    if (x->region != y->region) return x->region < y->region ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool sort_rows(spr_row *rows, struct rd_place *places, size_t count) {
    struct placed_row *placed = malloc((count ? count : 1) * sizeof *placed);
    if (!placed) return false;
    for (size_t i = 0; i < count; i++) placed[i] = (struct placed_row){rows[i], places[i]};
    if (count) qsort(placed, count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++) {
        rows[i] = placed[i].row;
        places[i] = placed[i].place;
    }
    free(placed);
    return true;
}

struct rank_key {
    uint32_t rank;
    size_t row;
};

static int compare_ranks(const void *a, const void *b) {
    const struct rank_key *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool order_by_rank(spr_profile *profile) {
    const size_t count = profile->num_rows;
    struct rank_key *keys = malloc((count ? count : 1) * sizeof *keys);
    profile->by_rank = malloc((count ? count : 1) * sizeof *profile->by_rank);
    if (keys && profile->by_rank) {
        for (size_t i = 0; i < count; i++) keys[i] = (struct rank_key){profile->rows[i].rank, i};
        if (count) qsort(keys, count, sizeof *keys, compare_ranks);
        for (size_t i = 0; i < count; i++) profile->by_rank[i] = keys[i].row;
    }
    free(keys);
    return keys && profile->by_rank;
}

static bool find_region_rows(spr_profile *profile) {
    profile->first_row = calloc(profile->num_regions + 1, sizeof *profile->first_row);
    if (!profile->first_row) return false;
    for (size_t i = 0; i < profile->num_rows; i++) profile->first_row[profile->rows[i].region + 1]++;
    for (size_t i = 0; i < profile->num_regions; i++) profile->first_row[i + 1] += profile->first_row[i];
    return true;
}

static int check_duplicates(const spr_profile *profile, spr_error *error) {
    for (size_t i = 1; i < profile->num_rows; i++) {
        const spr_row *row = &profile->rows[i], *before = row - 1;
        if (row->region == before->region && row->rank == before->rank)
            return rd_fail(error, SPR_DAMAGED, profile->path, "two rows for region '%s' on rank %u",
                           profile->names[row->region], row->rank);
    }
    return SPR_OK;
}

int rd_rows_adopt(spr_profile *profile, spr_row *rows, struct rd_place *places, size_t count, spr_error *error) {
    profile->rows = rows;
    profile->places = places;
    profile->num_rows = count;
    profile->num_calls = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].all_calls) rows[i].all_calls = rows[i].calls;
        if (__builtin_add_overflow(profile->num_calls, rows[i].all_calls, &profile->num_calls))
            return rd_fail(error, SPR_DAMAGED, profile->path, "the numbers of calls add up beyond 64 bits");
    }
    profile->tallies = calloc(count ? count : 1, sizeof *profile->tallies);
    profile->own_ns = calloc(count ? count : 1, sizeof *profile->own_ns);
    profile->own_state = calloc(count ? count : 1, sizeof *profile->own_state);
    profile->traits = calloc(count ? count : 1, sizeof *profile->traits);
    if (!profile->tallies || !profile->own_ns || !profile->own_state || !profile->traits ||
        !sort_rows(rows, places, count) || !order_by_rank(profile) || !find_region_rows(profile))
        return rd_no_memory(profile, error);
    return check_duplicates(profile, error);
}

/* ---- tags ------------------------------------------------------------------------------------------------------- */

static bool copy_tags(spr_profile *profile, const json_t *array, spr_row *row) {
    const size_t count = json_array_size(array);
    const char **tags = rd_arena_take(&profile->strings, count * sizeof *tags);
    if (!tags) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *tag = json_array_get(array, i);
        tags[i] = rd_arena_copy(&profile->strings, json_string_value(tag), json_string_length(tag));
        if (!tags[i]) return false;
    }
    row->tags = tags;
    row->num_tags = count;
    return true;
}

static bool is_text_array(const json_t *array) {
    if (!json_is_array(array)) return false;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!json_is_string(json_array_get(array, i))) return false;
    return true;
}

int rd_tags_parse(spr_profile *profile, const char *text, spr_row *row, spr_error *error) {
    if (!*text || strcmp(text, "[]") == 0) return SPR_OK;
    json_t *array = json_loads(text, 0, NULL);
    int status = SPR_OK;
    if (!is_text_array(array))
        status = rd_fail(error, SPR_DAMAGED, profile->path,
                         "the tags of region '%s' on rank %u are not a JSON array of strings",
                         profile->names[row->region], row->rank);
    else if (!copy_tags(profile, array, row))
        status = rd_no_memory(profile, error);
    json_decref(array);
    return status;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

size_t spr_num_regions(const spr_profile *profile) { return profile->num_regions; }

const char *spr_region_name(const spr_profile *profile, size_t region) {
    return region < profile->num_regions ? profile->names[region] : NULL;
}

size_t spr_num_rows(const spr_profile *profile) { return profile->num_rows; }

const spr_row *spr_row_at(const spr_profile *profile, size_t row) {
    return row < profile->num_rows ? &profile->rows[row] : NULL;
}

void spr_region_rows(const spr_profile *profile, size_t region, size_t *first, size_t *count) {
    *first = region < profile->num_regions ? profile->first_row[region] : 0;
    *count = region < profile->num_regions ? profile->first_row[region + 1] - *first : 0;
}
