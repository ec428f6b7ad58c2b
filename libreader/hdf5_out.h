/* hdf5_out.h: an HDF5 file that is being written, in the shapes that a profile has. What gives a bool has failed in
 * HDF5: rd_out_failed() makes the message of it, before anything else is asked of HDF5. */
#ifndef SCOPE_READER_HDF5_OUT_H
#define SCOPE_READER_HDF5_OUT_H

#include "write.h"

struct rd_out {
    struct rd_plan *plan;
    int descriptor;   /* of the same file, to reserve room */
    hid_t file, text; /* text: variable-length UTF-8 */
};

/* Room for `bytes` is reserved: HDF5 does not recover from a full disk, or a limit on file sizes, that it meets itself.
 */
int rd_out_open(struct rd_out *out, const char *path, uint64_t bytes);
/* Room for as much behind what is written so far. */
int rd_out_reserve(const struct rd_out *out, uint64_t bytes);
/* `status`: of the work so far; returned unless closing is what fails. */
int rd_out_close(struct rd_out *out, int status);
int rd_out_failed(const struct rd_out *out);

/* length: NULL for a scalar. */
bool rd_out_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const hsize_t *length,
                      const void *values);
bool rd_out_integer(hid_t object, const char *name, int64_t value);
bool rd_out_real(hid_t object, const char *name, double value);
bool rd_out_text(const struct rd_out *out, hid_t object, const char *name, const char *text);
/* A column, exactly sized and in one piece. */
bool rd_out_column(hid_t group, const char *name, hid_t file_type, hid_t memory_type, size_t count, const void *values);

/* A column of a table of records. */
enum rd_out_kind { RD_OUT_U32, RD_OUT_U64, RD_OUT_I64, RD_OUT_INT, RD_OUT_BOOL, RD_OUT_TEXT };
struct rd_out_field {
    const char *name;
    enum rd_out_kind kind;
    size_t offset;
};
bool rd_out_field(const struct rd_out *out, hid_t group, const struct rd_out_field *field, const void *records,
                  size_t count, size_t size);
int rd_out_table(const struct rd_out *out, const char *name, const struct rd_out_field *fields, size_t num_fields,
                 const void *records, size_t count, size_t size);

/* Threads, tasks, processes, problems, lines: tables that are only there when they have rows. write_tables.c */
int rd_write_tables(const struct rd_out *out);
/* Bytes that they will need at the most. */
uint64_t rd_tables_estimate(const struct rd_plan *plan);

/* What MPI calls carried, where a profile has it; behind the index. write_mpi.c */
int rd_write_mpi(const struct rd_out *out);
uint64_t rd_mpi_estimate(struct rd_plan *plan);

#endif
