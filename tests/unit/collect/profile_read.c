#include "profile_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(what)                                                                                                     \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "failed: %s\n", #what);                                                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

hid_t read_open(const char *path) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    NEED(file >= 0);
    return file;
}

int read_has(hid_t file, const char *path) {
    char part[256];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return 0;
        *slash = '/';
    }
    return H5Lexists(file, part, H5P_DEFAULT) > 0;
}

static size_t length_of(hid_t set) {
    hid_t space = H5Dget_space(set);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    NEED(count >= 0 && H5Sget_simple_extent_ndims(space) == 1);
    H5Sclose(space);
    return (size_t)count;
}

static void *read_values(hid_t file, const char *path, hid_t type, size_t size, size_t *count) {
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    NEED(set >= 0);
    *count = length_of(set);
    void *values = calloc(*count + 1, size);
    NEED(values && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    return values;
}

struct numbers read_numbers(hid_t file, const char *path) {
    struct numbers n;
    n.values = read_values(file, path, H5T_NATIVE_INT64, sizeof(int64_t), &n.count);
    return n;
}

static hid_t text(void) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

struct texts read_texts(hid_t file, const char *path) {
    struct texts t;
    hid_t type = text();
    t.values = read_values(file, path, type, sizeof(char *), &t.count);
    H5Tclose(type);
    for (size_t i = 0; i < t.count; i++)
        if (!t.values[i]) t.values[i] = calloc(1, 1);
    return t;
}

static void *read_member(hid_t file, const char *member, hid_t native, size_t *count) {
    hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, member, 0, native);
    void *values = read_values(file, "/rank_region_index/summary_statistics", type, 8, count);
    H5Tclose(type);
    return values;
}

struct numbers read_summary(hid_t file, const char *member) {
    struct numbers n;
    n.values = read_member(file, member, H5T_NATIVE_INT64, &n.count);
    return n;
}

double *read_summary_real(hid_t file, const char *member) {
    size_t count;
    return read_member(file, member, H5T_NATIVE_DOUBLE, &count);
}

int64_t read_attribute(hid_t file, const char *group, const char *name) {
    int64_t value = -99;
    hid_t attribute = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    NEED(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(attribute);
    return value;
}

char *read_attribute_text(hid_t file, const char *group, const char *name) {
    char *value = NULL;
    if (H5Aexists_by_name(file, group, name, H5P_DEFAULT) <= 0) return NULL;
    hid_t attribute = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT), type = text();
    NEED(H5Aread(attribute, type, &value) >= 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

void numbers_free(struct numbers *n) { free(n->values); }

void texts_free(struct texts *t) {
    for (size_t i = 0; i < t->count; i++) free(t->values[i]);
    free(t->values);
}
