/* Metadata, threads, processes, problems; and which regions and ranks a selection holds. */
#include "check.h"

static const char *const names[] = {"setup", "solve", "", "resolve", "d\xc3\xa9j\xc3\xa0", "bad \xff", "two\nlines"};
static const struct w_call call[] = {{.start = 5, .end = 9, .thread = 1, .task = 4},
                                     {.start = 9, .end = 10, .thread = -1, .task = -1},
                                     {.start = 10, .end = 11, .thread = 0, .task = -1},
                                     {.start = 12, .end = 13, .thread = 8, .task = -1}};
static const struct w_row rows[] = {{.region = 1, .rank = 1, .calls = call, .count = 4, .exclusive = 7}};
static const struct w_file base = {.schema = 3,
                                   .names = names,
                                   .num_names = 7,
                                   .rows = rows,
                                   .num_rows = 1,
                                   .mpi_size = 2,
                                   .threads = true,
                                   .tasks = true};

static hid_t new_group(hid_t file, const char *name) {
    return H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static void put(hid_t group, const char *name, int64_t first, int64_t second) {
    const int64_t values[] = {first, second};
    w_integers(group, name, H5T_STD_I64LE, values, 2);
}

static void put_texts(hid_t group, const char *name, const char *first, const char *second) {
    const char *const texts[] = {first, second};
    w_texts(group, name, texts, 2, false);
}

static void test_metadata(void **state) {
    (void)state;
    const char *path = w_path("meta.h5");
    w_write(path, &base);
    const hid_t file = w_open(path), group = H5Gopen2(file, "metadata", H5P_DEFAULT);
    static const char *const modules[] = {"gcc/12", "openmpi"};
    const double load = 0.25;
    const hid_t scalar = H5Screate(H5S_SCALAR),
                real = H5Acreate2(group, "load", H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(real, H5T_NATIVE_DOUBLE, &load);
    H5Aclose(real);
    H5Sclose(scalar);
    w_attribute_texts(group, "modules", modules, 2);
    w_attribute_texts(group, "nothing", modules, 0);
    w_attribute_text(group, "label", "r\xc3\xbcn");
    w_attribute_text(group, "aa", "");
    H5Gclose(group);
    H5Fclose(file);

    spr_profile *profile = open_good(path);
    assert_int_equal(spr_metadata_count(profile), 6);
    static const char *const keys[] = {"aa", "label", "load", "modules", "mpi_size", "nothing"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(spr_metadata_at(profile, i)->key, keys[i]);
        assert_ptr_equal(spr_metadata(profile, keys[i]), spr_metadata_at(profile, i));
    }
    assert_null(spr_metadata_at(profile, 6));
    assert_null(spr_metadata(profile, "absent"));
    assert_string_equal(spr_metadata(profile, "aa")->text, "");
    assert_int_equal(spr_metadata(profile, "aa")->kind, SPR_TEXT);
    assert_string_equal(spr_metadata(profile, "label")->text, "r\xc3\xbcn");
    assert_int_equal(spr_metadata(profile, "load")->kind, SPR_REAL);
    assert_near(spr_metadata(profile, "load")->real, 0.25);
    assert_int_equal(spr_metadata(profile, "modules")->kind, SPR_TEXT_LIST);
    assert_int_equal(spr_metadata(profile, "modules")->count, 2);
    assert_string_equal(spr_metadata(profile, "modules")->items[1], "openmpi");
    assert_int_equal(spr_metadata(profile, "nothing")->kind, SPR_TEXT_LIST);
    assert_int_equal(spr_metadata(profile, "nothing")->count, 0);
    assert_int_equal(spr_metadata(profile, "mpi_size")->kind, SPR_INTEGER);
    spr_run_times run;
    assert_int_equal(spr_run(profile, &run, NULL), SPR_OK);
    assert_nan(run.start);
    assert_near(run.origin, 5e-9);
    assert_near(run.startup, 0);
    assert_nan(run.total);
    spr_close(profile);
}

static void write_tables(const char *path) {
    w_write(path, &base);
    const hid_t file = w_open(path);
    hid_t group = new_group(file, "thread_table");
    put(group, "ranks", 1, 1);
    put(group, "index", 0, 1);
    put(group, "ident", 100, 101);
    put(group, "native_id", 7, 8);
    put(group, "daemon", 0, 1);
    put(group, "start_ns", 1, 2);
    put(group, "end_ns", -1, 50);
    put(group, "cpu_ns", 3, -1);
    put_texts(group, "name", "MainThread", "pool-1");
    H5Gclose(group);
    group = new_group(file, "process_table");
    put(group, "ranks", 0, 1);
    put(group, "pid", 41, 42);
    put(group, "parent_pid", 40, 40);
    put(group, "mpi_rank", -1, 1);
    put(group, "node", 0, 1);
    put(group, "start_ns", 1, 2);
    put(group, "end_ns", 3, -1);
    put(group, "incomplete_since_ns", -1, 77);
    put(group, "complete", 1, 0);
    put_texts(group, "command", "app", "app");
    put_texts(group, "ended", "exit 0", "signal 9");
    put_texts(group, "problem", "", "disk full");
    H5Gclose(group);
    group = new_group(file, "problem_table");
    put(group, "ranks", 0, 1);
    put(group, "region_ids", 1, -1);
    put(group, "kinds", SPR_CUT_OFF, SPR_LOST);
    put(group, "counts", 3, 1000);
    put(group, "at_exit", 2, 0);
    put(group, "open_ns", 500, -1);
    H5Gclose(group);
    H5Fclose(file);
}

static void test_tables(void **state) {
    (void)state;
    write_tables(w_path("tables.h5"));
    spr_profile *profile = open_good(w_path("tables.h5"));
    assert_int_equal(spr_num_threads(profile), 2);
    const spr_thread *thread = spr_thread_at(profile, 1);
    assert_int_equal(thread->rank, 1);
    assert_int_equal(thread->index, 1);
    assert_int_equal(thread->ident, 101);
    assert_int_equal(thread->native_id, 8);
    assert_int_equal(thread->daemon, 1);
    assert_int_equal(thread->start_ns, 2);
    assert_int_equal(thread->end_ns, 50);
    assert_int_equal(thread->cpu_ns, -1);
    assert_string_equal(thread->name, "pool-1");
    assert_null(spr_thread_at(profile, 2));
    assert_int_equal(spr_num_processes(profile), 2);
    const spr_process *process = spr_process_at(profile, 1);
    assert_int_equal(process->pid, 42);
    assert_int_equal(process->parent_pid, 40);
    assert_int_equal(process->mpi_rank, 1);
    assert_int_equal(process->node, 1);
    assert_int_equal(process->start_ns, 2);
    assert_int_equal(process->end_ns, -1);
    assert_string_equal(process->command, "app");
    assert_string_equal(process->ended, "signal 9");
    assert_false(process->complete);
    assert_true(spr_process_at(profile, 0)->complete);
    assert_int_equal(process->incomplete_since_ns, 77);
    assert_string_equal(process->problem, "disk full");
    assert_null(spr_process_at(profile, 2));
    assert_int_equal(spr_num_problems(profile), 2);
    const spr_problem *problem = spr_problem_at(profile, 0);
    assert_int_equal(problem->rank, 0);
    assert_int_equal(problem->region, 1);
    assert_int_equal(problem->kind, SPR_CUT_OFF);
    assert_int_equal(problem->count, 3);
    assert_int_equal(problem->at_exit, 2);
    assert_int_equal(problem->open_ns, 500);
    assert_true(spr_problem_at(profile, 1)->region == SIZE_MAX);
    assert_null(spr_problem_at(profile, 2));

    int64_t threads[4], tasks[4];
    assert_int_equal(spr_read_calls(profile, 0, 0, 4, NULL, NULL, threads, tasks, NULL), SPR_OK);
    assert_int_equal(threads[0], 1);
    assert_int_equal(threads[1], -1);
    assert_int_equal(threads[2], 0);
    assert_int_equal(threads[3], -1); /* 8 is not in the table */
    assert_int_equal(tasks[0], 4);
    assert_int_equal(tasks[1], -1);
    spr_close(profile);

    w_write(w_path("bare.h5"), &base);
    profile = open_good(w_path("bare.h5"));
    assert_int_equal(spr_num_threads(profile) + spr_num_processes(profile) + spr_num_problems(profile), 0);
    spr_close(profile);
}

static void test_bad_tables(void **state) {
    (void)state;
    static const struct {
        const char *name, *cause;
        int64_t value; /* in place of the column's first; INT64_MIN: the column is missing */
    } cases[] = {{"problem_table/region_ids", "/problem_table/region_ids[0] is no region", 7},
                 {"problem_table/region_ids", "/problem_table/region_ids[0] is out of range: -2", -2},
                 {"problem_table/counts", "/problem_table/counts is missing", INT64_MIN},
                 {"process_table/complete", "/process_table/complete[0] is out of range: 2", 2},
                 {"thread_table/ranks", "/thread_table/ranks[0] is out of range: -1", -1},
                 {"thread_table/name", "/thread_table/name is missing", INT64_MIN}};
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        const char *path = w_path("tables.h5");
        write_tables(path);
        const hid_t file = w_open(path);
        w_check(H5Ldelete(file, cases[i].name, H5P_DEFAULT) >= 0, cases[i].name);
        if (cases[i].value != INT64_MIN) put(file, cases[i].name, cases[i].value, 0);
        H5Fclose(file);
        assert_bad(path, SPR_DAMAGED, cases[i].cause);
    }
}

struct choice {
    const char *include, *exclude;
    const char *selected; /* a digit per region */
};

static void test_select(void **state) {
    (void)state;
    static const struct choice choices[] = {{NULL, NULL, "1111111"},
                                            {"s", NULL, "1100000"},
                                            {"solve", NULL, "0100000"},
                                            {"s", "se", "0100000"},
                                            {NULL, "s|re", "0010111"},
                                            {".*solve$", NULL, "0101000"},
                                            {"", NULL, "1111111"},
                                            {"$", NULL, "0010000"},
                                            {"d.j.$", NULL, "0000100"},
                                            {"bad .", NULL, "0000000"},
                                            {"bad", NULL, "0000010"},
                                            {"two.lines", NULL, "0000000"},
                                            {"(?s)two.lines", NULL, "0000001"},
                                            {"two$", NULL, "0000000"},
                                            {"(?m)two$", NULL, "0000001"},
                                            {"(?i)SETUP\\Z", NULL, "1000000"},
                                            {"\\w+$", NULL, "1101100"},
                                            {"a^", NULL, "0000000"}};
    w_write(w_path("select.h5"), &base);
    spr_profile *profile = open_good(w_path("select.h5"));
    for (size_t i = 0; i < W_COUNT(choices); i++) {
        const struct choice *choice = &choices[i];
        spr_selection *selection;
        spr_error error = {0};
        if (spr_select(profile, &choice->include, choice->include != NULL, &choice->exclude, choice->exclude != NULL,
                       NULL, 0, &selection, &error) != SPR_OK)
            fail_msg("%s", error.message);
        char selected[8] = "";
        for (size_t region = 0; region < 7; region++)
            selected[region] = spr_selects_region(selection, region) ? '1' : '0';
        if (strcmp(selected, choice->selected) != 0)
            fail_msg("'%s' without '%s' selects %s", choice->include ? choice->include : "",
                     choice->exclude ? choice->exclude : "", selected);
        assert_false(spr_selects_region(selection, 7));
        assert_true(spr_selects_rank(selection, 12345));
        spr_selection_free(selection);
    }
    static const char *const several[] = {"set", "res"};
    static const uint32_t ranks[] = {9, 2, 4};
    spr_selection *selection;
    assert_int_equal(spr_select(profile, several, 2, NULL, 0, ranks, 3, &selection, NULL), SPR_OK);
    assert_true(spr_selects_region(selection, 0) && spr_selects_region(selection, 3));
    assert_false(spr_selects_region(selection, 1));
    assert_true(spr_selects_rank(selection, 2) && spr_selects_rank(selection, 4) && spr_selects_rank(selection, 9));
    assert_false(spr_selects_rank(selection, 3) || spr_selects_rank(selection, 0));
    spr_selection_free(selection);
    spr_selection_free(NULL);
    spr_close(profile);
}

static void test_bad_patterns(void **state) {
    (void)state;
    char *long_name = malloc(5001);
    memset(long_name, 'a', 5000);
    strcpy(long_name + 4999, "b");
    const char *one[] = {long_name};
    const struct w_file file = {.schema = 3, .names = one, .num_names = 1, .mpi_size = 1};
    w_write(w_path("patterns.h5"), &file);
    spr_profile *profile = open_good(w_path("patterns.h5"));
    static const struct {
        const char *pattern, *cause;
    } cases[] = {
        {"a(", "at position 2"}, {"*", "at position 0"}, {"[z-a]", "pattern '[z-a]'"}, {"(a+)+$", "match limit"}};
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        spr_selection *selection = (spr_selection *)1;
        spr_error error;
        assert_int_equal(spr_select(profile, NULL, 0, &cases[i].pattern, 1, NULL, 0, &selection, &error), -1);
        assert_null(selection);
        assert_message(&error, NULL, cases[i].cause);
        assert_message(&error, NULL, cases[i].pattern);
    }
    spr_close(profile);
    free(long_name);
    bool matches;
    assert_int_equal(spr_match("ol", true, "solve", &matches, NULL), 0);
    assert_true(matches);
    assert_int_equal(spr_match("ol", false, "solve", &matches, NULL), 0);
    assert_false(matches);
    assert_int_equal(spr_match("(", false, "solve", &matches, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metadata), cmocka_unit_test(test_tables),       cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_select),   cmocka_unit_test(test_bad_patterns),
    };
    return cmocka_run_group_tests_name("reader: tables and selection", tests, NULL, NULL);
}
