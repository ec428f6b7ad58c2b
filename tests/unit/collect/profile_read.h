/* profile_read.h: the raw columns of a profile, read by the HDF5 library alone. Any failure ends the test. */
#ifndef PROFILE_READ_H
#define PROFILE_READ_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

struct numbers {
    int64_t *values;
    size_t count;
};

struct texts {
    char **values;
    size_t count;
};

hid_t read_open(const char *path);
int read_has(hid_t file, const char *path); /* of each part of the path */
struct numbers read_numbers(hid_t file, const char *path);
struct texts read_texts(hid_t file, const char *path);
struct numbers read_summary(hid_t file, const char *member); /* of /rank_region_index/summary_statistics */
double *read_summary_real(hid_t file, const char *member);
int64_t read_attribute(hid_t file, const char *group, const char *name);
char *read_attribute_text(hid_t file, const char *group, const char *name); /* NULL: absent */
void numbers_free(struct numbers *n);
void texts_free(struct texts *t);

/* The numbers must be exactly these. */
#define EXPECT(file, path, ...)                                                                                        \
    do {                                                                                                               \
        const int64_t expected_[] = {__VA_ARGS__};                                                                     \
        struct numbers found_ = read_numbers(file, path);                                                              \
        assert_int_equal(found_.count, sizeof expected_ / sizeof *expected_);                                          \
        for (size_t i_ = 0; i_ < found_.count; i_++) assert_int_equal(found_.values[i_], expected_[i_]);               \
        numbers_free(&found_);                                                                                         \
    } while (0)
#define EXPECT_TEXTS(file, path, ...)                                                                                  \
    do {                                                                                                               \
        const char *const expected_[] = {__VA_ARGS__};                                                                 \
        struct texts found_ = read_texts(file, path);                                                                  \
        assert_int_equal(found_.count, sizeof expected_ / sizeof *expected_);                                          \
        for (size_t i_ = 0; i_ < found_.count; i_++) assert_string_equal(found_.values[i_], expected_[i_]);            \
        texts_free(&found_);                                                                                           \
    } while (0)
#define EXPECT_SUMMARY(file, member, ...)                                                                              \
    do {                                                                                                               \
        const int64_t expected_[] = {__VA_ARGS__};                                                                     \
        struct numbers found_ = read_summary(file, member);                                                            \
        assert_int_equal(found_.count, sizeof expected_ / sizeof *expected_);                                          \
        for (size_t i_ = 0; i_ < found_.count; i_++) assert_int_equal(found_.values[i_], expected_[i_]);               \
        numbers_free(&found_);                                                                                         \
    } while (0)

#endif
