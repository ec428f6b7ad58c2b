/* Places and source texts of regions: what goes into a profile of a path, and which lines belong to a marker. */
#include "capture.h"
#include "place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void minimal(const char *directory, const char *path, const char *expected) {
    struct process p = {.directory = (char *)directory};
    size_t length = strlen(path);
    const char *shown = place_minimal(&p, path, &length);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(shown, expected, length);
}

static void full(const char *directory, const char *path, const char *expected) {
    struct process p = {.directory = (char *)directory};
    char *whole = place_full(&p, path, strlen(path));
    if (expected)
        assert_string_equal(whole, expected);
    else
        assert_null(whole);
    free(whole);
}

static void minimal_places_name_no_directory(void **state) {
    (void)state;
    minimal("/home/u/work", "/home/u/work/src/a.c", "src/a.c");
    minimal("/home/u/work/", "/home/u/work/src/a.c", "src/a.c");
    minimal("/home/u/work", "/home/u/workshop/a.c", "a.c");
    minimal("/home/u/work", "/home/u/other/a.c", "a.c");
    minimal("/home/u/work", "/home/u/work/../x/a.c", "a.c");
    minimal("/", "/home/u/a.c", "a.c");
    minimal(NULL, "/home/u/a.c", "a.c");
    minimal("/w", "src/a.c", "src/a.c");
    minimal("/w", "../u/a.c", "a.c");
    minimal("/w", "a/../b/a.c", "a.c");
    minimal("/w", "..", "..");
    minimal("/w", "a..b/c", "a..b/c");
    minimal("/w", "<string>", "<string>");
    minimal("/w", "/w/", "");
    minimal("/w", "/w/a/", "a/");
}

static void full_places_begin_at_the_root(void **state) {
    (void)state;
    full("/w", "/x/a.c", NULL);
    full("/w", "<stdin>", NULL);
    full(NULL, "a.c", NULL);
    full("/w", "a.c", "/w/a.c");
    full("/w", "../a.c", "/w/../a.c");
}

static void block(const char *name, const char *text, int64_t line, const char *expected) {
    size_t length;
    const char *from = capture_block(text, name, line, &length);
    char *got = strndup(from, length);
    assert_string_equal(got, expected);
    free(got);
}

static void lines_that_are_not_there(void **state) {
    (void)state;
    block("a.c", "one\n", 0, "");
    block("a.c", "one\n", -5, "");
    block("a.c", "one\n", 2, "");
    block("a.c", "", 1, "");
    block("a.f90", "one\ntwo", 2, "two");
    block("noname", "one\ntwo\n", 1, "one\n");
}

static void blocks_of_c(void **state) {
    (void)state;
    block("a.c", "void f(void) {\n  x();\n  y();\n}\nint z;\n", 2, "  x();\n  y();\n");
    block("a.c", "void f(void) {\n  if (1) {\n    x();\n  } else {\n    y();\n  }\n}\n", 2,
          "  if (1) {\n    x();\n  } else {\n    y();\n  }\n");
    block("a.C", "{ x(); // }\n '}'; \"}\\\"}\"; /* }\n } */ y();\n}\n", 1,
          "{ x(); // }\n '}'; \"}\\\"}\"; /* }\n } */ y();\n}\n");
    block("a.hpp", "{\nx(); // }\n '}'; \"}\\\"}\"; /* }\n } */ y();\n}\n", 2,
          "x(); // }\n '}'; \"}\\\"}\"; /* }\n } */ y();\n");
    block("a.c", "{\n one(); }\n", 2, " one(); }\n");
    block("a.c", "x(\"not ended\n}\n", 1, "x(\"not ended\n");
}

static void blocks_of_python(void **state) {
    (void)state;
    static const char text[] =
        "@d\n@e(1,\n   2)\ndef f(\n    a,\n):\n    x = 1\n\n    # end\n\ny = 2\nwith r:\n    a()\n    b()\nz\n"
        "class C:\n    @d\n    async def g(self):\n        pass\n    def h(self): pass\n";
    block("a.py", text, 1, "@d\n@e(1,\n   2)\ndef f(\n    a,\n):\n    x = 1\n\n    # end\n");
    block("a.py", text, 4, "def f(\n    a,\n):\n    x = 1\n\n    # end\n");
    block("a.py", text, 11, "y = 2\n");
    block("a.py", text, 12, "with r:\n    a()\n    b()\n");
    block("a.py", text, 17, "    @d\n    async def g(self):\n        pass\n");
    block("a.py", text, 20, "    def h(self): pass\n");
    block("a.py", "if x:\n    pass\nelse:\n    pass\n", 1, "if x:\n    pass\n");
    block("a.py", "f = lambda: [\n1,\n]\n", 1, "f = lambda: [\n");
}

static void texts_are_bounded(void **state) {
    (void)state;
    enum { LINES = 20000 };
    char *text = malloc(LINES * 8 + 1);
    for (int i = 0; i < LINES; i++) memcpy(text + i * 8, "  ab();\n", 8);
    text[LINES * 8] = '\0';
    size_t length;
    capture_block(text, "a.c", 1, &length);
    assert_in_range(length, 59990, 60000);
    assert_int_equal(text[length - 1], '\n');
    memset(text, 'x', LINES * 8);
    capture_block(text, "a.c", 1, &length); /* no line of it would be whole */
    assert_int_equal(length, 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_places_name_no_directory),
        cmocka_unit_test(full_places_begin_at_the_root),
        cmocka_unit_test(lines_that_are_not_there),
        cmocka_unit_test(blocks_of_c),
        cmocka_unit_test(blocks_of_python),
        cmocka_unit_test(texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
