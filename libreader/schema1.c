/* Schema 1: /rank<N>/regions/<name>/start_times, end_times; a group per rank and region. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1 /* a library never exits */
#include <uthash.h>

int64_t rd_rank_of_group(const char *name) {
    if (strncmp(name, "rank", 4) != 0 || !name[4]) return -1;
    int64_t rank = 0;
    for (const char *at = name + 4; *at; at++) {
        if (*at < '0' || *at > '9') return -1;
        rank = rank * 10 + (*at - '0');
        if (rank > INT32_MAX) return -1;
    }
    return rank;
}

struct region_entry {
    const char *name;
    size_t region;
    UT_hash_handle hh;
};

/* Groups may be linked to themselves: each is entered once. */
struct seen_group {
    haddr_t address;
    UT_hash_handle hh;
};

/* HDF5 goes into them by calling us from within itself, some 3 KiB of stack each time. */
#define MOST_NESTED 128

struct scan {
    spr_profile *profile;
    spr_error *error;
    int status;
    uint32_t rank;
    int64_t *ranks; /* of the rank groups */
    size_t num_ranks, ranks_room;
    struct region_entry *regions;
    struct seen_group *seen;
    spr_row *rows;
    struct rd_place *places;
    size_t count, room;
    char path[4096]; /* of the group being scanned */
    size_t base;     /* length of "/rank<N>/regions/" */
    unsigned depth;  /* of that group in it */
};

static herr_t stop(struct scan *scan, int status) {
    scan->status = status;
    return -1;
}

static herr_t out_of_memory(struct scan *scan) { return stop(scan, rd_no_memory(scan->profile, scan->error)); }

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

static herr_t note_rank(hid_t root, const char *name, const H5L_info_t *info, void *data) {
    struct scan *scan = data;
    const int64_t rank = rd_rank_of_group(name);
    (void)root;
    if (rank < 0 || info->type != H5L_TYPE_HARD) return 0;
    if (scan->num_ranks == scan->ranks_room) {
        scan->ranks_room = scan->ranks_room ? scan->ranks_room * 2 : 16;
        int64_t *grown = realloc(scan->ranks, scan->ranks_room * sizeof *grown);
        if (!grown) return out_of_memory(scan);
        scan->ranks = grown;
    }
    scan->ranks[scan->num_ranks++] = rank;
    return 0;
}

static int compare_ranks(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- regions ---------------------------------------------------------------------------------------------------- */

static bool find_region(struct scan *scan, const char *name, size_t *region) {
    struct region_entry *entry;
    HASH_FIND_STR(scan->regions, name, entry);
    if (!entry) {
        spr_profile *profile = scan->profile;
        entry = malloc(sizeof *entry);
        const char **grown = realloc(profile->names, (profile->num_regions + 1) * sizeof *grown);
        if (grown) profile->names = grown;
        const char *copy = rd_arena_copy(&profile->strings, name, strlen(name));
        if (!entry || !grown || !copy) {
            free(entry);
            return false;
        }
        *entry = (struct region_entry){.name = copy, .region = profile->num_regions};
        profile->names[profile->num_regions++] = copy;
        HASH_ADD_KEYPTR(hh, scan->regions, entry->name, strlen(copy), entry);
        if (!entry->hh.tbl) {
            free(entry);
            return false;
        }
    }
    *region = entry->region;
    return true;
}

static const char *text_attribute(struct scan *scan, hid_t group, const char *name) {
    spr_value value;
    return rd_attribute(scan->profile, group, name, &value) && value.kind == SPR_TEXT && *value.text ? value.text
                                                                                                     : NULL;
}

static void read_attributes(struct scan *scan, hid_t group, spr_row *row) {
    spr_value value;
    row->source_file = text_attribute(scan, group, "source_file");
    row->source_text = text_attribute(scan, group, "source_text");
    if (rd_attribute(scan->profile, group, "source_lineno", &value) && value.kind == SPR_INTEGER && value.integer >= 0)
        row->source_line = value.integer;
    if (rd_attribute(scan->profile, group, "tags", &value) && value.kind == SPR_TEXT_LIST) {
        row->tags = value.items;
        row->num_tags = value.count;
    }
}

static bool make_room(struct scan *scan) {
    if (scan->count < scan->room) return true;
    const size_t room = scan->room ? scan->room * 2 : 32;
    spr_row *rows = realloc(scan->rows, room * sizeof *rows);
    if (rows) scan->rows = rows;
    struct rd_place *places = realloc(scan->places, room * sizeof *places);
    if (places) scan->places = places;
    if (!rows || !places) return false;
    scan->room = room;
    return true;
}

static herr_t add_row(struct scan *scan, hid_t group) {
    struct rd_events events;
    const int status = rd_events_open(scan->profile, group, scan->path, &events, scan->error);
    if (status != SPR_OK) return stop(scan, status);
    rd_events_close(&events);

    spr_row row = {.rank = scan->rank, .calls = events.length, .exclusive_ns = -1, .source_line = -1};
    if (!find_region(scan, scan->path + scan->base, &row.region)) return out_of_memory(scan);
    if (!row.calls) return 0;
    read_attributes(scan, group, &row);
    const char *path = rd_arena_copy(&scan->profile->strings, scan->path, strlen(scan->path));
    if (!path || !make_room(scan)) return out_of_memory(scan);
    scan->rows[scan->count] = row;
    scan->places[scan->count++] = (struct rd_place){.group = path};
    return 0;
}

static bool enter_once(struct scan *scan, hid_t group) {
    H5O_info_t info;
    struct seen_group *seen;
    if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0) return false;
    HASH_FIND(hh, scan->seen, &info.addr, sizeof info.addr, seen);
    if (seen) return false;
    seen = malloc(sizeof *seen);
    if (!seen) return false;
    *seen = (struct seen_group){.address = info.addr};
    HASH_ADD(hh, scan->seen, address, sizeof seen->address, seen);
    if (seen->hh.tbl) return true;
    free(seen);
    return false;
}

/* A group that holds start_times is a region; a name with a slash has become groups within groups. */
static herr_t scan_group(hid_t parent, const char *name, const H5L_info_t *info, void *data) {
    struct scan *scan = data;
    H5O_info_t object;
    if (info->type != H5L_TYPE_HARD || H5Oget_info_by_name2(parent, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
        object.type != H5O_TYPE_GROUP)
        return 0;
    const size_t length = strlen(scan->path), added = strlen(name);
    const bool at_top = length == scan->base;
    if (length + added + 2 > sizeof scan->path || scan->depth == MOST_NESTED)
        return stop(scan, rd_fail(scan->error, SPR_DAMAGED, scan->profile->path, "groups nest too deeply"));
    const hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    if (group < 0 || !enter_once(scan, group)) {
        if (group >= 0) H5Gclose(group);
        return 0;
    }
    if (!at_top) scan->path[length] = '/';
    memcpy(scan->path + length + !at_top, name, added + 1);
    herr_t result = 0;
    scan->depth++;
    if (H5Lexists(group, "start_times", H5P_DEFAULT) > 0) result = add_row(scan, group);
    if (result >= 0) result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, scan_group, scan);
    scan->depth--;
    scan->path[length] = '\0';
    H5Gclose(group);
    return result;
}

static herr_t scan_rank(struct scan *scan, int64_t rank) {
    scan->rank = (uint32_t)rank;
    const int length = snprintf(scan->path, sizeof scan->path, "/rank%lld/regions", (long long)rank);
    char name[24];
    snprintf(name, sizeof name, "rank%lld", (long long)rank);
    const hid_t parent = rd_open_group(scan->profile->file, name);
    if (parent < 0) return 0;
    const hid_t group = rd_open_group(parent, "regions"); /* step by step: a link to another file is not followed */
    H5Gclose(parent);
    if (group < 0) return 0;
    scan->path[length] = '/';
    scan->path[length + 1] = '\0';
    scan->base = (size_t)length + 1;
    const herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, scan_group, scan);
    H5Gclose(group);
    return result;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool looks_recorded(const spr_profile *profile) {
    static const char *const keys[] = {"mpi_size", "scope_profiler_version", "start_time_ns"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (spr_metadata(profile, keys[i])) return true;
    return false;
}

static int scan_file(struct scan *scan) {
    spr_profile *profile = scan->profile;
    herr_t result = H5Literate(profile->file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_rank, scan);
    if (result >= 0 && !scan->num_ranks && !looks_recorded(profile))
        return rd_fail(scan->error, SPR_NOT_PROFILE, profile->path, "an HDF5 file, but not a profile");
    if (scan->num_ranks) qsort(scan->ranks, scan->num_ranks, sizeof *scan->ranks, compare_ranks);
    for (size_t i = 0; result >= 0 && i < scan->num_ranks; i++) result = scan_rank(scan, scan->ranks[i]);
    if (scan->status != SPR_OK) return scan->status;
    if (result < 0)
        return rd_fail(scan->error, SPR_DAMAGED, profile->path, "%s cannot be read", *scan->path ? scan->path : "/");
    return SPR_OK;
}

static void free_tables(struct scan *scan) {
    struct region_entry *entry, *next_entry;
    struct seen_group *seen, *next_seen;
    HASH_ITER(hh, scan->regions, entry, next_entry) {
        HASH_DEL(scan->regions, entry);
        free(entry);
    }
    HASH_ITER(hh, scan->seen, seen, next_seen) {
        HASH_DEL(scan->seen, seen);
        free(seen);
    }
    free(scan->ranks);
}

int rd_schema1_read(spr_profile *profile, spr_error *error) {
    struct scan *scan = calloc(1, sizeof *scan);
    if (!scan) return rd_no_memory(profile, error);
    scan->profile = profile;
    scan->error = error;
    int status = scan_file(scan);
    if (status == SPR_OK) {
        status = rd_rows_adopt(profile, scan->rows, scan->places, scan->count, error);
    } else {
        free(scan->rows);
        free(scan->places);
    }
    if (status == SPR_OK && scan->num_ranks) {
        const uint32_t highest = (uint32_t)scan->ranks[scan->num_ranks - 1] + 1;
        profile->num_ranks = highest > scan->num_ranks ? highest : (uint32_t)scan->num_ranks;
    }
    free_tables(scan);
    free(scan);
    return status;
}
