/* Opening and closing a profile. */
#include "sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- is it a file, and of which kind? ---------------------------------------------------------------------------- */

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* HDF5 lets a user block of 512 bytes, or twice that, and so on, come first. */
static bool has_signature(int descriptor, int64_t size) {
    for (int64_t at = 0; at + (int64_t)sizeof signature <= size; at = at ? at * 2 : 512) {
        unsigned char head[sizeof signature];
        if (pread(descriptor, head, sizeof head, at) == (ssize_t)sizeof head &&
            memcmp(head, signature, sizeof head) == 0)
            return true;
    }
    return false;
}

/* Files that are not HDF5, by how they begin, blanks aside where they are text. */
static const struct beginning {
    const char *bytes;
    bool text;
    int kind;
} beginnings[] = {
    {"SCOPEPRF", false, SPR_NATIVE}, {"\x1f\x8b", false, SPR_JSON}, {"{", true, SPR_JSON},
    {"<!DOCTYPE", true, -1},         {"<html", true, -1},
};

static const struct beginning *find_beginning(int descriptor) {
    char head[512] = "";
    const ssize_t got = pread(descriptor, head, sizeof head - 1, 0);
    const char *text = head + strspn(head, " \t\r\n");
    for (size_t i = 0; got > 0 && i < sizeof beginnings / sizeof *beginnings; i++) {
        const struct beginning *beginning = &beginnings[i];
        if (strncasecmp(beginning->text ? text : head, beginning->bytes, strlen(beginning->bytes)) == 0)
            return beginning;
    }
    return NULL;
}

static int check_content(const char *path, int descriptor, int64_t *size, enum spr_format *format, spr_error *error) {
    struct stat about;
    if (fstat(descriptor, &about) < 0) return rd_fail(error, SPR_NOT_FOUND, path, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode)) return rd_fail(error, SPR_NOT_PROFILE, path, "is not a regular file");
    if (about.st_size == 0) return rd_fail(error, SPR_NOT_PROFILE, path, "is empty");
    *size = about.st_size;
    *format = SPR_HDF5;
    if (has_signature(descriptor, about.st_size)) return SPR_OK;
    const struct beginning *beginning = find_beginning(descriptor);
    if (!beginning)
        return rd_fail(error, SPR_NOT_PROFILE, path, "is not an HDF5 file, JSON or a native trace: no profile");
    if (beginning->kind < 0)
        return rd_fail(error, SPR_NOT_PROFILE, path, "is an HTML page made of a profile; give the profile itself");
    *format = (enum spr_format)beginning->kind;
    return SPR_OK;
}

/* Leaves the file open in *descriptor; -1 after a failure. */
static int check_file(const char *path, int64_t *size, enum spr_format *format, int *descriptor, spr_error *error) {
    struct stat about;
    if (stat(path, &about) < 0) return rd_fail(error, SPR_NOT_FOUND, path, "%s", strerror(errno));
    if (S_ISDIR(about.st_mode)) return rd_fail(error, SPR_NOT_PROFILE, path, "is a directory");
    /* A pipe with no writer must not keep us waiting. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*descriptor < 0) return rd_fail(error, SPR_NOT_FOUND, path, "%s", strerror(errno));
    const int status = check_content(path, *descriptor, size, format, error);
    if (status == SPR_OK) return SPR_OK;
    close(*descriptor);
    *descriptor = -1;
    return status;
}

static hid_t access_list(void) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return -1;
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* HDF5 opens a file of a process once a driver, and refuses who asks for other properties: a program that has HDF5
     * itself opens with the default driver, so ours is another one. That driver also refuses what has no name any more
     * (/proc/<pid>/fd). */
    H5Pset_fapl_stdio(access);
#ifdef HAVE_H5PSET_FILE_LOCKING
    H5Pset_file_locking(access, false, true); /* others may have the file open, or the file system knows no locks */
#endif
    return access;
}

/* Strings are read past HDF5. */
static void find_heap_file(spr_profile *profile) {
    profile->heap_file = (struct rd_heap_file){
        .descriptor = profile->descriptor, .size = (uint64_t)profile->file_bytes, .base = rd_vet_base(profile->vet)};
    profile->text_left = (uint64_t)profile->file_bytes;
}

/* Our driver forgets why HDF5 could not open a file; the default one says. */
static void find_reason(const char *path, char *reason, size_t size) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    rd_hdf5_reason(reason, size);
    if (file >= 0) H5Fclose(file);
}

/* HDF5 sees the file when all that it may come upon is known to be sound. */
static int open_file(spr_profile *profile, spr_error *error) {
    char reason[256] = "";
    const int status =
        rd_vet_open(profile->path, profile->descriptor, (uint64_t)profile->file_bytes, &profile->vet, error);
    if (status != SPR_OK) return status;
    const hid_t access = access_list();
    if (access >= 0) {
        profile->file = H5Fopen(profile->path, H5F_ACC_RDONLY, access);
        H5Pclose(access);
    }
    if (profile->file < 0) find_reason(profile->path, reason, sizeof reason);
    if (profile->file < 0)
        return rd_fail(error, SPR_DAMAGED, profile->path,
                       "damaged or truncated, as an interrupted run leaves it (HDF5 says: %s)", reason);
    find_heap_file(profile);
    return SPR_OK;
}

/* ---- which schema? ---------------------------------------------------------------------------------------------- */

#define SCHEMA "scope_profiler_schema"
#define LAYOUT "storage_layout"

static int read_schema(spr_profile *profile, spr_error *error) {
    spr_value value;
    if (H5Aexists(profile->file, SCHEMA) <= 0) {
        profile->schema = 1;
        return SPR_OK;
    }
    if (!rd_attribute(profile, profile->file, SCHEMA, &value) || value.kind != SPR_INTEGER)
        return rd_fail(error, SPR_DAMAGED, profile->path, "attribute " SCHEMA " is not an integer");
    if (value.integer < 1)
        return rd_fail(error, SPR_DAMAGED, profile->path, "attribute " SCHEMA " is %lld, which is no version",
                       (long long)value.integer);
    if (value.integer > RD_NEWEST_SCHEMA)
        return rd_fail(error, SPR_NEWER, profile->path,
                       "needs a newer scope-profiler: schema %lld, this one reads up to %d; upgrade it",
                       (long long)value.integer, RD_NEWEST_SCHEMA);
    profile->schema = (int)value.integer;
    return SPR_OK;
}

static int read_layout(spr_profile *profile, spr_error *error) {
    spr_value value;
    if (profile->schema == 1 || H5Aexists(profile->file, LAYOUT) <= 0) return SPR_OK;
    if (!rd_attribute(profile, profile->file, LAYOUT, &value) || value.kind != SPR_TEXT)
        return rd_fail(error, SPR_DAMAGED, profile->path, "attribute " LAYOUT " is not a string");
    profile->aggregate = strcmp(value.text, "aggregate") == 0;
    if (!profile->aggregate && strcmp(value.text, "columnar") != 0)
        return rd_fail(error, SPR_NEWER, profile->path, "has the unknown storage layout '%s'", value.text);
    return SPR_OK;
}

static int read_profile(spr_profile *profile, int descriptor, spr_error *error) {
    if (profile->format == SPR_JSON) return rd_json_read(profile, descriptor, error);
    if (profile->format == SPR_NATIVE) return rd_native_read(profile, descriptor, error);
    profile->descriptor = descriptor;
    int status = open_file(profile, error);
    if (status == SPR_OK) status = read_schema(profile, error);
    if (status == SPR_OK) status = read_layout(profile, error);
    if (status == SPR_OK) status = rd_metadata_read(profile, error);
    if (status == SPR_OK)
        status = profile->schema == 1 ? rd_schema1_read(profile, error) : rd_index_read(profile, error);
    if (status == SPR_OK) status = rd_tables_read(profile, error);
    return status;
}

int spr_open(const char *path, spr_profile **profile, spr_error *error) {
    *profile = NULL;
    int64_t size = 0;
    enum spr_format format = SPR_HDF5;
    int descriptor = -1;
    int status = check_file(path, &size, &format, &descriptor, error);
    if (status != SPR_OK) return status;
    spr_profile *opened = calloc(1, sizeof *opened);
    char *copy = strdup(path);
    if (!opened || !copy) {
        free(opened);
        free(copy);
        if (descriptor >= 0) close(descriptor);
        return rd_fail(error, SPR_NO_MEMORY, path, "not enough memory");
    }
    opened->path = copy;
    opened->file = -1;
    opened->descriptor = -1;
    opened->file_bytes = size;
    opened->format = format;
    opened->store = opened->sorted_store = RD_NO_STORE;
    rd_events_clear(&opened->events);

    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    status = read_profile(opened, descriptor, error);
    rd_heap_free(&opened->heap);
    rd_quiet_end(&quiet);
    if (status != SPR_OK) {
        spr_close(opened);
        return status;
    }
    *profile = opened;
    return SPR_OK;
}

void spr_close(spr_profile *profile) {
    if (!profile) return;
    struct rd_quiet quiet;
    rd_quiet_begin(&quiet);
    if (profile->can_resume) rd_cursor_close(&profile->resume);
    rd_events_close(&profile->events);
    if (profile->file >= 0) H5Fclose(profile->file);
    rd_vet_close(profile->vet);
    if (profile->descriptor >= 0) close(profile->descriptor);
    rd_quiet_end(&quiet);
    void *const owned[] = {profile->metadata,  profile->names,    profile->first_row, profile->rows,
                           profile->places,    profile->by_rank,  profile->threads,   profile->tasks,
                           profile->processes, profile->problems, profile->tallies,   profile->own_ns,
                           profile->own_state, profile->traits,   profile->path};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    spr_lines_free(&profile->lines);
    rd_store_close(&profile->store);
    rd_sorted_free(profile);
    rd_arena_free(&profile->strings);
    free(profile);
}

const char *spr_path(const spr_profile *profile) { return profile->path; }
enum spr_format spr_format(const spr_profile *profile) { return profile->format; }
int spr_schema(const spr_profile *profile) { return profile->schema; }
bool spr_is_aggregate(const spr_profile *profile) { return profile->aggregate; }
bool spr_is_partial(const spr_profile *profile) { return profile->partial; }
int64_t spr_file_bytes(const spr_profile *profile) { return profile->file_bytes; }
uint32_t spr_num_ranks(const spr_profile *profile) { return profile->num_ranks; }
uint64_t spr_num_calls(const spr_profile *profile) { return profile->num_calls; }
