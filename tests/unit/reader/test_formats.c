/* JSON profiles and native traces: what they say, and what is wrong with bad ones. */
#include "check.h"

#include <byteswap.h>
#include <zlib.h>

/* ---- files ------------------------------------------------------------------------------------------------------ */

static const char *write_bytes(const char *name, const void *bytes, size_t count) {
    const char *path = w_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *write_text(const char *name, const char *text) { return write_bytes(name, text, strlen(text)); }

static const char *write_packed(const char *name, const char *text, size_t length) {
    const char *path = w_path(name);
    gzFile file = gzopen(path, "wb9");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

#define HEAD "\"format\":\"scope-profiler-profile\",\"format_version\":1,\"time_unit\":\"nanoseconds\""

static const char *const document =
    "{" HEAD ",\"exporter\":\"x@1\",\"num_ranks\":3,\"event_data_available\":true,\n"
    "\"metadata\":{\"mpi_size\":3,\"label\":\"caf\\u00e9 \\ud83d\\ude00 \\udcff\",\"load\":0.5,\"modules\":[\"a\",\"b\"],"
    "\"nested\":{\"a\":[1,{}]},\"none\":null,\"start_time_ns\":5,\"empty\":[]},\n"
    "\"regions\":["
    "{\"name\":\"solve\",\"rank\":0,\"source_file\":\"solver.py\",\"source_lineno\":7,\"source_text\":\"x\\ny\","
    "\"tags\":[\"golden\",\"b\"],\"start_times_ns\":[10,20,40],\"end_times_ns\":[15,33,55],\"call_ids\":[0,1,3],"
    "\"parent_ids\":[-1,-1,-1],\"thread_ids\":[0,0,1],\"exclusive_total_ns\":31,\"unknown\":[[[]]]},\n"
    "{\"end_times_ns\":[24],\"start_times_ns\":[22],\"rank\":0,\"name\":\"in/ner\",\"thread_ids\":[0]},"
    "{\"name\":\"solve\",\"rank\":2,\"start_times_ns\":[11],\"end_times_ns\":[12]},"
    "{\"name\":\"never\",\"rank\":1,\"start_times_ns\":[],\"end_times_ns\":[]}],\n"
    "\"threads\":{\"0\":[{\"index\":0,\"name\":\"main\",\"daemon\":false,\"start_ns\":1},{\"index\":1,\"daemon\":true}]},"
    "\"tasks\":{\"0\":[{\"index\":0,\"kind\":\"asyncio-task\",\"coro_name\":\"go\",\"steps\":4}]},"
    "\"processes\":{\"0\":[{\"pid\":77,\"command\":\"app\",\"ended\":\"exit 3\",\"complete\":true,\"node\":1}]},"
    "\"problems\":{\"0\":[{\"region\":\"late\",\"kind\":1,\"count\":2,\"open_ns\":9},{\"kind\":3,\"count\":5}]},"
    "\"line_profile\":{\"2\":[{\"region\":\"r\",\"function\":\"f\",\"filename\":\"f.py\",\"first_lineno\":4,"
    "\"line_numbers\":[6,5],\"hits\":[2,1],\"times\":[20,1.5],\"unit\":0.001}],\"0\":[{\"function\":\"g\","
    "\"line_numbers\":[],\"hits\":[],\"times\":[],\"source\":\"def g\"}]}}\n";

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void check_regions(spr_profile *profile) {
    size_t first, count;
    assert_int_equal(spr_num_regions(profile), 4);
    assert_string_equal(spr_region_name(profile, 0), "solve");
    assert_string_equal(spr_region_name(profile, 1), "in/ner");
    assert_string_equal(spr_region_name(profile, 2), "never");
    assert_string_equal(spr_region_name(profile, 3), "late");
    spr_region_rows(profile, 0, &first, &count);
    assert_int_equal(count, 2);
    const spr_row *row = spr_row_at(profile, first);
    assert_int_equal(row->calls, 3);
    assert_int_equal(row->exclusive_ns, 31);
    assert_string_equal(row->source_file, "solver.py");
    assert_int_equal(row->source_line, 7);
    assert_string_equal(row->source_text, "x\ny");
    assert_int_equal(row->num_tags, 2);
    assert_string_equal(row->tags[1], "b");
    int64_t start[3], end[3], thread[3], task[3];
    assert_int_equal(spr_read_calls(profile, first, 0, 3, start, end, thread, task, NULL), SPR_OK);
    assert_int_equal(start[2], 40);
    assert_int_equal(end[1], 33);
    assert_int_equal(thread[2], 1);
    assert_int_equal(task[0], -1);
    assert_int_equal(spr_row_at(profile, first + 1)->rank, 2);
    assert_int_equal(spr_row_at(profile, first + 1)->exclusive_ns, -1);
    spr_stats stats;
    assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
    assert_near(stats.total * 1e9, 34);
    assert_near(stats.p50 * 1e9, 9);
    assert_int_equal(spr_num_ranks(profile), 3);
    spr_tree tree;
    assert_int_equal(spr_tree_build(profile, NULL, SPR_SUMMARY, &tree, NULL), SPR_OK);
    assert_int_equal(tree.count, 2);
    assert_int_equal(tree.nodes[1].depth, 1);
    spr_tree_free(&tree);
}

static void check_tables(spr_profile *profile) {
    assert_string_equal(spr_metadata(profile, "label")->text, "caf\xc3\xa9 \xf0\x9f\x98\x80 \xff");
    assert_near(spr_metadata(profile, "load")->real, 0.5);
    assert_int_equal(spr_metadata(profile, "modules")->count, 2);
    assert_int_equal(spr_metadata(profile, "empty")->count, 0);
    assert_int_equal(spr_metadata(profile, "empty")->kind, SPR_TEXT_LIST);
    assert_null(spr_metadata(profile, "none"));
    assert_null(spr_metadata(profile, "nested"));
    assert_int_equal(spr_num_threads(profile), 2);
    assert_string_equal(spr_thread_at(profile, 0)->name, "main");
    assert_int_equal(spr_thread_at(profile, 1)->daemon, 1);
    assert_int_equal(spr_thread_at(profile, 1)->cpu_ns, -1);
    assert_int_equal(spr_num_tasks(profile), 1);
    assert_string_equal(spr_task_at(profile, 0)->coro_name, "go");
    assert_int_equal(spr_task_at(profile, 0)->steps, 4);
    assert_int_equal(spr_process_at(profile, 0)->pid, 77);
    assert_true(spr_process_at(profile, 0)->complete);
    assert_int_equal(spr_num_problems(profile), 2);
    assert_string_equal(spr_region_name(profile, spr_problem_at(profile, 0)->region), "late");
    assert_int_equal(spr_problem_at(profile, 0)->kind, SPR_CUT_OFF);
    assert_int_equal(spr_problem_at(profile, 1)->region, SIZE_MAX);
    spr_line_profile lines;
    assert_int_equal(spr_lines_read(profile, NULL, &lines, NULL), SPR_OK);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.records[0].function, "g");
    assert_string_equal(lines.records[0].source, "def g");
    assert_int_equal(lines.records[1].rank, 2);
    assert_int_equal(lines.records[1].lines[0].number, 5);
    assert_near(lines.records[1].lines[0].seconds, 0.0015);
    assert_near(lines.records[1].lines[1].seconds, 0.02);
    spr_lines_free(&lines);
}

static void check_document(const char *path) {
    spr_profile *profile = open_good(path);
    assert_int_equal(spr_format(profile), SPR_JSON);
    assert_int_equal(spr_schema(profile), 1);
    assert_false(spr_is_aggregate(profile));
    check_regions(profile);
    check_tables(profile);
    spr_close(profile);
}

static void test_json(void **state) {
    (void)state;
    check_document(write_text("good.h5", document)); /* the name says nothing */
    check_document(write_packed("good.json.gz", document, strlen(document)));
}

static void test_json_written(void **state) {
    (void)state;
    static const char *const names[] = {"again.json", "again.JSON.GZ", "again.h5"};
    spr_profile *profile = open_good(write_text("original.json", document));
    for (size_t i = 0; i < W_COUNT(names); i++) {
        spr_error error;
        const spr_write_options options = {.indent = (int)i * 2, .compress = 4};
        char *path = strdup(w_path(names[i]));
        if (spr_write(&profile, 1, path, &options, &error) != SPR_OK) fail_msg("%s", error.message);
        spr_profile *copy = open_good(path);
        assert_int_equal(spr_format(copy), i < 2 ? SPR_JSON : SPR_HDF5);
        check_tables(copy);
        spr_stats stats;
        assert_int_equal(spr_region_stats(copy, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
        assert_near(stats.total * 1e9, 34);
        assert_near(stats.exclusive * 1e9, 32);
        spr_close(copy);
        free(path);
    }
    spr_close(profile);
}

static void test_json_aggregate(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{" HEAD ",\"regions\":[{\"name\":\"a\",\"rank\":1,\"aggregate\":{\"count\":4,\"total\":100,\"minimum\":10,"
        "\"maximum\":40,\"exclusive\":60}}]}",
        "{" HEAD ",\"event_data_available\":false,\"regions\":[{\"name\":\"a\",\"rank\":1,\"aggregate\":{\"count\":4,"
        "\"total\":100,\"minimum\":10,\"maximum\":40,\"exclusive\":60,\"first\":10,\"last\":40,\"start_minimum\":5,"
        "\"end_maximum\":500,\"gpu_count\":0,\"gpu_total\":0,\"mean\":25.0,\"m2\":500.0}}]}"};
    for (size_t i = 0; i < 2; i++) {
        spr_profile *profile = open_good(write_text("aggregate.json", texts[i]));
        spr_stats stats;
        spr_error error;
        assert_true(spr_is_aggregate(profile));
        assert_int_equal(spr_region_stats(profile, 0, NULL, SPR_FULL, &stats, NULL), SPR_OK);
        assert_int_equal(stats.calls, 4);
        assert_near(stats.exclusive * 1e9, 60);
        assert_nan(stats.p50);
        if (i) assert_near(stats.std * 1e9, sqrt(125));
        if (!i) assert_nan(stats.std);
        spr_tree tree;
        assert_int_equal(spr_tree_build(profile, NULL, SPR_FULL, &tree, &error), SPR_NO_EVENTS);
        assert_int_equal(spr_read_calls(profile, 0, 0, 1, NULL, NULL, NULL, NULL, &error), SPR_NO_EVENTS);
        spr_profile *copy;
        assert_int_equal(spr_write(&profile, 1, w_path("aggregate.h5"), NULL, NULL), SPR_OK);
        copy = open_good(w_path("aggregate.h5"));
        assert_true(spr_is_aggregate(copy));
        assert_int_equal(spr_region_stats(copy, 0, NULL, SPR_SUMMARY, &stats, NULL), SPR_OK);
        assert_near(stats.total * 1e9, 100);
        spr_close(copy);
        spr_close(profile);
    }
}

/* Many calls go to a file without a name. */
static void test_json_many(void **state) {
    (void)state;
    enum { MANY = 1500000 };
    const char *path = w_path("many.json");
    FILE *file = fopen(path, "w");
    fprintf(file, "{" HEAD ",\"regions\":[{\"name\":\"a\",\"rank\":0,\"start_times_ns\":[0");
    for (int i = 1; i < MANY; i++) fprintf(file, ",%d", 3 * i);
    fprintf(file, "],\"end_times_ns\":[1");
    for (int i = 1; i < MANY; i++) fprintf(file, ",%d", 3 * i + 1 + i % 2);
    fprintf(file, "]}]}");
    fclose(file);
    spr_profile *profile = open_good(path);
    spr_stats stats;
    assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
    assert_int_equal(stats.calls, MANY);
    assert_near(stats.total * 1e9, MANY + MANY / 2);
    assert_near(stats.last_end * 1e9, 3.0 * (MANY - 1) + 2);
    spr_close(profile);
}

static void test_json_damage(void **state) {
    (void)state;
#define REGION(inner) "{" HEAD ",\"regions\":[{" inner "}]}"
    static const struct {
        const char *text;
        int status;
        const char *cause;
    } cases[] = {
        {"{}", SPR_NOT_PROFILE, "JSON, but not a profile"},
        {"{\"a\":1}", SPR_NOT_PROFILE, "JSON, but not a profile"},
        {"{\"format\":\"speedscope\"}", SPR_NOT_PROFILE, "its format is 'speedscope'"},
        {"{\"format\":\"scope-profiler-profile\",\"format_version\":2}", SPR_NEWER, "JSON format 2"},
        {"{\"format\":\"scope-profiler-profile\",\"format_version\":0}", SPR_DAMAGED, "no version"},
        {"{\"format\":\"scope-profiler-profile\",\"format_version\":1,\"time_unit\":\"s\"}", SPR_DAMAGED, "time_unit"},
        {"{" HEAD, SPR_DAMAGED, "too early"},
        {"{" HEAD "} x", SPR_DAMAGED, "after the document"},
        {"{" HEAD ",}", SPR_DAMAGED, "a comma before the end"},
        {"{" HEAD ",\"a\":[1 2]}", SPR_DAMAGED, "no comma"},
        {"{" HEAD ",\"a\":01}", SPR_DAMAGED, "a wrong number"},
        {"{" HEAD ",\"a\":nan}", SPR_DAMAGED, "a wrong word"},
        {"{" HEAD ",\"a\":NaN}", SPR_DAMAGED, "a wrong number"},
        {"{" HEAD ",\"a\":\"\x01\"}", SPR_DAMAGED, "a control character"},
        {"{" HEAD ",\"a\":\"\\x\"}", SPR_DAMAGED, "a wrong escape"},
        {"{" HEAD ",\"a\":\"\\u0000\"}", SPR_DAMAGED, "NUL"},
        {"{" HEAD ",\"regions\":{}}", SPR_DAMAGED, "'regions' is not an array"},
        {REGION("\"rank\":0"), SPR_DAMAGED, "has no name"},
        {REGION("\"name\":\"a\""), SPR_DAMAGED, "has no rank"},
        {REGION("\"name\":\"a\",\"rank\":-2"), SPR_DAMAGED, "has no rank"},
        {REGION("\"name\":7,\"rank\":0"), SPR_DAMAGED, "'name' is not a string"},
        {REGION("\"name\":\"a\",\"rank\":0"), SPR_DAMAGED, "has no start_times_ns"},
        {REGION("\"name\":\"a\",\"rank\":0,\"start_times_ns\":[1],\"end_times_ns\":[1,2]"), SPR_DAMAGED, "2 calls"},
        {REGION("\"name\":\"a\",\"rank\":0,\"start_times_ns\":[1.5],\"end_times_ns\":[2]"), SPR_DAMAGED,
         "not an integer"},
        {REGION("\"name\":\"a\",\"rank\":0,\"start_times_ns\":[9223372036854775808],\"end_times_ns\":[2]"), SPR_DAMAGED,
         "not an integer"},
        {REGION("\"name\":\"a\",\"rank\":0,\"aggregate\":{\"count\":1}"), SPR_DAMAGED, "lacks a number"},
        {REGION("\"name\":\"a\",\"rank\":0,\"aggregate\":{\"count\":1,\"total\":1,\"minimum\":2,\"maximum\":1,"
                "\"exclusive\":0}"),
         SPR_DAMAGED, "contradicts itself"},
        {REGION("\"name\":\"a\",\"rank\":0,\"start_times_ns\":[1],\"end_times_ns\":[2]},{\"name\":\"a\",\"rank\":0,"
                "\"start_times_ns\":[1],\"end_times_ns\":[2]"),
         SPR_DAMAGED, "two rows"},
        {"{" HEAD ",\"threads\":{\"x\":[]}}", SPR_DAMAGED, "no rank"},
        {"{" HEAD ",\"line_profile\":{\"0\":[{\"line_numbers\":[1],\"hits\":[],\"times\":[]}]}}", SPR_DAMAGED,
         "length"},
    };
    for (size_t i = 0; i < W_COUNT(cases); i++)
        assert_bad(write_text("bad.json", cases[i].text), cases[i].status, cases[i].cause);

    char *deep = malloc(200000);
    memset(deep, '[', 200000);
    memcpy(deep, "{\"a\":", 5);
    assert_bad(write_bytes("deep.json", deep, 200000), SPR_DAMAGED, "too deep");
    free(deep);

    spr_profile *profile = open_good(
        write_text("backwards.json", REGION("\"name\":\"a\",\"rank\":0,\"start_times_ns\":[5],\"end_times_ns\":[4]")));
    spr_stats stats;
    spr_error error;
    assert_int_equal(spr_row_stats(profile, 0, SPR_SUMMARY, &stats, &error), SPR_DAMAGED);
    assert_message(&error, "backwards.json", "ends before it begins");
    spr_close(profile);
}

/* Every prefix says so, none is taken for the whole. */
static void test_json_prefixes(void **state) {
    (void)state;
    const size_t length = strlen(document) - 1; /* without the last newline */
    for (size_t cut = 1; cut < length; cut += cut < 200 ? 1 : 7) {
        spr_profile *profile;
        spr_error error;
        assert_int_equal(spr_open(write_bytes("cut.json", document, cut), &profile, &error), SPR_DAMAGED);
        assert_message(&error, "cut.json", "truncated");
    }
    write_packed("whole.json.gz", document, length);
    char packed[8192];
    FILE *file = fopen(w_path("whole.json.gz"), "rb");
    const size_t size = fread(packed, 1, sizeof packed, file);
    fclose(file);
    for (size_t cut = 10; cut < size; cut += 13) {
        spr_profile *profile;
        spr_error error;
        assert_int_equal(spr_open(write_bytes("cut.json.gz", packed, cut), &profile, &error), SPR_DAMAGED);
        assert_message(&error, "cut.json.gz", "truncated");
    }
    packed[size / 2] ^= 0x55;
    spr_error error;
    spr_profile *profile;
    assert_int_equal(spr_open(write_bytes("flipped.json.gz", packed, size), &profile, &error), SPR_DAMAGED);
}

/* A small file that unpacks to a huge one. */
static void test_json_bomb(void **state) {
    (void)state;
    enum { SIZE = 64 << 20 };
    char *text = malloc(SIZE);
    memset(text, ' ', SIZE);
    memcpy(text, "{\"a\":", 5);
    assert_bad(write_packed("bomb.json.gz", text, SIZE), SPR_DAMAGED, "more than 200 times");
    free(text);
}

/* ---- native traces ---------------------------------------------------------------------------------------------- */

struct trace {
    unsigned char bytes[512];
    size_t size;
    bool swap;
};

static void put_32(struct trace *trace, int32_t value) {
    if (trace->swap) value = (int32_t)bswap_32((uint32_t)value);
    memcpy(trace->bytes + trace->size, &value, sizeof value);
    trace->size += sizeof value;
}

static void put_64(struct trace *trace, int64_t value) {
    if (trace->swap) value = (int64_t)bswap_64((uint64_t)value);
    memcpy(trace->bytes + trace->size, &value, sizeof value);
    trace->size += sizeof value;
}

static void put_name(struct trace *trace, const char *name) {
    put_32(trace, (int32_t)strlen(name));
    memcpy(trace->bytes + trace->size, name, strlen(name));
    trace->size += strlen(name);
}

static struct trace make_trace(int32_t version, int32_t rank, bool swap) {
    struct trace trace = {.swap = swap};
    memcpy(trace.bytes, "SCOPEPRF", 8);
    trace.size = 8;
    put_32(&trace, version);
    put_32(&trace, rank);
    put_64(&trace, 2);
    static const char *const names[] = {"solve", "empty"};
    for (int i = 0; i < 2; i++) {
        put_name(&trace, names[i]);
        if (version == 2) put_name(&trace, i ? "" : "solver.c");
        if (version == 2) put_32(&trace, i ? -1 : 7);
        put_64(&trace, i ? 0 : 3);
        static const int64_t times[] = {10, 20, 40, 15, 33, 55};
        for (int k = 0; !i && k < 6; k++) put_64(&trace, times[k]);
    }
    return trace;
}

static void test_native(void **state) {
    (void)state;
    for (int32_t version = 1; version <= 2; version++)
        for (int swap = 0; swap < 2; swap++) {
            const struct trace trace = make_trace(version, 4, swap);
            spr_profile *profile = open_good(write_bytes("good.spt", trace.bytes, trace.size));
            assert_int_equal(spr_format(profile), SPR_NATIVE);
            assert_int_equal(spr_schema(profile), version);
            assert_int_equal(spr_num_ranks(profile), 5);
            assert_int_equal(spr_num_regions(profile), 2);
            assert_int_equal(spr_num_rows(profile), 1);
            const spr_row *row = spr_row_at(profile, 0);
            assert_int_equal(row->rank, 4);
            assert_int_equal(row->source_line, version == 2 ? 7 : -1);
            if (version == 2) assert_string_equal(row->source_file, "solver.c");
            if (version == 1) assert_null(row->source_file);
            assert_int_equal(spr_metadata(profile, "start_time_ns")->integer, 10);
            spr_stats stats;
            assert_int_equal(spr_row_stats(profile, 0, SPR_FULL, &stats, NULL), SPR_OK);
            assert_near(stats.total * 1e9, 33);
            assert_near(stats.exclusive * 1e9, 33);
            spr_close(profile);
        }
}

static void test_native_damage(void **state) {
    (void)state;
    const struct trace whole = make_trace(2, 0, false);
    for (size_t cut = 8; cut < whole.size; cut++)
        assert_bad(write_bytes("cut.spt", whole.bytes, cut), SPR_DAMAGED, "truncated");
    struct trace bad = whole;
    bad.bytes[bad.size++] = 0;
    assert_bad(write_bytes("bad.spt", bad.bytes, bad.size), SPR_DAMAGED, "1 bytes are left");
    static const struct {
        size_t at;
        int32_t value;
        int status;
        const char *cause;
    } cases[] = {{8, 3, SPR_NEWER, "version 3"},
                 {12, -1, SPR_DAMAGED, "negative rank"},
                 {16, 1000, SPR_DAMAGED, "more regions"},
                 {20, -1, SPR_DAMAGED, "more regions"},
                 {24, -5, SPR_DAMAGED, "negative length"},
                 {24, 1 << 30, SPR_DAMAGED, "truncated"},
                 {49, 1 << 28, SPR_DAMAGED, "truncated"},
                 {53, -1, SPR_DAMAGED, "negative number"},
                 {28, 0, SPR_DAMAGED, "NUL"}};
    for (size_t i = 0; i < W_COUNT(cases); i++) {
        bad = whole;
        memcpy(bad.bytes + cases[i].at, &cases[i].value, sizeof cases[i].value);
        assert_bad(write_bytes("bad.spt", bad.bytes, bad.size), cases[i].status, cases[i].cause);
    }
    assert_bad(write_text("page.html", "<!doctype html><p>x"), SPR_NOT_PROFILE, "HTML");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),      cmocka_unit_test(test_json_written), cmocka_unit_test(test_json_aggregate),
        cmocka_unit_test(test_json_many), cmocka_unit_test(test_json_damage),  cmocka_unit_test(test_json_prefixes),
        cmocka_unit_test(test_json_bomb), cmocka_unit_test(test_native),       cmocka_unit_test(test_native_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
