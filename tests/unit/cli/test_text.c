#include "check.h"

#include "base/path.h"
#include "base/suggest.h"
#include "commands/parse.h"
#include "render/table.h"
#include "render/text.h"

#include <unistd.h>

static void width_counts_columns(void **state) {
    (void)state;
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("solve"), 5);
    assert_int_equal(text_width("été"), 3);
    assert_int_equal(text_width("e\xcc\x81t"), 2); /* a combining accent */
    assert_int_equal(text_width("漢字"), 4);
    assert_int_equal(text_width("└─ "), 3);
}

static void names_are_made_fit_to_print(void **state) {
    (void)state;
    assert_text(text_shown(""), "(unnamed)");
    assert_text(text_shown("a\tb\nc\r"), "a\\tb\\nc\\r");
    assert_text(text_shown("\x1b[31mred"), "\\x1b[31mred");
    assert_text(text_shown("\xff\xfe bad"), "\\xff\\xfe bad");
    assert_text(text_shown("\xe2\x80\xae"
                           "abc"),
                "\\u202eabc"); /* would turn the line around */
    assert_text(text_shown("漢字 \"x\""), "漢字 \"x\"");
    assert_text(text_shown("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* a surrogate */
    assert_text(text_shown("\xc0\xaf"), "\\xc0\\xaf");          /* too long a form */
}

static void lossy_text_is_utf8(void **state) {
    (void)state;
    assert_text(text_lossy("a\xff"
                           "b漢"),
                "a\xef\xbf\xbd"
                "b漢");
    assert_text(text_lossy("\xe6\xbc"), "\xef\xbf\xbd\xef\xbf\xbd");
}

static void cutting_keeps_characters_whole(void **state) {
    (void)state;
    assert_text(text_cut("short", 5), "short");
    assert_text(text_cut("longer", 5), "long…");
    assert_text(text_cut("漢字漢字", 6), "漢字…");
    assert_text(text_cut("漢字漢字", 7), "漢字漢…");
    assert_text(text_cut("漢", 1), "…");
    assert_text(text_cut("x", 0), "");
}

static void table_is_cut_to_the_terminal(void **state) {
    (void)state;
    static const char *const headers[] = {"region", "total [s]"};
    struct table table = table_make(headers, 2);
    char *row[] = {strdup("a_name_that_is_far_too_long_for_it"), strdup("0.005000")};
    table_row(&table, row);
    for (size_t columns = 0; columns <= 40; columns += 40) {
        char *text = NULL;
        size_t length = 0;
        struct sink sink = {open_memstream(&text, &length), columns};
        table_print(&sink, &table, 0, TABLE_OPEN);
        fclose(sink.stream);
        if (columns)
            assert_string_equal(text, "  ╭────────────────────────────────────╮\n"
                                      "  │ region                 total [s]   │\n"
                                      "  ├────────────────────────────────────┤\n"
                                      "  │ a_name_that_is_far…    0.005000    │\n"
                                      "  ╰────────────────────────────────────╯\n");
        else
            assert_non_null(strstr(text, "│ a_name_that_is_far_too_long_for_it    0.005000    │\n"));
        free(text);
    }
    table_free(&table);
}

static char *printed(const struct table *table, size_t columns, enum table_style style) {
    char *text = NULL;
    size_t length = 0;
    struct sink sink = {open_memstream(&text, &length), columns};
    table_print(&sink, table, 0, style);
    fclose(sink.stream);
    return text;
}

static void numbers_are_never_cut(void **state) {
    (void)state;
    static const char *const headers[] = {"region", "total [s] (a)", "delta"};
    struct table table = table_make(headers, 3);
    char *row[] = {strdup("a_name_that_is_too_long"), strdup("0.123456789"), strdup("+1e-05")};
    table_row(&table, row);
    assert_text(printed(&table, 48, TABLE_GRID), "  ╭────────────────┬─────────────────┬─────────╮\n"
                                                 "  │ region         │ total [s] (a)   │ delta   │\n"
                                                 "  ├────────────────┼─────────────────┼─────────┤\n"
                                                 "  │ a_name_that_i… │ 0.123456789     │ +1e-05  │\n"
                                                 "  ╰────────────────┴─────────────────┴─────────╯\n");
    assert_text(printed(&table, 31, TABLE_GRID), "╭──────────┬───────────┬──────╮\n"
                                                 "│region    │total      │delta │\n"
                                                 "│          │[s] (a)    │      │\n"
                                                 "├──────────┼───────────┼──────┤\n"
                                                 "│a_name_th…│0.123456789│+1e-05│\n"
                                                 "╰──────────┴───────────┴──────╯\n");
    assert_text(printed(&table, 31, TABLE_OPEN), "╭─────────────────────────────╮\n"
                                                 "│region    total        delta │\n"
                                                 "│          [s] (a)            │\n"
                                                 "├─────────────────────────────┤\n"
                                                 "│a_name_…  0.123456789  +1e-05│\n"
                                                 "╰─────────────────────────────╯\n");
    assert_text(printed(&table, 28, TABLE_GRID), "  region a_name_that_is_too…\n"
                                                 "    total [s] (a)  0.123456789\n"
                                                 "    delta          +1e-05\n");
    table_free(&table);
}

static void paths_are_shown_for_a_shell(void **state) {
    (void)state;
    assert_text(path_quoted("a/b-c.h5"), "a/b-c.h5");
    assert_text(path_quoted("r 1.h5"), "'r 1.h5'");
    assert_text(path_quoted("it's"), "'it'\"'\"'s'");
    assert_text(path_quoted(""), "''");
    assert_int_equal(chdir("/usr/bin"), 0);
    assert_text(path_relative("/usr/bin/x.h5"), "x.h5");
    assert_text(path_relative("/usr/lib/x.h5"), "../lib/x.h5");
    assert_text(path_relative("/usr/bin2/x.h5"), "../bin2/x.h5");
    assert_text(path_relative("/x.h5"), "../../x.h5");
    assert_text(path_relative("/usr"), "..");
    assert_text(path_relative("plain"), "plain");
    assert_text(path_absolute("x"), "/usr/bin/x");
    assert_int_equal(chdir("/"), 0);
    assert_text(path_relative("/tmp/x.h5"), "tmp/x.h5");
    assert_text(path_absolute("x"), "/x");
}

static void words_that_are_near_are_suggested(void **state) {
    (void)state;
    static const char *const words[] = {"run", "inspect", "collect"};
    assert_string_equal(suggest("inpsect", words, 3), "inspect");
    assert_string_equal(suggest("insp", words, 3), "inspect");
    assert_string_equal(suggest("rnu", words, 3), "run");
    assert_null(suggest("banana", words, 3));
    assert_null(suggest("", words, 3));
}

static void ranks_are_lists_of_ranges(void **state) {
    (void)state;
    struct rank_ranges ranges = {0};
    assert_true(parse_ranks("0,2,4-7", &ranges));
    assert_int_equal(ranges.count, 3);
    assert_int_equal(ranges.items[2].first, 4);
    assert_int_equal(ranges.items[2].last, 7);
    static const char *const bad[] = {"", "0-", "3-1", "x", "1,", ",1", "-1", "1 2", "4294967296", "1--2"};
    for (size_t i = 0; i < COUNT(bad); i++) assert_false(parse_ranks(bad[i], &ranges));
    free(ranges.items);
    int level = -1;
    assert_true(parse_compress(NULL, &level));
    assert_int_equal(level, 4);
    assert_true(parse_compress("9", &level));
    assert_int_equal(level, 9);
    assert_false(parse_compress("10", &level));
    assert_false(parse_compress("", &level));
    assert_false(parse_compress("x", &level));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_counts_columns),         cmocka_unit_test(names_are_made_fit_to_print),
        cmocka_unit_test(lossy_text_is_utf8),           cmocka_unit_test(cutting_keeps_characters_whole),
        cmocka_unit_test(table_is_cut_to_the_terminal), cmocka_unit_test(numbers_are_never_cut),
        cmocka_unit_test(paths_are_shown_for_a_shell),  cmocka_unit_test(words_that_are_near_are_suggested),
        cmocka_unit_test(ranks_are_lists_of_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
