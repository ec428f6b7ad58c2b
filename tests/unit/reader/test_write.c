/* Profiles written again and put together: what is kept, what is refused, what happens to the file that was there. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"a", "b", "never"};
static const struct w_call a[] = {{.start = 100, .end = 200, .id = 0, .parent = -1, .thread = 0, .task = -1},
                                  {.start = 300, .end = 350, .id = 2, .parent = -1, .thread = 1, .task = -1}};
static const struct w_call b[] = {{.start = 110, .end = 120, .id = 1, .parent = 0, .thread = 0, .task = -1}};

static char *write_source(const char *name, uint32_t rank, bool both, bool ids) {
    const struct w_row rows[] = {{0, rank, a, 2, -1, 3, "a.c", "text", "[\"x\"]"},
                                 {1, rank, b, 1, -1, -1, NULL, NULL, NULL}};
    const struct w_file file = {.schema = 3,
                                .summary = true,
                                .ids = ids,
                                .threads = ids,
                                .names = names,
                                .num_names = 3,
                                .rows = rows,
                                .num_rows = both ? 2 : 1,
                                .mpi_size = 1,
                                .start_time_ns = 50 + rank};
    w_write(w_path(name), &file);
    return strdup(w_path(name));
}

static spr_profile *write_and_open(spr_profile *const *profiles, size_t count, const char *name,
                                   const spr_write_options *options) {
    spr_error error = {0};
    if (spr_write(profiles, count, w_path(name), options, &error) != SPR_OK) fail_msg("%s", error.message);
    return open_good(w_path(name));
}

static void expect_row(spr_profile *profile, size_t number, const char *region, uint32_t rank, uint64_t calls,
                       int64_t exclusive) {
    const spr_row *row = spr_row_at(profile, number);
    assert_string_equal(spr_region_name(profile, row->region), region);
    assert_int_equal(row->rank, rank);
    assert_int_equal(row->calls, calls);
    assert_int_equal(row->exclusive_ns, exclusive);
}

/* One file: everything stays, summaries and exclusive times are made where there were none. */
static void test_one(void **state) {
    (void)state;
    for (int ids = 0; ids < 2; ids++) {
        char *path = write_source("one.h5", 2, true, ids);
        spr_profile *profile = open_good(path);
        static const char *const outputs[] = {"two.h5", "two.json"};
        for (size_t i = 0; i < 2; i++) {
            const spr_write_options options = {.label = "new name"};
            spr_profile *copy = write_and_open(&profile, 1, outputs[i], &options);
            assert_int_equal(spr_num_rows(copy), 2);
            expect_row(copy, 0, "a", 2, 2, 140);
            expect_row(copy, 1, "b", 2, 1, 10);
            assert_int_equal(spr_row_at(copy, 0)->has_summary, i == 0);
            assert_string_equal(spr_row_at(copy, 0)->source_file, "a.c");
            assert_string_equal(spr_row_at(copy, 0)->source_text, "text");
            assert_string_equal(spr_row_at(copy, 0)->tags[0], "x");
            assert_int_equal(spr_row_at(copy, 1)->source_line, -1);
            assert_string_equal(spr_metadata(copy, "label")->text, "new name");
            assert_int_equal(spr_metadata(copy, "start_time_ns")->integer, 52);
            int64_t start[2], end[2];
            assert_int_equal(spr_read_calls(copy, 0, 0, 2, start, end, NULL, NULL, NULL), SPR_OK);
            assert_int_equal(start[1], 300);
            assert_int_equal(end[1], 350);
            assert_int_equal(spr_metadata(copy, "mpi_size")->integer, 1);
            spr_close(copy);
        }
        spr_close(profile);
        free(path);
    }
}

static void test_ranks(void **state) {
    (void)state;
    char *first = write_source("rank0.h5", 0, true, true), *second = write_source("rank3.h5", 3, false, false);
    spr_profile *profiles[] = {open_good(first), open_good(second)};
    spr_profile *merged = write_and_open(profiles, 2, "merged.h5", NULL);
    assert_int_equal(spr_num_ranks(merged), 4);
    assert_int_equal(spr_num_rows(merged), 3);
    expect_row(merged, 0, "a", 0, 2, 140);
    expect_row(merged, 1, "a", 3, 2, 150);
    expect_row(merged, 2, "b", 0, 1, 10);
    assert_int_equal(spr_metadata(merged, "mpi_size")->integer, 4);
    assert_int_equal(spr_metadata(merged, "start_time_ns")->integer, 50);
    int64_t start[2], thread[2];
    assert_int_equal(spr_read_calls(merged, 1, 0, 2, start, NULL, thread, NULL, NULL), SPR_OK);
    assert_int_equal(thread[0], -1);
    spr_close(merged);

    spr_close(profiles[1]);
    profiles[1] = profiles[0];
    spr_error error;
    struct stat before, after;
    assert_int_equal(stat(w_path("merged.h5"), &before), 0);
    assert_int_equal(spr_write(profiles, 2, w_path("merged.h5"), NULL, &error), SPR_CONFLICT);
    assert_message(&error, "rank0.h5", "holds rank 0");
    assert_int_equal(stat(w_path("merged.h5"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);

    const spr_write_options renumber = {.ranks = SPR_RANKS_RENUMBER, .compress = 1};
    merged = write_and_open(profiles, 2, "merged.h5", &renumber);
    assert_int_equal(spr_num_ranks(merged), 2);
    expect_row(merged, 1, "a", 1, 2, 140);
    expect_row(merged, 3, "b", 1, 1, 10);
    spr_close(merged);
    spr_close(profiles[0]);
    free(first);
    free(second);
}

/* The first profile's ranks get further regions: nesting is found anew, since both now stand within each other. */
static void test_shared_ranks(void **state) {
    (void)state;
    static const char *const other_names[] = {"within"};
    static const struct w_call within[] = {{.start = 120, .end = 180}};
    static const struct w_row rows[] = {{0, 0, within, 1, 60, -1, NULL, NULL, NULL}};
    const struct w_file file = {.schema = 3, .names = other_names, .num_names = 1, .rows = rows, .num_rows = 1};
    char *first = write_source("python.h5", 0, true, false);
    w_write(w_path("native.h5"), &file);
    spr_profile *profiles[] = {open_good(first), open_good(w_path("native.h5"))};
    const spr_write_options share = {.ranks = SPR_RANKS_SHARE};
    spr_profile *merged = write_and_open(profiles, 2, "shared.h5", &share);
    spr_stats stats;
    expect_row(merged, 0, "a", 0, 2, -1);
    assert_int_equal(spr_region_stats(merged, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.exclusive * 1e9, 80);
    spr_close(merged);
    spr_error error;
    spr_profile *twice[] = {profiles[0], profiles[0]};
    assert_int_equal(spr_write(twice, 2, w_path("shared.h5"), &share, &error), SPR_CONFLICT);
    assert_message(&error, "python.h5", "has a region 'a'");
    spr_close(profiles[0]);
    spr_close(profiles[1]);
    free(first);
}

/* Of one region two calls of five are kept, of the other none of three: the sums come along, and what reads single
 * calls is not led astray. */
static void test_partial(void **state) {
    (void)state;
    const struct w_row rows[] = {{0, 0, a, 2, 150, -1, NULL, NULL, NULL}, {1, 0, b, 0, -1, -1, NULL, NULL, NULL}};
    const struct w_file file = {
        .schema = 3, .names = names, .num_names = 3, .rows = rows, .num_rows = 2, .mpi_size = 1};
    static const char *const columns[] = {"aggregate_counts", "aggregate_totals", "aggregate_minimums",
                                          "aggregate_maximums", "aggregate_exclusives"};
    static const int64_t values[][2] = {{5, 3}, {400, 60}, {10, 20}, {200, 20}, {340, 60}};
    char *path = strdup(w_path("partial.h5"));
    w_write(path, &file);
    const hid_t id = w_open(path), index = H5Gopen2(id, "rank_region_index", H5P_DEFAULT);
    for (size_t i = 0; i < W_COUNT(columns); i++)
        w_integers(index, columns[i], i ? H5T_STD_I64LE : H5T_STD_U64LE, values[i], 2);
    H5Gclose(index);
    H5Fclose(id);

    spr_profile *profile = open_good(path);
    spr_tree tree;
    spr_error error;
    assert_true(spr_is_partial(profile));
    assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, NULL), SPR_OK);
    assert_int_equal(tree.count, 1);
    spr_tree_free(&tree);
    spr_profile *copy = write_and_open(&profile, 1, "partial copy.h5", NULL);
    assert_int_equal(spr_num_rows(copy), 2);
    for (size_t i = 0; i < 2; i++) {
        const spr_row *row = spr_row_at(copy, i);
        spr_stats stats;
        assert_int_equal(row->calls, i ? 0 : 2);
        assert_true(row->partial);
        assert_int_equal(spr_row_stats(copy, i, SPR_FULL, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, values[0][i]);
        assert_near(stats.total * 1e9, (double)values[1][i]);
        assert_near(stats.minimum * 1e9, (double)values[2][i]);
        assert_near(stats.maximum * 1e9, (double)values[3][i]);
        assert_near(stats.exclusive * 1e9, (double)values[4][i]);
    }
    assert_int_equal(spr_write(&copy, 1, w_path("partial.json"), NULL, &error), SPR_CONFLICT);
    assert_message(&error, "partial.json", "not every call was kept");
    spr_close(copy);
    spr_close(profile);
    free(path);
}

static void test_refused(void **state) {
    (void)state;
    char *path = write_source("source.h5", 0, true, false);
    spr_profile *profile = open_good(path);
    spr_error error;
    assert_int_equal(spr_write(&profile, 1, "/no/such/directory/x.h5", NULL, &error), SPR_CANNOT_WRITE);
    assert_message(&error, "/no/such/directory/x.h5", "No such file");
    assert_int_equal(spr_write(&profile, 1, "/dev/null", NULL, &error), SPR_CANNOT_WRITE);
    assert_message(&error, "/dev/null", "not a regular file");
    char *link = strdup(w_path("link.h5")), *target = strdup(w_path("target.h5"));
    assert_int_equal(symlink("target.h5", link), 0);
    FILE *file = fopen(target, "w");
    fclose(file);
    assert_int_equal(spr_write(&profile, 1, link, NULL, &error), SPR_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    spr_close(open_good(target));
    spr_profile *none = write_and_open(NULL, 0, "nothing.json", NULL);
    assert_int_equal(spr_num_rows(none), 0);
    spr_close(none);
    spr_close(profile);
    free(link);
    free(target);
    free(path);
}

/* Without stored statistics that is seen only when the calls are read; what is written must be readable. */
static void test_too_much_own_time(void **state) {
    (void)state;
    const struct w_row rows[] = {{0, 0, a, 2, 151, 3, "a.c", NULL, NULL}}; /* the calls lasted 150 */
    const struct w_file file = {.schema = 2, .names = names, .num_names = 1, .rows = rows, .num_rows = 1};
    spr_error error = {0};
    char *path = strdup(w_path("own.h5"));
    w_write(path, &file);
    spr_profile *profile = open_good(path);
    assert_int_equal(spr_write(&profile, 1, w_path("written.h5"), NULL, &error), SPR_DAMAGED);
    assert_message(&error, path, "region 'a' on rank 0 claims more time of its own");
    spr_close(profile);
    free(path);
}

/* JSON may have a key without a character; HDF5 has no attribute without a name. */
static void test_key_without_name(void **state) {
    (void)state;
    char *path = strdup(w_path("key.json"));
    FILE *file = fopen(path, "w");
    w_check(file && fputs("{\"format\":\"scope-profiler-profile\",\"format_version\":1,\"num_ranks\":1,"
                          "\"time_unit\":\"nanoseconds\",\"metadata\":{\"\":7,\"x\":8},\"regions\":[{\"name\":\"a\","
                          "\"rank\":0,\"start_times_ns\":[1],\"end_times_ns\":[2]}]}",
                          file) > 0,
            path);
    fclose(file);
    spr_profile *profile = open_good(path), *copy = write_and_open(&profile, 1, "key.h5", NULL);
    assert_int_equal(spr_metadata_count(copy), spr_metadata_count(profile) - 1);
    assert_int_equal(spr_metadata(copy, "x")->integer, 8);
    spr_close(copy);
    spr_close(profile);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one),
                                       cmocka_unit_test(test_ranks),
                                       cmocka_unit_test(test_shared_ranks),
                                       cmocka_unit_test(test_partial),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_too_much_own_time),
                                       cmocka_unit_test(test_key_without_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
