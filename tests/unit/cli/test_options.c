#include "check.h"

#include "base/options.h"

#include <fcntl.h>
#include <unistd.h>

enum { LEVEL = OPTION_LONG, QUIET };

static const struct option_spec table[] = {
    {'o', "outfile", "FILE", "the file"},
    {LEVEL, "level", "[N]", "a level"},
    {QUIET, "quiet", NULL, "no words"},
    {'m', NULL, "MODULE", "a module"},
    {0},
};
static const struct command_syntax late = {.name = "late", .usage = "...", .summary = "Does.", .options = table};
static const struct command_syntax early = {
    .name = "early", .usage = "...", .summary = "Does.", .options = table, .stop_early = true};

/* What options_next() says on stderr while `argv` is read; the keys go to `keys`, the first value to *value. */
static char said[1024];
static size_t read_all(const struct command_syntax *syntax, char **argv, int *keys, const char **value) {
    int argc = 0, saved = dup(2), words[2];
    size_t count = 0;
    const char *one;
    while (argv[argc]) argc++;
    assert_int_equal(pipe(words), 0);
    dup2(words[1], 2);
    optind = 0;
    *value = NULL;
    do {
        keys[count] = options_next(syntax, argc, argv, &one);
        if (!count) *value = one;
    } while (keys[count++] >= 0);
    dup2(saved, 2);
    close(words[1]);
    ssize_t length = read(words[0], said, sizeof said - 1);
    said[length > 0 ? length : 0] = '\0';
    close(words[0]);
    close(saved);
    return count;
}

static void options_stand_between_words(void **state) {
    (void)state;
    char *argv[] = {"late", "a.h5", "-o", "x", "b.h5", "--quiet", NULL};
    const char *value;
    int keys[8];
    assert_int_equal(read_all(&late, argv, keys, &value), 3);
    assert_int_equal(keys[0], 'o');
    assert_string_equal(value, "x");
    assert_int_equal(keys[1], QUIET);
    assert_int_equal(keys[2], OPTIONS_END);
    assert_string_equal(argv[optind], "a.h5");
    assert_string_equal(argv[optind + 1], "b.h5");
}

static void a_programs_options_are_its_own(void **state) {
    (void)state;
    char *argv[] = {"early", "--quiet", "./app", "-o", "x", "--no-such", NULL};
    const char *value;
    int keys[8];
    assert_int_equal(read_all(&early, argv, keys, &value), 2);
    assert_int_equal(keys[0], QUIET);
    assert_string_equal(argv[optind], "./app");
    assert_string_equal(said, "");
    char *dashes[] = {"early", "--", "--quiet", NULL};
    assert_int_equal(read_all(&early, dashes, keys, &value), 1);
    assert_string_equal(dashes[optind], "--quiet");
}

static void a_value_can_be_optional(void **state) {
    (void)state;
    char *with[] = {"late", "--level=7", NULL}, *without[] = {"late", "--level", "7", NULL};
    const char *value;
    int keys[8];
    read_all(&late, with, keys, &value);
    assert_int_equal(keys[0], LEVEL);
    assert_string_equal(value, "7");
    read_all(&late, without, keys, &value);
    assert_int_equal(keys[0], LEVEL);
    assert_null(value);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *word, *said;
    } cases[] = {
        {"--quite", "scope-profiler: late: no option --quite; did you mean --quiet?\n"},
        {"--nonsense", "scope-profiler: late: no option --nonsense; scope-profiler late --help lists them\n"},
        {"-Z", "scope-profiler: late: no option -Z; scope-profiler late --help lists them\n"},
        {"--quiet=3", "scope-profiler: late: option --quiet takes no value\n"},
        {"--outfile", "scope-profiler: late: option --outfile needs a value\n"},
        {"-o", "scope-profiler: late: option --outfile needs a value\n"},
        {"-m", "scope-profiler: late: option -m needs a value\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *argv[] = {"late", (char *)cases[i].word, NULL};
        const char *value;
        int keys[8];
        read_all(&late, argv, keys, &value);
        assert_int_equal(keys[0], OPTIONS_BAD);
        if (strncmp(said, cases[i].said, strlen(cases[i].said))) fail_msg("%s: said %s", cases[i].word, said);
        assert_string_equal(said + strlen(cases[i].said), "usage: scope-profiler late ...\n");
    }
}

static void help_shows_the_table(void **state) {
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    options_help(&late, out);
    fclose(out);
    assert_text(text, "usage: scope-profiler late ...\n"
                      "\n"
                      "Does.\n"
                      "\n"
                      "  -o, --outfile FILE       the file\n"
                      "      --level[=N]          a level\n"
                      "      --quiet              no words\n"
                      "  -m MODULE                a module\n"
                      "  -h, --help               this text\n");
}

/* Whatever the line breaks of the text: a terminal has 80 columns. */
static void help_fits_a_terminal(void **state) {
    (void)state;
    static const struct option_spec options[] = {
        {'o', "outfile", "FILE", "words that go on and on\nand on until the line that they stand on has become full"},
        {0},
    };
    const struct command_syntax syntax = {.name = "wide",
                                          .usage = "...",
                                          .summary = "One sentence that is longer than the eighty columns that a "
                                                     "terminal has from its left to its right.",
                                          .options = options,
                                          .footer = "First.\nStill.\n\nSecond."};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    options_help(&syntax, out);
    fclose(out);
    assert_text(text, "usage: scope-profiler wide ...\n"
                      "\n"
                      "One sentence that is longer than the eighty columns that a terminal has from its\n"
                      "left to its right.\n"
                      "\n"
                      "  -o, --outfile FILE       words that go on and on and on until the line that\n"
                      "                           they stand on has become full\n"
                      "  -h, --help               this text\n"
                      "\n"
                      "First. Still.\n"
                      "\n"
                      "Second.\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_stand_between_words), cmocka_unit_test(a_programs_options_are_its_own),
        cmocka_unit_test(a_value_can_be_optional),     cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(help_shows_the_table),        cmocka_unit_test(help_fits_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
