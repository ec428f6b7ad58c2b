/* scratch.h: a directory that a test works in, removed at the end. */
#ifndef TEST_CLI_SCRATCH_H
#define TEST_CLI_SCRATCH_H

#include "check.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

static int scratch_make(void **state) {
    (void)state;
    strcpy(scratch, "/tmp/scope-cli.XXXXXX");
    return mkdtemp(scratch) && chdir(scratch) == 0 ? 0 : -1;
}

static int scratch_remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int scratch_remove(void **state) {
    (void)state;
    return chdir("/") || nftw(scratch, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file of the scratch directory. */
static inline void put_file(const char *name, const void *data, size_t size, mode_t mode) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(name, mode), 0);
}

#endif
