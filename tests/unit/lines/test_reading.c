/* Line records as the Python tool writes them and as we do, those that are damaged, and how they are shown. */
#include "../reader/check.h"

#include "render/line_table.h"

static hid_t group_at(hid_t file, const char *path) {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(links);
    w_check(group >= 0, path);
    return group;
}

static void put_reals(hid_t group, const char *name, const double *values, hsize_t count) {
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set = H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    w_check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_real(hid_t group, const char *name, double value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    w_check(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0, name);
    H5Aclose(attribute);
    H5Sclose(space);
}

static const int64_t numbers[] = {9, 10, 11, 12, 13}, hits[] = {1, 20001, 20000, 1, 1};
static const double times[] = {782, 2690250, 3552990, 1066700, 1733};

static hid_t put_record(hid_t file, const char *path, const char *function) {
    const hid_t group = group_at(file, path);
    w_attribute_text(group, "region", function);
    w_attribute_text(group, "filename", "line_demo.py");
    w_attribute_text(group, "function", function);
    w_attribute_integer(group, "first_lineno", 7);
    put_real(group, "unit", 1e-9);
    w_integers(group, "line_numbers", H5T_STD_I64LE, numbers, 5);
    w_integers(group, "hits", H5T_STD_I64LE, hits, 5);
    put_reals(group, "times", times, 5);
    return group;
}

static const char source[] =
    "@sp.profile(\"hot_function\")\ndef hot_function(n):\n    total = 0.0\n"
    "    for i in range(n):\n        total += i**0.5\n    time.sleep(0.001)\n    return total\n";

static hid_t start(const char *path) {
    static const struct w_file nothing = {.schema = 3, .mpi_size = 1};
    w_write(path, &nothing);
    return w_open(path);
}

static int read_all(const char *path, spr_line_profile *lines, spr_profile **profile, spr_error *error) {
    *profile = open_good(path);
    return spr_lines_read(*profile, NULL, lines, error);
}

static void records(void **state) {
    (void)state;
    const char *path = w_path("lines.h5");
    hid_t file = start(path);
    H5Gclose(put_record(file, "rank0/line_profile/10", "tenth"));
    hid_t group = put_record(file, "rank0/line_profile/2", "second");
    w_attribute_text(group, "source", source);
    w_attribute_integer(group, "source_first_lineno", 7);
    H5Gclose(group);
    H5Gclose(put_record(file, "rank12/line_profile/0", "other"));
    H5Gclose(put_record(file, "rank3/line_profile/0", "third"));
    H5Gclose(group_at(file, "rank3/line_profile/notes"));
    H5Fclose(file);

    spr_profile *profile;
    spr_line_profile lines;
    assert_int_equal(read_all(path, &lines, &profile, NULL), 0);
    assert_int_equal(lines.count, 4);
    const char *const order[] = {"second", "tenth", "third", "other"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(lines.records[i].function, order[i]);
    const spr_line_record *first = &lines.records[0];
    assert_int_equal(first->rank, 0);
    assert_string_equal(first->region, "second");
    assert_string_equal(first->filename, "line_demo.py");
    assert_string_equal(first->source, source);
    assert_int_equal(first->source_first_line, 7);
    assert_int_equal(first->first_line, 7);
    assert_int_equal(first->num_lines, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(first->lines[i].number, numbers[i]);
        assert_int_equal(first->lines[i].hits, hits[i]);
        assert_near(first->lines[i].seconds, times[i] * 1e-9);
    }
    assert_null(lines.records[1].source);
    assert_int_equal(lines.records[3].rank, 12);
    spr_lines_free(&lines);

    const uint32_t ranks[] = {3};
    spr_selection *selection;
    assert_int_equal(spr_select(profile, NULL, 0, NULL, 0, ranks, 1, &selection, NULL), 0);
    assert_int_equal(spr_lines_read(profile, selection, &lines, NULL), 0);
    assert_int_equal(lines.count, 1);
    assert_string_equal(lines.records[0].function, "third");
    spr_lines_free(&lines);
    spr_selection_free(selection);
    spr_close(profile);
}

/* What a record may lack, and lines in any order. */
static void little(void **state) {
    (void)state;
    const char *path = w_path("little.h5");
    hid_t file = start(path), group = group_at(file, "rank0/line_profile/0");
    static const int64_t backwards[] = {5, 2};
    static const double half[] = {0.5, 0.25};
    w_integers(group, "line_numbers", H5T_STD_I32LE, backwards, 2);
    w_integers(group, "hits", H5T_STD_U16LE, backwards, 2);
    put_reals(group, "times", half, 2);
    H5Gclose(group);
    group = group_at(file, "rank0/line_profile/1");
    w_integers(group, "line_numbers", H5T_STD_I64LE, NULL, 0);
    w_integers(group, "hits", H5T_STD_I64LE, NULL, 0);
    w_integers(group, "times", H5T_STD_I64LE, NULL, 0);
    H5Gclose(group);
    H5Fclose(file);
    spr_profile *profile;
    spr_line_profile lines;
    assert_int_equal(read_all(path, &lines, &profile, NULL), 0);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.records[0].region, "");
    assert_int_equal(lines.records[0].first_line, 0);
    assert_int_equal(lines.records[0].lines[0].number, 2);
    assert_near(lines.records[0].lines[0].seconds, 0.25);
    assert_int_equal(lines.records[0].lines[1].hits, 5);
    assert_int_equal(lines.records[1].num_lines, 0);
    spr_lines_free(&lines);
    spr_close(profile);
}

static void assert_refused(const char *path, const char *cause) {
    spr_profile *profile;
    spr_line_profile lines;
    spr_error error = {0};
    assert_int_equal(read_all(path, &lines, &profile, &error), SPR_DAMAGED);
    assert_message(&error, path, cause);
    assert_int_equal(lines.count, 0);
    assert_null(lines.records);
    spr_close(profile);
}

static void damaged(void **state) {
    (void)state;
    const char *path = w_path("damaged.h5");
    hid_t file = start(path), group = put_record(file, "rank0/line_profile/0", "f");
    H5Ldelete(group, "hits", H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
    assert_refused(path, "/rank0/line_profile/0/hits is missing");

    file = start(path), group = put_record(file, "rank0/line_profile/0", "f");
    H5Ldelete(group, "times", H5P_DEFAULT);
    put_reals(group, "times", times, 4);
    H5Gclose(group);
    H5Fclose(file);
    assert_refused(path, "/rank0/line_profile/0/times has 4 elements, not 5");

    file = start(path), group = put_record(file, "rank0/line_profile/0", "f");
    H5Ldelete(group, "line_numbers", H5P_DEFAULT);
    static const char *const words[] = {"a", "b", "c", "d", "e"};
    w_texts(group, "line_numbers", words, 5, false);
    H5Gclose(group);
    H5Fclose(file);
    assert_refused(path, "line_numbers does not hold integers");
}

/* Numbers that are none, a unit that is none, and one record linked again and again. */
static void odd(void **state) {
    (void)state;
    const char *path = w_path("odd.h5");
    hid_t file = start(path), group = put_record(file, "rank0/line_profile/0", "f");
    H5Adelete(group, "unit");
    put_real(group, "unit", (double)INFINITY);
    H5Ldelete(group, "times", H5P_DEFAULT);
    static const double strange[] = {1, NAN, INFINITY, -1, 0};
    put_reals(group, "times", strange, 5);
    H5Gclose(group);
    H5Fclose(file);
    spr_profile *profile;
    spr_line_profile lines;
    assert_int_equal(read_all(path, &lines, &profile, NULL), 0);
    assert_near(lines.records[0].lines[0].seconds, 1.0);
    assert_nan(lines.records[0].lines[1].seconds);
    assert_nan(lines.records[0].lines[2].seconds);
    spr_lines_free(&lines);
    spr_close(profile);

    file = start(path);
    group = group_at(file, "rank0/line_profile/0");
    enum { MANY = 100000 };
    int64_t *values = calloc(MANY, sizeof *values);
    w_integers(group, "line_numbers", H5T_STD_I64LE, values, MANY);
    w_integers(group, "hits", H5T_STD_I64LE, values, MANY);
    w_integers(group, "times", H5T_STD_I64LE, values, MANY);
    free(values);
    H5Gclose(group);
    for (int i = 1; i < 200; i++) {
        char name[64];
        snprintf(name, sizeof name, "rank0/line_profile/%d", i);
        w_check(H5Lcreate_hard(file, "rank0/line_profile/0", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0, name);
    }
    H5Fclose(file);
    assert_refused(path, "holds more lines than the file can");
}

static void matching(void **state) {
    (void)state;
    static const struct {
        const char *pattern;
        bool anywhere, matches;
    } cases[] = {{"job", false, true},    {"ob", false, false}, {"ob", true, true}, {"^job$", true, true},
                 {"job\\Z", false, true}, {"jo$", true, false}, {"", false, true}};
    bool matches;
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        assert_int_equal(spr_match(cases[i].pattern, cases[i].anywhere, "job", &matches, NULL), 0);
        assert_int_equal(matches, cases[i].matches);
    }
    spr_error error;
    assert_int_equal(spr_match("(", true, "job", &matches, &error), -1);
    assert_message(&error, NULL, "pattern '('");
    assert_int_equal(spr_match("(a|aa)+$", false, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", &matches, &error), -1);
}

static char *shown(const spr_line_record *record) {
    char *text = NULL;
    size_t size = 0;
    const struct sink sink = {.stream = open_memstream(&text, &size)};
    line_table_print(&sink, record);
    fclose(sink.stream);
    return text;
}

/* To the character. */
static void table(void **state) {
    (void)state;
    spr_line lines[5];
    for (size_t i = 0; i < 5; i++)
        lines[i] = (spr_line){.number = numbers[i], .hits = hits[i], .seconds = times[i] * 1e-9};
    spr_line_record record = {.rank = 0,
                              .region = "hot_function",
                              .function = "hot_function",
                              .filename = "line_demo.py",
                              .first_line = 7,
                              .source = source,
                              .source_first_line = 7,
                              .lines = lines,
                              .num_lines = 5};
    char *text = shown(&record);
    assert_string_equal(text, "\n"
                              "Rank 0 | hot_function | hot_function (line_demo.py:7)\n"
                              "╭────────┬────────┬────────────┬───────────────┬──────────┬─────────────────────╮\n"
                              "│ line   │ hits   │ time [s]   │ per hit [s]   │ % time   │ source              │\n"
                              "├────────┼────────┼────────────┼───────────────┼──────────┼─────────────────────┤\n"
                              "│ 9      │ 1      │ 7.82e-07   │ 7.82e-07      │ 0.01     │ total = 0.0         │\n"
                              "│ 10     │ 20001  │ 0.00269025 │ 1.34506e-07   │ 36.79    │ for i in range(n):  │\n"
                              "│ 11     │ 20000  │ 0.00355299 │ 1.7765e-07    │ 48.59    │     total += i**0.5 │\n"
                              "│ 12     │ 1      │ 0.0010667  │ 0.0010667     │ 14.59    │ time.sleep(0.001)   │\n"
                              "│ 13     │ 1      │ 1.733e-06  │ 1.733e-06     │ 0.02     │ return total        │\n"
                              "╰────────┴────────┴────────────┴───────────────┴──────────┴─────────────────────╯\n");
    free(text);

    /* Nothing divides by a total of nothing; a text that nobody has is said to be missing. */
    static spr_line still[] = {{.number = 3, .hits = 2}, {.number = 5}};
    record = (spr_line_record){.rank = 1,
                               .region = "r",
                               .function = "f",
                               .filename = "gone.py",
                               .first_line = 2,
                               .lines = still,
                               .num_lines = 2};
    text = shown(&record);
    assert_non_null(
        strstr(text, "│ 3      │ 2      │ 0          │ 0             │ -        │ (source unavailable) │\n"));
    assert_non_null(
        strstr(text, "│ 5      │ 0      │ 0          │ -             │ -        │ (source unavailable) │\n"));
    assert_null(strstr(text, "│ 4"));
    free(text);

    /* Lines that did not run stand between those that did; a gap that is none of a function's does not. */
    static spr_line apart[] = {{.number = 9, .hits = 1, .seconds = 1},
                               {.number = 11, .hits = 1, .seconds = 1},
                               {.number = INT64_C(1) << 40, .hits = 1, .seconds = 2}};
    record = (spr_line_record){.region = "r",
                               .function = "f",
                               .filename = "<made>",
                               .first_line = 8,
                               .source = source,
                               .source_first_line = 7,
                               .lines = apart,
                               .num_lines = 3};
    text = shown(&record);
    assert_non_null(
        strstr(text, "│ 10            │        │            │               │          │ for i in range(n):  │\n"));
    assert_non_null(
        strstr(text, "│ 1099511627776 │ 1      │ 2          │ 2             │ 50.00    │                     │\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records), cmocka_unit_test(little),   cmocka_unit_test(damaged),
        cmocka_unit_test(odd),     cmocka_unit_test(matching), cmocka_unit_test(table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
