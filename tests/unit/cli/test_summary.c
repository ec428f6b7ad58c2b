/* Tables to the character, over profiles written with plain HDF5. */
#include "check.h"

#include "commands/commands.h"
#include "render/csv.h"
#include "render/frame.h"
#include "render/json.h"
#include "render/summary.h"
#include "writer.h"

#include <math.h>
#include <unistd.h>

enum { MS = 1000000 };

/* The build under test has `inspect` and `diff`. */
static bool available(const char *command) { return !strcmp(command, "inspect") || !strcmp(command, "diff"); }

static spr_profile *open_profile(const char *path) {
    spr_profile *profile;
    spr_error error;
    if (spr_open(path, &profile, &error)) fail_msg("%s", error.message);
    return profile;
}

/* The tutorial's profile: five time steps of two regions each, after a set-up. */
static spr_profile *tutorial(void) {
    static const char *const names[] = {"assemble", "setup", "timestep", "solve"};
    static const int64_t step[] = {7166206, 11126772, 15124428, 7122461, 11120707};
    static const int64_t assemble[] = {4100000, 8060000, 12060000, 4060000, 8027122};
    static const int64_t solve[] = {3061126, 3060000, 3058693, 3060000, 3060985};
    static struct w_call calls[3][5], setup = {.start = 1000, .end = 1000 + 20074563, .thread = -1, .task = -1};
    int64_t now = 30 * MS;
    for (int i = 0; i < 5; i++) {
        calls[0][i] = (struct w_call){now + 1000, now + 1000 + assemble[i], 0, 0, -1, -1};
        calls[1][i] = (struct w_call){now, now + step[i], 0, 0, -1, -1};
        calls[2][i] = (struct w_call){now + 2000 + assemble[i], now + 2000 + assemble[i] + solve[i], 0, 0, -1, -1};
        now += step[i] + 1000;
    }
    const struct w_row rows[] = {
        {.region = 0, .calls = calls[0], .count = 5, .exclusive = -1, .line = 12, .file = "run.py", .tags = "[]"},
        {.region = 1, .calls = &setup, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
        {.region = 2, .calls = calls[1], .count = 5, .exclusive = -1, .line = -1, .file = "", .tags = "[\"t\"]"},
        {.region = 3, .calls = calls[2], .count = 5, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
    };
    const char *path = w_path("profiling_data.h5");
    w_write(path, &(struct w_file){.schema = 3,
                                   .summary = true,
                                   .names = names,
                                   .num_names = 4,
                                   .rows = rows,
                                   .num_rows = 4,
                                   .mpi_size = 1,
                                   .start_time_ns = 500});
    return open_profile(path);
}

static char *table_text(spr_profile *profile, const char *sort, const char *column_names, enum rows_tree tree,
                        size_t most) {
    struct rows rows;
    struct columns columns = {0};
    spr_error error;
    char *text = NULL, *unknown = NULL;
    size_t length = 0, key = 0;
    if (rows_build(profile, NULL, SPR_FULL, tree, &rows, &error)) fail_msg("%s", error.message);
    while (strcmp(rows_sort_keys[key], sort)) key++;
    rows_sort(&rows, key);
    if (column_names) assert_true(columns_add(&columns, column_names, &unknown));
    if (!column_names) columns = columns_default(&rows);
    struct sink sink = {open_memstream(&text, &length), 0};
    summary_table(&sink, &rows, &columns, most);
    summary_problems(&sink, profile, NULL, &rows);
    fclose(sink.stream);
    rows_free(&rows);
    return text;
}

static void the_table_of_the_page(void **state) {
    (void)state;
    spr_profile *profile = tutorial();
    assert_text(table_text(profile, "start", NULL, ROWS_TREE_AUTO, 0), "  ╭─────────────────────────────────╮\n"
                                                                       "  │ region              total [s]   │\n"
                                                                       "  ├─────────────────────────────────┤\n"
                                                                       "  │ setup               0.020075    │\n"
                                                                       "  │ timestep (5x)       0.051661    │\n"
                                                                       "  │ └─ (own)               0.000053 │\n"
                                                                       "  │ └─ assemble (5x)       0.036307 │\n"
                                                                       "  │ └─ solve (5x)          0.015301 │\n"
                                                                       "  ╰─────────────────────────────────╯\n"
                                                                       "\n");
    spr_close(profile);
}

static void sorted_and_flat(void **state) {
    (void)state;
    spr_profile *profile = tutorial();
    assert_text(
        table_text(profile, "total", "region,calls,avg,min,max,p50,ranks,imbalance", ROWS_TREE_NEVER, 0),
        "  ╭────────────────────────────────────────────────────────────────────────────────────────────────────────╮\n"
        "  │ region      n      avg/call [s]      min [s]      max [s]      p50 [s]      ranks      imbalance [%]   │\n"
        "  ├────────────────────────────────────────────────────────────────────────────────────────────────────────┤\n"
        "  │ timestep    5      1.033e-02         0.007        0.015        0.011        1          0.00            │\n"
        "  │ assemble    5      7.261e-03         0.004        0.012        0.008        1          0.00            │\n"
        "  │ setup       1      2.007e-02         0.020        0.020        0.020        1          0.00            │\n"
        "  │ solve       5      3.060e-03         0.003        0.003        0.003        1          0.00            │\n"
        "  ╰────────────────────────────────────────────────────────────────────────────────────────────────────────╯\n"
        "\n");
    assert_text(table_text(profile, "name", "region", ROWS_TREE_NEVER, 2), "  ╭───────────────╮\n"
                                                                           "  │ region        │\n"
                                                                           "  ├───────────────┤\n"
                                                                           "  │ assemble (5x) │\n"
                                                                           "  │ setup         │\n"
                                                                           "  ╰───────────────╯\n"
                                                                           "  and 2 more rows; inspect shows all\n"
                                                                           "\n");
    spr_close(profile);
}

/* session { a { a }, "" } : recursion, percentages, an empty name. */
static spr_profile *session(void) {
    static const char *const names[] = {"scope_profiler.session", "a", ""};
    static const struct w_call root = {0, 1000 * MS, 0, 0, -1, -1};
    static const struct w_call a[] = {{100 * MS, 600 * MS, 0, 0, -1, -1}, {200 * MS, 300 * MS, 0, 0, -1, -1}};
    static const struct w_call unnamed = {700 * MS, 750 * MS, 0, 0, -1, -1};
    const struct w_row rows[] = {
        {.region = 0, .calls = &root, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
        {.region = 1, .calls = a, .count = 2, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
        {.region = 2, .calls = &unnamed, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
    };
    const char *path = w_path("session.h5");
    w_write(
        path,
        &(struct w_file){
            .schema = 3, .summary = true, .names = names, .num_names = 3, .rows = rows, .num_rows = 3, .mpi_size = 1});
    return open_profile(path);
}

static void percentages_and_recursion(void **state) {
    (void)state;
    spr_profile *profile = session();
    assert_text(table_text(profile, "start", "region,percent,parent_percent", ROWS_TREE_AUTO, 0),
                "  ╭─────────────────────────────────────────────────────╮\n"
                "  │ region                    % session      % parent   │\n"
                "  ├─────────────────────────────────────────────────────┤\n"
                "  │ scope_profiler.session    100.00%        -          │\n"
                "  │ └─ (own)                     45.00%         45.00%  │\n"
                "  │ └─ a ↻ (2x)                  50.00%         50.00%  │\n"
                "  │ └─ (unnamed)                 5.00%          5.00%   │\n"
                "  ╰─────────────────────────────────────────────────────╯\n"
                "\n");
    char *text = table_text(profile, "start", NULL, ROWS_TREE_AUTO, 0);
    assert_non_null(strstr(text, "│ region                    % session      total [s]"));
    assert_non_null(strstr(text, "│ └─ a ↻ (2x)                  50.00%         0.500000 │")); /* not 0.6 */
    free(text);
    spr_close(profile);
}

static spr_profile *crossing(void) {
    static const char *const names[] = {"x", "y"};
    static const struct w_call x = {0, 20 * MS, 0, 0, -1, -1}, y = {10 * MS, 30 * MS, 0, 0, -1, -1};
    const struct w_row rows[] = {
        {.region = 0, .calls = &x, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
        {.region = 1, .rank = 2, .calls = &x, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
        {.region = 1, .calls = &y, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"},
    };
    const char *path = w_path("crossing.h5");
    const struct w_row sorted[] = {rows[0], rows[2], rows[1]};
    w_write(path, &(struct w_file){.schema = 3,
                                   .summary = true,
                                   .names = names,
                                   .num_names = 2,
                                   .rows = sorted,
                                   .num_rows = 3,
                                   .mpi_size = 4});
    return open_profile(path);
}

static void what_is_missing_is_said(void **state) {
    (void)state;
    spr_profile *profile = crossing();
    char *text = table_text(profile, "start", "region,ranks", ROWS_TREE_AUTO, 0);
    assert_non_null(strstr(text, "│ x           1       │\n"));
    assert_non_null(strstr(text, "│ y (2x)      2       │\n"));
    assert_null(strstr(text, "(own)"));
    assert_non_null(strstr(text, "\n  No call tree, one row a region: "));
    assert_non_null(strstr(text, "\n  2 of 4 ranks have data; none from rank 1, 3\n"));
    assert_non_null(strstr(text, "\n  Not on every rank: x (1 of 4 ranks), y (2 of 4 ranks)\n"));
    free(text);
    spr_close(profile);
}

static void notes_name_what_there_is(void **state) {
    (void)state;
    spr_profile *profile = tutorial();
    struct rows rows;
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(rows_build(profile, NULL, SPR_SUMMARY, ROWS_TREE_AUTO, &rows, NULL), 0);
    struct columns columns = columns_default(&rows);
    char *slash = strrchr(spr_path(profile), '/');
    char *directory = strndup(spr_path(profile), (size_t)(slash - spr_path(profile)));
    assert_int_equal(chdir(directory), 0);
    free(directory);
    struct sink sink = {open_memstream(&text, &length), 0};
    summary_notes(&sink, profile, &rows, &columns, available);
    fclose(sink.stream);
    assert_text(text, "  ╭─ Info ────────────────────────────────────────────────────────────────╮\n"
                      "  │ Summary: profiling_data.h5 (1 rank)                                   │\n"
                      "  │                                                                       │\n"
                      "  │ Explore:                                                              │\n"
                      "  │   Inspect: scope-profiler inspect profiling_data.h5                   │\n"
                      "  │                                                                       │\n"
                      "  │ Compare runs:                                                         │\n"
                      "  │   Diff:    scope-profiler diff BASE.h5 CANDIDATE.h5                   │\n"
                      "  │                                                                       │\n"
                      "  │ Durations are in seconds.                                             │\n"
                      "  │ Regions may nest, so the summed total can exceed the wall-clock time. │\n"
                      "  ╰───────────────────────────────────────────────────────────────────────╯\n"
                      "\n");
    text = NULL;
    sink = (struct sink){open_memstream(&text, &length), 40};
    summary_notes(&sink, profile, &rows, &columns, available);
    fclose(sink.stream);
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) assert_true(text_width(line) <= 40);
    free(text);
    rows_free(&rows);
    spr_close(profile);
}

static void heading_and_metadata(void **state) {
    (void)state;
    spr_profile *profile = tutorial();
    char *text = NULL;
    size_t length = 0;
    struct sink sink = {open_memstream(&text, &length), 0};
    frame_heading(&sink, profile);
    frame_metadata(&sink, profile, false);
    fclose(sink.stream);
    assert_int_equal(strspn(text, "="), 78);
    assert_non_null(strstr(text, "\n1 rank(s), 4 region(s), 0.0"));
    assert_non_null(strstr(text, " MiB, 0.0816636 s wall clock\n======"));
    assert_non_null(strstr(text, "\n\nMetadata\n"
                                 "  Run\n"
                                 "    start_time_ns    : 500\n"));
    assert_non_null(strstr(text, "  Parallelism\n"
                                 "    mpi_size         : 1\n"));
    assert_non_null(strstr(text, "  Other\n"
                                 "    finalize_time_ns : 10000000500\n"));
    free(text);
    spr_close(profile);
}

static void csv_quotes_what_it_must(void **state) {
    (void)state;
    static const char *const names[] = {"comma, \"quote\"", "line\nbreak", "plain"};
    static const struct w_call calls[] = {
        {0, 5 * MS, 0, 0, -1, -1}, {10 * MS, 15 * MS, 0, 0, -1, -1}, {20 * MS, 25 * MS, 0, 0, -1, -1}};
    struct w_row rows[3];
    for (uint32_t i = 0; i < 3; i++)
        rows[i] = (struct w_row){
            .region = i, .calls = &calls[i], .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"};
    const char *path = w_path("c.h5");
    w_write(path, &(struct w_file){
                      .schema = 3, .summary = true, .names = names, .num_names = 3, .rows = rows, .num_rows = 3});
    spr_profile *profile = open_profile(path);
    char *text = NULL, *expected = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(csv_regions(out, profile, NULL, SPR_FULL, NULL), 0);
    fclose(out);
    static const char values[] = "1,1,0.005,0.005,0.005,0.005,0.005,0.005,0.005,0,0.005,0.005,0.005,0,0.005";
    assert_true(asprintf(&expected,
                         "%s,\"comma, \"\"quote\"\"\",%s\r\n"
                         "%s,\"line\nbreak\",%s\r\n"
                         "%s,plain,%s\r\n",
                         path, values, path, values, path, values) > 0);
    assert_string_equal(text, expected);
    free(expected);
    free(text);
    spr_close(profile);
}

static void json_keeps_every_name(void **state) {
    (void)state;
    static const char *const names[] = {"\xff\xfe bad", "good"};
    static const struct w_call call = {0, 5 * MS, 0, 0, -1, -1};
    const struct w_row row = {
        .region = 0, .calls = &call, .count = 1, .exclusive = -1, .line = -1, .file = "", .tags = "[]"};
    const char *path = w_path("j.h5");
    w_write(
        path,
        &(struct w_file){
            .schema = 3, .summary = true, .names = names, .num_names = 2, .rows = &row, .num_rows = 1, .mpi_size = 1});
    spr_profile *profile = open_profile(path);
    json_t *object = json_profile(profile, NULL, ROWS_TREE_AUTO, NULL);
    assert_non_null(object);
    json_t *region = json_array_get(json_object_get(object, "regions"), 0);
    assert_string_equal(json_string_value(json_object_get(region, "name")), "\xef\xbf\xbd\xef\xbf\xbd bad");
    assert_string_equal(json_string_value(json_object_get(region, "name_base64")), "//4gYmFk");
    assert_true(json_real_value(json_object_get(region, "p99")) == 0.005);
    region = json_array_get(json_object_get(object, "regions"), 1); /* no calls: counts 0, the rest unknown */
    assert_int_equal(json_integer_value(json_object_get(region, "calls")), 0);
    assert_true(json_is_null(json_object_get(region, "average")));
    json_t *node = json_array_get(json_object_get(object, "tree"), 0);
    assert_int_equal(json_array_size(json_object_get(object, "tree")), 1);
    assert_int_equal(json_integer_value(json_object_get(node, "depth")), 0);
    assert_true(json_is_null(json_object_get(node, "parent")));
    json_decref(object);
    spr_close(profile);
}

static void columns_are_checked(void **state) {
    (void)state;
    struct columns columns = {0};
    char *unknown = NULL;
    assert_true(columns_add(&columns, "region,p95", &unknown));
    assert_true(columns_need_calls(&columns));
    assert_false(columns_add(&columns, "total,foo", &unknown));
    assert_text(unknown, "foo");
    assert_int_equal(columns.count, 2);
    columns.count = 0;
    assert_true(columns_add(&columns, "percent,parent_percent,total", &unknown));
    assert_false(columns_need_calls(&columns));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_page),     cmocka_unit_test(sorted_and_flat),
        cmocka_unit_test(percentages_and_recursion), cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(notes_name_what_there_is),  cmocka_unit_test(heading_and_metadata),
        cmocka_unit_test(csv_quotes_what_it_must),   cmocka_unit_test(json_keeps_every_name),
        cmocka_unit_test(columns_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
