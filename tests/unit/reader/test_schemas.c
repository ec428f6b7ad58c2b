/* Every schema says the same about the same calls. */
#include "check.h"

#include <sys/stat.h>

static const char *const names[] = {"solve", "never", "set/up"};
static const struct w_call solve0[] = {{.start = 1 * S, .end = 3 * S}, {.start = 5 * S, .end = 9 * S}};
static const struct w_call solve2[] = {{.start = 2 * S, .end = 3 * S}};
static const struct w_call setup0[] = {{.start = 0, .end = 1 * S}};
static const struct w_row rows[] = {
    {0, 0, solve0, 2, 6 * S, 7, "solver.c", "void solve()", "[\"golden\", \"b \\u00e9\"]"},
    {2, 0, setup0, 1, 1 * S, -1, NULL, NULL, NULL},
    {0, 2, solve2, 1, 1 * S, 7, "solver.c", NULL, ""},
};
static const struct w_file base = {
    .schema = 3, .names = names, .num_names = 3, .rows = rows, .num_rows = 3, .mpi_size = 4, .summary = true};

static void check_rows(const spr_profile *profile, size_t solve, size_t setup) {
    size_t first, count;
    spr_region_rows(profile, solve, &first, &count);
    assert_int_equal(count, 2);
    const spr_row *row = spr_row_at(profile, first);
    assert_int_equal(row->region, solve);
    assert_int_equal(row->rank, 0);
    assert_int_equal(row->calls, 2);
    assert_string_equal(row->source_file, "solver.c");
    assert_int_equal(row->source_line, 7);
    assert_int_equal(spr_row_at(profile, first + 1)->rank, 2);
    assert_int_equal(spr_row_at(profile, first + 1)->calls, 1);
    spr_region_rows(profile, setup, &first, &count);
    assert_int_equal(count, 1);
    row = spr_row_at(profile, first);
    assert_null(row->source_file);
    assert_null(row->source_text);
    assert_int_equal(row->source_line, -1);
    assert_int_equal(row->num_tags, 0);
    assert_int_equal(spr_num_calls(profile), 4);
    assert_int_equal(spr_num_rows(profile), 3);
}

static void check_calls(spr_profile *profile, size_t region) {
    size_t first, count;
    spr_region_rows(profile, region, &first, &count);
    int64_t start[2] = {0}, end[2] = {0}, thread[2] = {0}, task[2] = {0};
    assert_int_equal(spr_read_calls(profile, first, 0, 2, start, end, thread, task, NULL), SPR_OK);
    assert_int_equal(start[0], 1 * S);
    assert_int_equal(start[1], 5 * S);
    assert_int_equal(end[0], 3 * S);
    assert_int_equal(end[1], 9 * S);
    assert_int_equal(thread[0], -1);
    assert_int_equal(task[1], -1);
    /* back and forth, and single columns */
    assert_int_equal(spr_read_calls(profile, first, 1, 1, NULL, end, NULL, NULL, NULL), SPR_OK);
    assert_int_equal(end[0], 9 * S);
    assert_int_equal(spr_read_calls(profile, first, 0, 1, start, NULL, NULL, NULL, NULL), SPR_OK);
    assert_int_equal(start[0], 1 * S);
    assert_int_equal(spr_read_calls(profile, first + 1, 0, 1, start, end, NULL, NULL, NULL), SPR_OK);
    assert_int_equal(start[0], 2 * S);
    assert_int_equal(spr_read_calls(profile, first, 2, 0, NULL, NULL, NULL, NULL, NULL), SPR_OK);
    spr_error error;
    assert_int_equal(spr_read_calls(profile, first, 1, 2, start, end, NULL, NULL, &error), -1);
    assert_message(&error, spr_path(profile), "no such calls");
}

static void check_numbers(spr_profile *profile, size_t region) {
    for (int depth = SPR_SUMMARY; depth <= SPR_FULL; depth++) {
        spr_stats stats;
        assert_int_equal(spr_region_stats(profile, region, NULL, (enum spr_depth)depth, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, 3);
        assert_int_equal(stats.ranks, 2);
        assert_near(stats.total, 7);
        assert_near(stats.exclusive, 7);
        assert_near(stats.average, 7.0 / 3);
        assert_near(stats.minimum, 1);
        assert_near(stats.maximum, 4);
        assert_near(stats.first, 2);
        assert_near(stats.last, 4);
        assert_near(stats.std, sqrt(14.0) / 3);
        assert_near(stats.first_start, 1);
        assert_near(stats.last_end, 9);
        assert_near(stats.imbalance, 6 / 3.5);
    }
}

static void test_schema_2_and_3(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        struct w_file file = base;
        file.schema = variant & 1 ? 2 : 3;
        file.summary = variant & 2;
        file.fixed_strings = variant & 4;
        file.chunk = variant & 8 ? 2 : 0;
        file.gzip = variant & 8 ? 4 : 0;
        const char *path = w_path("columns.h5");
        w_write(path, &file);
        spr_profile *profile = open_good(path);
        assert_int_equal(spr_schema(profile), file.schema);
        assert_false(spr_is_aggregate(profile));
        assert_int_equal(spr_num_ranks(profile), 4);
        assert_int_equal(spr_num_regions(profile), 3);
        assert_string_equal(spr_region_name(profile, 0), "solve");
        assert_string_equal(spr_region_name(profile, 1), "never");
        assert_string_equal(spr_region_name(profile, 2), "set/up");
        assert_null(spr_region_name(profile, 3));
        check_rows(profile, 0, 2);
        const spr_row *row = spr_row_at(profile, 0);
        assert_int_equal(row->num_tags, 2);
        assert_string_equal(row->tags[0], "golden");
        assert_string_equal(row->tags[1], "b \xc3\xa9");
        assert_string_equal(row->source_text, "void solve()");
        assert_int_equal(row->exclusive_ns, 6 * S);
        assert_int_equal(row->has_summary, file.summary);
        if (file.summary) {
            assert_int_equal(row->total_ns, 6 * S);
            assert_int_equal(row->last_ns, 4 * S);
            assert_near(row->m2_ns2, 2e18);
        }
        check_calls(profile, 0);
        check_numbers(profile, 0);
        struct stat about;
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(spr_file_bytes(profile), about.st_size);
        assert_string_equal(spr_path(profile), path);
        spr_close(profile);
    }
}

static void test_schema_1(void **state) {
    (void)state;
    static const struct w_row tagged[] = {
        {0, 10, solve0, 2, -1, 7, "solver.c", NULL, "golden"},
        {2, 2, setup0, 1, -1, -1, NULL, NULL, NULL},
        {0, 2, solve2, 1, -1, 7, "solver.c", NULL, NULL},
    };
    struct w_file file = base;
    file.schema = 1;
    file.rows = tagged;
    const char *path = w_path("one.h5");
    w_write(path, &file);
    spr_profile *profile = open_good(path);
    assert_int_equal(spr_schema(profile), 1);
    assert_int_equal(spr_num_ranks(profile), 11);
    assert_int_equal(spr_num_regions(profile), 2);
    /* first seen on rank 2, in the order of the alphabet */
    assert_string_equal(spr_region_name(profile, 0), "set/up");
    assert_string_equal(spr_region_name(profile, 1), "solve");
    size_t first, count;
    spr_region_rows(profile, 1, &first, &count);
    assert_int_equal(count, 2);
    assert_int_equal(spr_row_at(profile, first)->rank, 2);
    assert_int_equal(spr_row_at(profile, first + 1)->rank, 10);
    assert_string_equal(spr_row_at(profile, first + 1)->tags[0], "golden");
    assert_int_equal(spr_row_at(profile, first + 1)->source_line, 7);
    assert_int_equal(spr_row_at(profile, first)->exclusive_ns, -1);
    int64_t start[2], end[2];
    assert_int_equal(spr_read_calls(profile, first + 1, 0, 2, start, end, NULL, NULL, NULL), SPR_OK);
    assert_int_equal(start[1], 5 * S);
    assert_int_equal(end[1], 9 * S);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, 1, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
    assert_near(stats.total, 7);
    assert_near(stats.exclusive, 7);
    assert_near(stats.first, 2);
    spr_close(profile);
}

static void test_aggregate(void **state) {
    (void)state;
    struct w_file file = base;
    file.aggregate = true;
    file.summary = false;
    w_write(w_path("sums.h5"), &file);
    spr_profile *profile = open_good(w_path("sums.h5"));
    assert_true(spr_is_aggregate(profile));
    assert_int_equal(spr_num_calls(profile), 4);
    assert_int_equal(spr_row_at(profile, 0)->total_ns, 6 * S);
    assert_false(spr_row_at(profile, 0)->has_summary);
    for (int depth = SPR_SUMMARY; depth <= SPR_FULL; depth++) {
        spr_stats stats;
        assert_int_equal(spr_region_stats(profile, 0, NULL, (enum spr_depth)depth, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, 3);
        assert_near(stats.total, 7);
        assert_near(stats.exclusive, 7);
        assert_near(stats.average, 7.0 / 3);
        assert_near(stats.minimum, 1);
        assert_near(stats.maximum, 4);
        assert_near(stats.imbalance, 6 / 3.5);
        assert_nan(stats.first);
        assert_nan(stats.last);
        assert_nan(stats.std);
        assert_nan(stats.p50);
        assert_nan(stats.first_start);
    }
    spr_error error;
    int64_t start;
    spr_tree tree;
    spr_run_times times;
    assert_int_equal(spr_read_calls(profile, 0, 0, 1, &start, NULL, NULL, NULL, &error), SPR_NO_EVENTS);
    assert_message(&error, "sums.h5", "aggregation mode");
    assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, &error), SPR_NO_EVENTS);
    assert_message(&error, "sums.h5", "aggregation mode");
    assert_int_equal(spr_run(profile, &times, NULL), SPR_OK);
    assert_nan(times.span);
    spr_close(profile);
}

static void test_empty(void **state) {
    (void)state;
    struct w_file file = base;
    file.num_rows = 0;
    file.num_names = 1;
    w_write(w_path("none.h5"), &file);
    spr_profile *profile = open_good(w_path("none.h5"));
    assert_int_equal(spr_num_ranks(profile), 0);
    assert_int_equal(spr_num_rows(profile), 0);
    assert_int_equal(spr_num_regions(profile), 1);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_int_equal(stats.calls, 0);
    assert_near(stats.total, 0);
    assert_nan(stats.average);
    spr_tree tree;
    assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, NULL), SPR_OK);
    assert_int_equal(tree.count, 0);
    spr_tree_free(&tree);
    spr_close(profile);
}

/* Names are bytes: slashes, dots, nothing at all, no UTF-8, very long. */
static void test_names(void **state) {
    (void)state;
    char *long_name = malloc(100001);
    memset(long_name, 'x', 100000);
    long_name[100000] = '\0';
    const char *odd[] = {"a/b", ".", "", "\xff\xfe bad", "line\nbreak", "%s%n", long_name};
    struct w_row odd_rows[7];
    for (uint32_t i = 0; i < 7; i++) odd_rows[i] = (struct w_row){.region = i, .calls = solve2, .count = 1};
    const struct w_file file = {
        .schema = 3, .names = odd, .num_names = 7, .rows = odd_rows, .num_rows = 7, .mpi_size = 1};
    w_write(w_path("names.h5"), &file);
    spr_profile *profile = open_good(w_path("names.h5"));
    assert_int_equal(spr_num_regions(profile), 7);
    for (size_t i = 0; i < 7; i++) assert_string_equal(spr_region_name(profile, i), odd[i]);
    spr_close(profile);
    free(long_name);
}

static void test_fixtures(void **state) {
    (void)state;
    const char *directory = getenv("SCOPE_PROFILER_FIXTURES");
    if (!directory) {
        print_message("SCOPE_PROFILER_FIXTURES is not set: the reference's own files are not read\n");
        skip();
    }
    for (int schema = 1; schema <= 3; schema++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/hdf5-schema-%d.h5", directory, schema);
        spr_profile *profile = open_good(path);
        assert_int_equal(spr_schema(profile), schema);
        assert_int_equal(spr_num_ranks(profile), 1);
        assert_int_equal(spr_num_regions(profile), 1);
        assert_string_equal(spr_region_name(profile, 0), "solve");
        assert_int_equal(spr_metadata(profile, "mpi_size")->integer, 1);
        assert_int_equal(spr_metadata_count(profile), 1);
        const spr_row *row = spr_row_at(profile, 0);
        assert_string_equal(row->source_file, "solver.py");
        assert_int_equal(row->source_line, 7);
        assert_int_equal(row->num_tags, 1);
        assert_string_equal(row->tags[0], "golden");
        int64_t start[3], end[3];
        assert_int_equal(spr_read_calls(profile, 0, 0, 3, start, end, NULL, NULL, NULL), SPR_OK);
        assert_int_equal(end[0] - start[0], 5);
        assert_int_equal(end[1] - start[1], 13);
        assert_int_equal(end[2] - start[2], 15);
        assert_int_equal(start[2], 40);
        spr_stats stats;
        assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
        assert_near(stats.total, 33e-9);
        assert_near(stats.exclusive, 33e-9);
        spr_close(profile);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_2_and_3), cmocka_unit_test(test_schema_1), cmocka_unit_test(test_aggregate),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_names),    cmocka_unit_test(test_fixtures),
    };
    return cmocka_run_group_tests_name("reader: schemas", tests, NULL, NULL);
}
