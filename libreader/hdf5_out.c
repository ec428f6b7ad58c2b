#include "hdf5_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int rd_out_failed(const struct rd_out *out) {
    const int error = errno;
    char reason[256];
    rd_hdf5_reason(reason, sizeof reason);
    return rd_fail(out->plan->error, SPR_CANNOT_WRITE, out->plan->path, "cannot be written: %s",
                   error == ENOSPC || error == EFBIG || error == EDQUOT ? strerror(error) : reason);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

bool rd_out_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const hsize_t *length,
                      const void *values) {
    const hid_t space = length ? H5Screate_simple(1, length, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = space < 0 ? -1 : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && (!values || H5Awrite(attribute, memory_type, values) >= 0);
    if (attribute >= 0) fine = H5Aclose(attribute) >= 0 && fine;
    if (space >= 0) H5Sclose(space);
    return fine;
}

bool rd_out_integer(hid_t object, const char *name, int64_t value) {
    return rd_out_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, NULL, &value);
}

bool rd_out_real(hid_t object, const char *name, double value) {
    return rd_out_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL, &value);
}

bool rd_out_text(const struct rd_out *out, hid_t object, const char *name, const char *text) {
    return rd_out_attribute(object, name, out->text, out->text, NULL, &text);
}

/* A column, exactly sized and in one piece. */
bool rd_out_column(hid_t group, const char *name, hid_t file_type, hid_t memory_type, size_t count,
                   const void *values) {
    const hsize_t length = count;
    const hid_t space = H5Screate_simple(1, &length, NULL);
    const hid_t set = space < 0 ? -1 : H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = set >= 0 && (!count || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (set >= 0) fine = H5Dclose(set) >= 0 && fine;
    if (space >= 0) H5Sclose(space);
    return fine;
}

static void put_value(const struct rd_out_field *field, const char *record, size_t at, void *values) {
    const void *from = record + field->offset;
    switch (field->kind) {
    case RD_OUT_U32:
        ((uint32_t *)values)[at] = *(const uint32_t *)from;
        break;
    case RD_OUT_U64:
        ((uint64_t *)values)[at] = *(const uint64_t *)from;
        break;
    case RD_OUT_I64:
        ((int64_t *)values)[at] = *(const int64_t *)from;
        break;
    case RD_OUT_INT:
        ((int64_t *)values)[at] = *(const int *)from;
        break;
    case RD_OUT_BOOL:
        ((int64_t *)values)[at] = *(const bool *)from;
        break;
    case RD_OUT_TEXT:
        ((const char **)values)[at] = *(const char *const *)from;
        break;
    }
}

bool rd_out_field(const struct rd_out *out, hid_t group, const struct rd_out_field *field, const void *records,
                  size_t count, size_t size) {
    const hid_t file_types[] = {H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I64LE, H5T_STD_I8LE, H5T_STD_I8LE, out->text};
    const hid_t memory_types[] = {H5T_NATIVE_UINT32, H5T_NATIVE_UINT64, H5T_NATIVE_INT64,
                                  H5T_NATIVE_INT64,  H5T_NATIVE_INT64,  out->text};
    void *values = malloc((count + 1) * sizeof(uint64_t));
    if (!values) return false;
    for (size_t i = 0; i < count; i++) put_value(field, (const char *)records + i * size, i, values);
    const bool fine =
        rd_out_column(group, field->name, file_types[field->kind], memory_types[field->kind], count, values);
    free(values);
    return fine;
}

int rd_out_table(const struct rd_out *out, const char *name, const struct rd_out_field *fields, size_t num_fields,
                 const void *records, size_t count, size_t size) {
    const hid_t group = H5Gcreate2(out->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0;
    for (size_t i = 0; fine && i < num_fields; i++) fine = rd_out_field(out, group, &fields[i], records, count, size);
    const int status = fine ? SPR_OK : rd_out_failed(out);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static int too_large(const struct rd_out *out, int error) {
    return rd_fail(out->plan->error, SPR_CANNOT_WRITE, out->plan->path, "cannot be written: %s", strerror(error));
}

int rd_out_reserve(const struct rd_out *out, uint64_t bytes) {
    struct stat about;
    struct rlimit limit;
    if (fstat(out->descriptor, &about) != 0) return too_large(out, errno);
    const uint64_t size = (uint64_t)about.st_size;
    if (bytes > INT64_MAX - size) return too_large(out, EFBIG);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size + bytes > limit.rlim_cur)
        return too_large(out, EFBIG);
    if (fallocate(out->descriptor, FALLOC_FL_KEEP_SIZE, (off_t)size, (off_t)bytes) == 0) return SPR_OK;
    /* a file system that cannot reserve shows later whether it has the room */
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? too_large(out, errno) : SPR_OK;
}

int rd_out_open(struct rd_out *out, const char *path, uint64_t bytes) {
    out->file = out->text = -1;
    out->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (out->descriptor < 0) return too_large(out, errno);
    int status = rd_out_reserve(out, bytes); /* before HDF5 has anything to lose */
    if (status != SPR_OK) return status;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    errno = 0;
#ifdef HAVE_H5PSET_FILE_LOCKING
    if (access >= 0) H5Pset_file_locking(access, false, true); /* not every file system has locks */
#endif
    out->text = H5Tcopy(H5T_C_S1);
    if (access >= 0 && out->text >= 0 && H5Tset_size(out->text, H5T_VARIABLE) >= 0 &&
        H5Tset_cset(out->text, H5T_CSET_UTF8) >= 0)
        out->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    status = out->file >= 0 ? rd_out_reserve(out, bytes) : rd_out_failed(out);
    if (access >= 0) H5Pclose(access);
    return status;
}

/* Room that was reserved behind the end of the file is given back. */
static void give_back(int descriptor) {
    struct stat about;
    if (fstat(descriptor, &about) == 0 && ftruncate(descriptor, about.st_size) != 0)
        return; /* it costs room, no more */
}

int rd_out_close(struct rd_out *out, int status) {
    errno = 0;
    if (out->file >= 0 && H5Fclose(out->file) < 0 && status == SPR_OK) status = rd_out_failed(out);
    if (out->text >= 0) H5Tclose(out->text);
    if (out->descriptor >= 0) {
        give_back(out->descriptor);
        close(out->descriptor);
    }
    return status;
}
