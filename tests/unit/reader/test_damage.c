/* Files that are no profiles, no longer profiles, or contradict themselves: one line that names the file and the cause.
 */
#include "check.h"

#include "everything.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"a", "b"};
static const struct w_call a0[] = {{.start = 100, .end = 200}, {.start = 300, .end = 350}};
static const struct w_call b0[] = {{.start = 110, .end = 120}};
static const struct w_call a1[] = {{.start = 90, .end = 95}};
static const struct w_row rows[] = {{0, 0, a0, 2, 140, 3, "a.c", NULL, "[\"x\"]"},
                                    {1, 0, b0, 1, 10, 4, "b.c", NULL, NULL},
                                    {0, 1, a1, 1, 5, 3, "a.c", NULL, NULL}};
static const struct w_file base = {
    .schema = 3, .names = names, .num_names = 2, .rows = rows, .num_rows = 3, .mpi_size = 2, .summary = true};

static const char *write_bytes(const char *name, const void *bytes, size_t count) {
    const char *path = w_path(name);
    FILE *file = fopen(path, "wb");
    w_check(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, path);
    return path;
}

static unsigned char *read_bytes(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    w_check(file && fseek(file, 0, SEEK_END) == 0, path);
    *count = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count);
    w_check(fread(bytes, 1, *count, file) == *count && fclose(file) == 0, path);
    return bytes;
}

static void test_no_profiles(void **state) {
    (void)state;
    assert_bad(w_path("absent.h5"), SPR_NOT_FOUND, "No such file or directory");
    assert_bad("/tmp", SPR_NOT_PROFILE, "is a directory");
    assert_bad("/dev/null", SPR_NOT_PROFILE, "is not a regular file");
    assert_bad(write_bytes("empty.h5", "", 0), SPR_NOT_PROFILE, "is empty");
    assert_bad(write_bytes("text.h5", "calls,total\n1,2\n", 16), SPR_NOT_PROFILE, "is not an HDF5 file");
    w_check(mkfifo(w_path("pipe.h5"), 0600) == 0, "a pipe");
    assert_bad(w_path("pipe.h5"), SPR_NOT_PROFILE, "is not a regular file");
    const char *path = w_path("foreign.h5");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const int64_t numbers[] = {1, 2};
    w_integers(file, "temperature", H5T_STD_I64LE, numbers, 2);
    H5Fclose(file);
    assert_bad(path, SPR_NOT_PROFILE, "not a profile");
    spr_profile *profile;
    spr_error error;
    assert_int_equal(spr_open("/nonexistent/two\nlines", &profile, &error), SPR_NOT_FOUND);
    assert_string_equal(error.message, "/nonexistent/two?lines: No such file or directory");
}

static void test_versions(void **state) {
    (void)state;
    static const struct {
        int64_t version;
        int status;
        const char *cause;
    } cases[] = {{999, SPR_NEWER, "needs a newer scope-profiler: schema 999, this one reads up to 3"},
                 {4, SPR_NEWER, "schema 4"},
                 {0, SPR_DAMAGED, "scope_profiler_schema is 0"},
                 {-1, SPR_DAMAGED, "scope_profiler_schema is -1"}};
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        struct w_file file = base;
        file.schema = (int)cases[i].version;
        w_write(w_path("version.h5"), &file);
        assert_bad(w_path("version.h5"), cases[i].status, cases[i].cause);
    }
    const char *path = w_path("version.h5");
    w_write(path, &base);
    hid_t file = w_open(path);
    H5Adelete(file, "scope_profiler_schema");
    w_attribute_text(file, "scope_profiler_schema", "3");
    H5Fclose(file);
    assert_bad(path, SPR_DAMAGED, "scope_profiler_schema is not an integer");
    w_write(path, &base);
    file = w_open(path);
    H5Adelete(file, "storage_layout");
    w_attribute_text(file, "storage_layout", "rows");
    H5Fclose(file);
    assert_bad(path, SPR_NEWER, "unknown storage layout 'rows'");
    w_write(path, &base);
    file = w_open(path);
    H5Adelete(file, "storage_layout"); /* absent means columnar */
    H5Gclose(H5Gcreate2(file, "from_the_future", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    assert_int_equal(ask_everything(path), SPR_OK);
}

/* ---- datasets that are missing, short, of another type or value ----------------------------------------------------
 */

#define INDEX "rank_region_index/"

static void without(const char *name) {
    w_write(w_path("bad.h5"), &base);
    const hid_t file = w_open(w_path("bad.h5"));
    w_check(H5Ldelete(file, name, H5P_DEFAULT) >= 0, name);
    H5Fclose(file);
}

static void with_integers(const char *name, const int64_t *values, hsize_t count) {
    without(name);
    const hid_t file = w_open(w_path("bad.h5"));
    w_integers(file, name, H5T_STD_I64LE, values, count);
    H5Fclose(file);
}

static void with_texts(const char *name, const char *const *texts, hsize_t count) {
    without(name);
    const hid_t file = w_open(w_path("bad.h5"));
    w_texts(file, name, texts, count, false);
    H5Fclose(file);
}

static void test_missing(void **state) {
    (void)state;
    static const char *const required[] = {"region_table/names",  INDEX "region_ids",
                                           INDEX "ranks",         INDEX "event_offsets",
                                           INDEX "event_counts",  INDEX "source_lines",
                                           INDEX "source_files",  INDEX "source_texts",
                                           INDEX "tags",          "events/durations",
                                           "events/start_deltas", "region_table",
                                           "rank_region_index",   "events"};
    for (size_t i = 0; i < W_COUNT(required); i++) {
        without(required[i]);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, required[i]);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, "is missing");
    }
    static const char *const optional[] = {INDEX "exclusive_totals", INDEX "summary_statistics", "metadata"};
    for (size_t i = 0; i < W_COUNT(optional); i++) {
        without(optional[i]);
        assert_int_equal(ask_everything(w_path("bad.h5")), SPR_OK);
    }
}

static void test_short_and_retyped(void **state) {
    (void)state;
    static const int64_t zeros[3] = {0};
    static const char *const numbers[] = {INDEX "region_ids",   INDEX "ranks",        INDEX "event_offsets",
                                          INDEX "event_counts", INDEX "source_lines", INDEX "exclusive_totals",
                                          "events/durations",   "events/start_deltas"};
    static const char *const texts[] = {INDEX "source_files", INDEX "source_texts", INDEX "tags", "region_table/names"};
    static const char *const empty[] = {"", "", ""};
    for (size_t i = 0; i < W_COUNT(numbers); i++) {
        with_integers(numbers[i], zeros, 2);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, "");
        with_texts(numbers[i], empty, 3);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, numbers[i]);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, "does not hold integers");
    }
    for (size_t i = 0; i < W_COUNT(texts); i++) {
        with_integers(texts[i], zeros, 3);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, texts[i]);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, "does not hold strings");
    }
    with_texts(INDEX "tags", empty, 2);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "/rank_region_index/tags has 2 rows instead of 3");
    with_integers(INDEX "summary_statistics", zeros, 3);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "summary_statistics does not hold records");
}

static void test_contradictions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t values[3];
        const char *cause;
    } cases[] = {
        {INDEX "region_ids", {0, 2, 0}, "region_ids[1] is 2, but there are 2 regions"},
        {INDEX "region_ids", {0, -1, 0}, "region_ids[1] is out of range: -1"},
        {INDEX "region_ids", {0, 0, 0}, "two rows for region 'a' on rank 0"},
        {INDEX "ranks", {0, 0, -5}, "ranks[2] is out of range"},
        {INDEX "ranks", {0, 0, INT64_C(4294967295)}, "ranks[2] is out of range"},
        {INDEX "event_offsets", {0, 1, 3}, "rows 0 and 1 of /rank_region_index overlap"},
        {INDEX "event_offsets", {0, 2, 4}, "row 2 of /rank_region_index claims more calls"},
        {INDEX "event_offsets", {0, 2, INT64_MAX}, "row 2 of /rank_region_index claims more calls"},
        {INDEX "event_offsets", {0, -2, 3}, "event_offsets[1] is out of range"},
        {INDEX "event_counts", {2, 1, INT64_MAX}, "row 2 of /rank_region_index claims more calls"},
        {INDEX "event_counts", {2, -1, 1}, "event_counts[1] is out of range"},
        {INDEX "event_counts", {1, 1, 1}, "summary_statistics[0] contradicts itself"},
        {INDEX "exclusive_totals", {151, 10, 5}, "summary_statistics[0] contradicts itself"},
    };
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        with_integers(cases[i].name, cases[i].values, 3);
        assert_bad(w_path("bad.h5"), SPR_DAMAGED, cases[i].cause);
    }
    static const char *const tags[] = {"[\"x\"]", "[1]", "[]"}, *const no_json[] = {"[\"x\"]", "[", "[]"};
    with_texts(INDEX "tags", tags, 3);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "the tags of region 'b' on rank 0 are not");
    with_texts(INDEX "tags", no_json, 3);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "the tags of region 'b' on rank 0 are not");
    /* a row without calls is no row */
    static const int64_t counts[] = {2, 0, 1};
    with_integers(INDEX "event_counts", counts, 3);
    spr_profile *profile = open_good(w_path("bad.h5"));
    assert_int_equal(spr_num_rows(profile), 2);
    assert_int_equal(spr_num_regions(profile), 2);
    spr_close(profile);
}

/* Damage that shows only when the calls are read. */
static void test_bad_calls(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t values[4];
        const char *cause;
    } cases[] = {
        {"events/durations", {100, -50, 10, 5}, "call 1 of region 'a' on rank 0 ends before it begins"},
        {"events/start_deltas", {100, INT64_MAX, 110, 90}, "call 1 of region 'a' on rank 0 has a time beyond 64 bits"},
        {"events/durations", {INT64_MAX, 50, 10, 5}, "call 0 of region 'a' on rank 0 has a time beyond 64 bits"},
        {"events/durations", {100, 51, 10, 5}, "the summary of region 'a' on rank 0 is not that of its calls"},
    };
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        with_integers(cases[i].name, cases[i].values, 4);
        spr_profile *profile = open_good(w_path("bad.h5"));
        spr_stats stats;
        spr_error error;
        assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_SUMMARY, &stats, &error), SPR_OK);
        assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, &error), SPR_DAMAGED);
        assert_message(&error, w_path("bad.h5"), cases[i].cause);
        if (i < 3) {
            spr_tree tree;
            assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, &error), SPR_DAMAGED);
            assert_message(&error, w_path("bad.h5"), cases[i].cause);
            int64_t end[2];
            assert_int_equal(spr_read_calls(profile, 0, 0, 2, NULL, end, NULL, NULL, &error), SPR_DAMAGED);
        }
        spr_close(profile);
    }
    static const struct w_call backwards[] = {{.start = 10, .end = 9}};
    static const struct w_row back[] = {{.calls = backwards, .count = 1, .exclusive = -1}};
    struct w_file file = base;
    file.schema = 1;
    file.rows = back;
    file.num_rows = 1;
    w_write(w_path("bad.h5"), &file);
    spr_profile *profile = open_good(w_path("bad.h5"));
    spr_stats stats;
    spr_error error;
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_SUMMARY, &stats, &error), SPR_DAMAGED);
    assert_message(&error, w_path("bad.h5"), "ends before it begins");
    spr_close(profile);
}

/* ---- claims that the file cannot back ------------------------------------------------------------------------------
 */

static void with_dataset(const char *name, hid_t type, hsize_t length, hsize_t chunk, const char *external) {
    without(name);
    const hid_t file = w_open(w_path("bad.h5")), list = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t most = chunk ? H5S_UNLIMITED : length;
    const hid_t space = H5Screate_simple(1, &length, &most);
    if (chunk) {
        H5Pset_chunk(list, 1, &chunk);
        H5Pset_deflate(list, 1);
    } else if (external) {
        H5Pset_external(list, external, 0, H5F_UNLIMITED);
    } else {
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_LATE);
    }
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    w_check(dataset >= 0, name);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(list);
    H5Fclose(file);
}

static void test_claims(void **state) {
    (void)state;
    const hsize_t huge = (hsize_t)1 << 40;
    with_dataset(INDEX "region_ids", H5T_STD_U32LE, huge, 4096, NULL);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "region_ids claims more elements than the file can hold");
    with_dataset("events/durations", H5T_STD_I64LE, huge, 4096, NULL);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "durations claims more elements than the file can hold");
    with_dataset("events/start_deltas", H5T_STD_I64LE, huge, 0, NULL);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "start_deltas claims more elements than the file can hold");
    with_dataset("events/start_deltas", H5T_STD_I64LE, 4, (hsize_t)1 << 28, NULL);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "start_deltas has too large chunks");
    with_dataset("events/start_deltas", H5T_STD_I64LE, 4, 0, "/etc/passwd");
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "start_deltas keeps its values in other files");

    w_write(w_path("good.h5"), &base);
    char good[256];
    strcpy(good, w_path("good.h5"));
    without("events");
    hid_t file = w_open(w_path("bad.h5"));
    H5Lcreate_external(good, "/events", file, "events", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "/events");

    /* one long string, named by every row */
    enum { MANY = 20000 };
    char *text = malloc(100001);
    memset(text, 't', 100000);
    text[100000] = '\0';
    const char **texts = malloc(MANY * sizeof *texts);
    for (size_t i = 0; i < MANY; i++) texts[i] = "";
    texts[0] = text;
    with_texts("region_table/names", texts, MANY);
    file = w_open(w_path("bad.h5"));
    const hid_t names_id = H5Dopen2(file, "region_table/names", H5P_DEFAULT);
    const haddr_t at = H5Dget_offset(names_id);
    H5Dclose(names_id);
    H5Fclose(file);
    FILE *bytes = fopen(w_path("bad.h5"), "r+b");
    unsigned char reference[16];
    w_check(bytes && fseek(bytes, (long)at, SEEK_SET) == 0 && fread(reference, 16, 1, bytes) == 1, "a reference");
    fseek(bytes, (long)at, SEEK_SET);
    for (size_t i = 0; i < MANY; i++) w_check(fwrite(reference, 16, 1, bytes) == 1, "references");
    fclose(bytes);
    assert_bad(w_path("bad.h5"), SPR_DAMAGED, "names holds strings that cannot be found");
    free(texts);
    free(text);
}

/* ---- truncated ------------------------------------------------------------------------------------------------------
 */

static void test_truncated(void **state) {
    (void)state;
    for (int schema = 1; schema <= 3; schema++) {
        struct w_file file = base;
        file.schema = schema;
        w_write(w_path("whole.h5"), &file);
        size_t size;
        unsigned char *bytes = read_bytes(w_path("whole.h5"), &size);
        for (size_t cut = 8; cut < size; cut += cut < 512 || cut + 64 > size ? 1 : 101)
            assert_bad(write_bytes("cut.h5", bytes, cut), SPR_DAMAGED, "truncated");
        assert_bad(write_bytes("cut.h5", bytes, size / 2), SPR_DAMAGED, " bytes, but there are ");
        for (size_t cut = 1; cut < 8; cut++)
            assert_bad(write_bytes("cut.h5", bytes, cut), SPR_NOT_PROFILE, "is not an HDF5 file");
        free(bytes);
    }
}

/* What HDF5 does with its errors is the caller's choice, and stays it. */
static herr_t handler(hid_t stack, void *data) {
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void test_quiet(void **state) {
    (void)state;
    int called = 0;
    H5E_auto2_t function;
    void *data;
    H5Eset_auto2(H5E_DEFAULT, handler, &called);
    w_write(w_path("whole.h5"), &base);
    size_t size;
    unsigned char *bytes = read_bytes(w_path("whole.h5"), &size);
    assert_bad(write_bytes("cut.h5", bytes, size / 2), SPR_DAMAGED, "truncated");
    assert_int_equal(ask_everything(w_path("whole.h5")), SPR_OK);
    assert_int_equal(called, 0);
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    assert_true(function == handler && data == &called);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    free(bytes);
}

/* Somebody else may be writing, with a lock. */
static void test_open_elsewhere(void **state) {
    (void)state;
    w_write(w_path("busy.h5"), &base);
    int ready[2], done[2];
    char byte = 0;
    w_check(pipe(ready) == 0 && pipe(done) == 0, "pipes");
    const pid_t other = fork();
    if (other == 0) {
        const hid_t file = H5Fopen(w_path("busy.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
        const ssize_t told = write(ready[1], file >= 0 ? "y" : "n", 1);
        _exit(told == 1 && read(done[0], &byte, 1) == 1 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    const int status = ask_everything(w_path("busy.h5"));
    assert_int_equal(write(done[1], "x", 1), 1);
    assert_int_equal(status, SPR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_profiles),    cmocka_unit_test(test_versions),
        cmocka_unit_test(test_missing),        cmocka_unit_test(test_short_and_retyped),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_claims),         cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_quiet),          cmocka_unit_test(test_open_elsewhere),
    };
    return cmocka_run_group_tests_name("reader: damage", tests, NULL, NULL);
}
