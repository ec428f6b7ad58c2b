/* writer.h: profiles written for tests, with nothing but HDF5, as other tools write them. */
#ifndef TEST_READER_WRITER_H
#define TEST_READER_WRITER_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct w_call {
    int64_t start, end, id, parent, thread, task;
};

struct w_row {
    uint32_t region, rank;
    const struct w_call *calls;
    size_t count;
    int64_t exclusive; /* stored as it is; -1 unknown */
    int64_t line;
    const char *file, *text, *tags;
};

struct w_file {
    int schema;     /* 1, 2, 3 */
    bool aggregate; /* counts of the calls only */
    bool summary;   /* summary_statistics */
    bool ids, threads, tasks;
    bool fixed_strings;
    bool latest;   /* HDF5's newest structures, and attributes that are too many for an object header */
    hsize_t chunk; /* 0: contiguous */
    int gzip;      /* level; needs a chunk */
    const char *const *names;
    size_t num_names;
    const struct w_row *rows;
    size_t num_rows;
    int64_t mpi_size;      /* 0: no metadata */
    int64_t start_time_ns; /* 0: not written, nor is finalize_time_ns = start + 10 s */
};

/* Names and rows of a small profile of two ranks, for files in all variants. */
enum { W_FEW = 3 };
extern const char *const w_few_names[W_FEW];
extern const struct w_row w_few_rows[W_FEW];

/* Writes the file anew; every failure ends the test. */
void w_write(const char *path, const struct w_file *file);

/* Pieces, for files that are not as they should be. */
void w_check(bool fine, const char *what);
void w_integers(hid_t group, const char *name, hid_t type, const int64_t *values, hsize_t count);
void w_texts(hid_t group, const char *name, const char *const *texts, hsize_t count, bool fixed);
void w_attribute_integer(hid_t object, const char *name, int64_t value);
void w_attribute_text(hid_t object, const char *name, const char *text);
void w_attribute_texts(hid_t object, const char *name, const char *const *texts, hsize_t count);
hid_t w_open(const char *path); /* for writing */

/* A name in the test's own directory, which is removed at exit; overwritten by the next call. */
const char *w_path(const char *name);

#define W_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
