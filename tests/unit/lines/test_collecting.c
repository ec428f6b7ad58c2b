/* Files of counters become line records; those that are cut short or lie do no harm. */
#include "../collect/collect_test.h"

#include <fcntl.h>
#include <unistd.h>

struct counted {
    struct fixture *f;
    struct make_process p;
};

static void start(struct counted *c, void **state) {
    struct make_lane lane;
    c->f = *state;
    make_process(&c->f->spool, &c->p, 1);
    make_region(&c->p, "r");
    make_lane(&c->p, &lane, 1000);
    make_begin(&lane, 2000, 1);
    make_end(&lane, 3000, 1);
    make_lane_write(&lane);
    make_process_write(&c->p);
}

static void put_function(const struct counted *c, uint32_t id, uint32_t first, uint32_t lines, const char *name,
                         const char *encoding, const char *source) {
    char body[4096];
    const char *const texts[] = {name, name, "f.py", encoding, source};
    struct spool_line_function about = {.id = id,
                                        .first_line = first,
                                        .first_counted = first + 1,
                                        .lines = lines,
                                        .source_first = first,
                                        .region_length = (uint32_t)strlen(name),
                                        .function_length = (uint32_t)strlen(name),
                                        .file_length = 4,
                                        .encoding_length = (uint32_t)strlen(encoding),
                                        .source_length = (uint32_t)strlen(source)};
    size_t at = sizeof about;
    memcpy(body, &about, sizeof about);
    for (size_t i = 0; i < 5; i++) {
        memcpy(body + at, texts[i], strlen(texts[i]));
        at += strlen(texts[i]);
    }
    make_record(&c->p, SPOOL_LINE_FUNCTION, body, (uint32_t)at);
}

/* A file with these words behind its head. */
static void put_words(const struct counted *c, unsigned number, const uint64_t *words, size_t count) {
    char path[600];
    const struct spool_lines head = {
        .magic = SPOOL_LINES_MAGIC, .version = SPOOL_VERSION, .number = number, .bytes = sizeof head + count * 8};
    snprintf(path, sizeof path, "%s/%s-%u.lines", c->f->spool.spool, c->p.id, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(words, 8, count, file), count);
    fclose(file);
}

#define BLOCK(function, lines) ((uint64_t)(lines) << 32 | (function)), UINT64_C(77)
#define WORDS(c, number, ...)                                                                                          \
    do {                                                                                                               \
        const uint64_t words_[] = {__VA_ARGS__};                                                                       \
        put_words(c, number, words_, sizeof words_ / 8);                                                               \
    } while (0)

static void sums(void **state) {
    struct counted c;
    start(&c, state);
    put_function(&c, 1, 10, 3, "first", "", "def first():\n    pass\n");
    put_function(&c, 2, 20, 2, "second", "latin-1", "x = '\xe9'\r\ny\r");
    put_function(&c, 3, 30, 1, "never", "", "");
    WORDS(&c, 0, BLOCK(1, 3), 2, 100, 0, 0, 1, 50, BLOCK(2, 2), 0, 5, 7, 70, BLOCK(1, 3), 3, 10, 1, 1, 0, 0, 0, 0);
    WORDS(&c, 1, BLOCK(1, 3), 0, 0, 0, 0, 9, 900, BLOCK(3, 1), 0, 0);
    hid_t file = collected(c.f);
    EXPECT(file, "rank0/line_profile/0/line_numbers", 11, 12, 13);
    EXPECT(file, "rank0/line_profile/0/hits", 5, 1, 10);
    EXPECT(file, "rank0/line_profile/0/times", 110, 1, 950);
    EXPECT(file, "rank0/line_profile/1/line_numbers", 22);
    EXPECT(file, "rank0/line_profile/1/hits", 7);
    assert_false(read_has(file, "rank0/line_profile/2"));
    assert_int_equal(read_attribute(file, "rank0/line_profile/0", "first_lineno"), 10);
    assert_int_equal(read_attribute(file, "rank0/line_profile/0", "source_first_lineno"), 10);
    char *text = read_attribute_text(file, "rank0/line_profile/1", "source");
    assert_string_equal(text, "x = 'é'\ny\n");
    free(text);
    text = read_attribute_text(file, "rank0/line_profile/1", "region");
    assert_string_equal(text, "second");
    free(text);
    assert_int_equal(c.f->result.num_notes, 0);
}

/* More than is read or written at once, and columns of more lines than lie in a header. */
static void many(void **state) {
    enum { FUNCTIONS = 1300, LINES = 7, LONG = 5000 };
    static uint64_t words[FUNCTIONS * (2 + 2 * LINES) + 2 + 2 * LONG];
    struct counted c;
    size_t at = 0;
    start(&c, state);
    for (uint32_t id = 1; id <= FUNCTIONS + 1; id++) {
        const uint32_t lines = id <= FUNCTIONS ? LINES : LONG;
        put_function(&c, id, 10 * id, lines, "f", "", "def f():\n    a\n    b\n    c\n");
        words[at++] = (uint64_t)lines << 32 | id;
        words[at++] = 77;
        for (uint32_t line = 0; line < lines; line++) {
            words[at++] = id + line;
            words[at++] = 1000 * id + line;
        }
    }
    put_words(&c, 0, words, at);
    hid_t file = collected(c.f);
    for (uint32_t i = 0; i <= FUNCTIONS; i++) {
        char path[64];
        snprintf(path, sizeof path, "rank0/line_profile/%u/hits", i);
        struct numbers hits = read_numbers(file, path);
        assert_int_equal(hits.count, i < FUNCTIONS ? LINES : LONG);
        for (size_t line = 0; line < hits.count; line++) assert_int_equal(hits.values[line], i + 1 + line);
        free(hits.values);
    }
    EXPECT(file, "rank0/line_profile/1299/times", 1300000, 1300001, 1300002, 1300003, 1300004, 1300005, 1300006);
    assert_false(read_has(file, "rank0/line_profile/1301"));
}

/* A process that counts and has nothing to count is in the profile all the same. */
static void nothing_counted(void **state) {
    struct fixture *f = *state;
    struct make_process p;
    make_process(&f->spool, &p, 1);
    make_process_write(&p);
    assert_int_equal(run_collect(f), COLLECT_NOTHING);
    fixture_stop(state);
    fixture_start(state);
    f = *state;
    make_process(&f->spool, &p, 1);
    make_record(&p, SPOOL_COUNTS_LINES, NULL, 0);
    make_process_write(&p);
    hid_t file = collected(f);
    assert_false(read_has(file, "rank0"));
}

static void lies(void **state) {
    struct counted c;
    start(&c, state);
    put_function(&c, 1, 10, 3, "first", "", "");
    put_function(&c, 7, 10, 3, "out of order", "", "");
    /* an unknown function, another number of lines than the log says, then one that is right */
    WORDS(&c, 0, BLOCK(9, 1), 5, 5, BLOCK(1, 2), 5, 5, 5, 5, BLOCK(1, 3), 1, 1, 1, 1, 1, 1);
    /* more counters than the file has */
    WORDS(&c, 1, BLOCK(1, 3), 8, 8, 8);
    WORDS(&c, 2, BLOCK(1, UINT32_MAX), 8, 8, 8);
    WORDS(&c, 3, BLOCK(1, 3), 1, 0, 0, 0, 0, 0);
    hid_t file = collected(c.f);
    EXPECT(file, "rank0/line_profile/0/hits", 2, 1, 1);
    assert_false(read_has(file, "rank0/line_profile/1"));
}

static void records_cut_short(void **state) {
    struct counted c;
    start(&c, state);
    struct spool_line_function about = {.id = 1, .lines = 1, .region_length = UINT32_MAX};
    make_record(&c.p, SPOOL_LINE_FUNCTION, &about, sizeof about);
    make_record(&c.p, SPOOL_LINE_FUNCTION, &about, 8);
    about = (struct spool_line_function){.id = 1, .lines = 0};
    make_record(&c.p, SPOOL_LINE_FUNCTION, &about, sizeof about);
    put_function(&c, 1, 10, UINT32_MAX, "huge", "no-such-encoding", "\xff\xfe(");
    WORDS(&c, 0, BLOCK(1, UINT32_MAX), 1, 1);
    hid_t file = collected(c.f);
    assert_false(read_has(file, "rank0/line_profile"));
    assert_true(read_has(file, "rank_region_index"));
}

/* Bytes of chance. */
static void noise(void **state) {
    uint64_t random = 2463534242u, words[512];
    for (int round = 0; round < 30; round++) {
        struct counted c;
        start(&c, state);
        put_function(&c, 1, 10, 3, "f", "", "");
        for (size_t i = 0; i < 512; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            words[i] = random % 3 ? random % 4 | (random >> 32 & 3) << 32 : random;
        }
        put_words(&c, 0, words, 512);
        collected(c.f);
        fixture_stop(state);
        fixture_start(state);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(many, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(nothing_counted, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(lies, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(records_cut_short, fixture_start, fixture_stop),
        cmocka_unit_test_setup_teardown(noise, fixture_start, fixture_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
