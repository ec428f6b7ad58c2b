/* Which physical lines make one statement, and where a function's text ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lines_source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct source *scanned(const char *text) {
    struct source *source = calloc(1, sizeof *source);
    source->length = strlen(text);
    source->bytes = calloc(source->length + 2, 1);
    memcpy(source->bytes, text, source->length);
    assert_true(source_scan(source));
    return source;
}

static void release(struct source *source) {
    free(source->bytes);
    free(source->starts);
    free(source->statements);
    free(source);
}

/* `wanted`: the first line of the statement of line 1, 2, ... */
#define STATEMENTS(text, ...)                                                                                          \
    do {                                                                                                               \
        const uint32_t wanted_[] = {__VA_ARGS__};                                                                      \
        struct source *source_ = scanned(text);                                                                        \
        for (uint32_t i_ = 0; i_ < sizeof wanted_ / sizeof *wanted_; i_++)                                             \
            assert_int_equal(source_statement(source_, i_ + 1), wanted_[i_]);                                          \
        release(source_);                                                                                              \
    } while (0)

static void plain_lines(void **state) {
    (void)state;
    STATEMENTS("a\nb\nc\n", 1, 2, 3);
    STATEMENTS("a\rb\r\nc", 1, 2, 3);
    STATEMENTS("\n\n# (\nb\n", 1, 2, 3, 4);
    STATEMENTS("a\n\x0c\nb\n", 1, 2, 3);
    STATEMENTS("", 1);
}

static void brackets(void **state) {
    (void)state;
    STATEMENTS("f(\n1,\n2)\ng\n", 1, 1, 1, 4);
    STATEMENTS("x = [1, # )\n (2,\n {3: 4})]\ny", 1, 1, 1, 4);
    STATEMENTS("f)\ng(\n)\n", 1, 2, 2);
    STATEMENTS("a(\n\n\n)\nb\n", 1, 1, 1, 1, 5);
}

static void strings(void **state) {
    (void)state;
    STATEMENTS("a = '('\nb\n", 1, 2);
    STATEMENTS("a = '''(\n\"\n'''\nb\n", 1, 1, 1, 4);
    STATEMENTS("a = \"\"\"\\\"\"\"\n\"\"\"\nb\n", 1, 1, 3);
    STATEMENTS("a = 'it\\'s ('\nb\n", 1, 2);
    STATEMENTS("a = 'x\\\ny'\nb\n", 1, 1, 3);
    STATEMENTS("a = r'\\\\' + (\n1)\nb\n", 1, 1, 3);
    STATEMENTS("a = ''\nb = \"\"\nc\n", 1, 2, 3);
    STATEMENTS("a = 'open\nb\nc\n", 1, 2, 3);
}

static void continued(void **state) {
    (void)state;
    STATEMENTS("a = 1 + \\\n 2\nb\n", 1, 1, 3);
    STATEMENTS("a \\\r\n b\r\nc\r\n", 1, 1, 3);
}

/* What was left open was not understood: its lines stand for themselves. */
static void left_open(void **state) {
    (void)state;
    STATEMENTS("a(\n1)\nb(\nc\nd\n", 1, 1, 3, 4, 5);
    STATEMENTS("a\n'''\nb\n", 1, 2, 3);
}

static void assert_text(const char *text, uint32_t first, uint32_t last, const char *wanted) {
    size_t size;
    struct source *source = scanned(text);
    const char *found = source_function(source, first, last, &size);
    assert_int_equal(size, strlen(wanted));
    assert_memory_equal(found, wanted, size);
    release(source);
}

static void texts_of_functions(void **state) {
    (void)state;
    assert_text("def f():\n  a\n\n  # c\n  b\n\n# d\ng()\n", 1, 2, "def f():\n  a\n\n  # c\n  b\n");
    assert_text("@d(\n1)\n@e\ndef f(x,\n y=1):\n  a\nb\n", 1, 6, "@d(\n1)\n@e\ndef f(x,\n y=1):\n  a\n");
    assert_text("class K:\n\tdef a(self): return 1\n\tdef b(self):\n\t\treturn 2\nx\n", 2, 2,
                "\tdef a(self): return 1\n");
    assert_text("class K:\n\tdef a(self): return 1\n\tdef b(self):\n\t\treturn 2\nx\n", 3, 4,
                "\tdef b(self):\n\t\treturn 2\n");
    assert_text("def f():\n  def g():\n    pass\n  '''\nx'''\n", 1, 2, "def f():\n  def g():\n    pass\n  '''\nx'''\n");
    assert_text("x = g(\n lambda: 1,\n lambda: 2)\ny\n", 2, 2, " lambda: 1,\n lambda: 2)\n");
    assert_text("def f():\n  a", 1, 2, "def f():\n  a");
    assert_text("a\n", 7, 9, "");
}

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/lines_source.XXXXXX";
    int fd = mkstemp(path);
    static const char text[] = "#!/usr/bin/python3\n# -*- coding: latin-1 -*-\na(\n)\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    struct source *source = source_get(path);
    unlink(path);
    assert_string_equal(source->encoding, "latin-1");
    assert_int_equal(source_statement(source, 4), 3);
    assert_int_equal(source_statement(source, 99), 99);
    assert_ptr_equal(source_get(path), source);
    assert_null(source_get("/nowhere/at/all.py")->bytes);
    assert_null(source_get("/tmp")->bytes);
    assert_int_equal(source_statement(source_get("<string>"), 5), 5);
    assert_ptr_equal(source_get("<string>"), source_get("<other>"));
}

/* Whatever the bytes are, every line belongs to one that is not after it, and every text lies within the file. */
static void any_bytes(void **state) {
    (void)state;
    static const char alphabet[] = "()[]'\"\\\n\r# a:@def\t";
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        char text[64];
        for (size_t i = 0; i < sizeof text - 1; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            text[i] = alphabet[random % (sizeof alphabet - 1)];
        }
        text[sizeof text - 1] = 0;
        struct source *source = scanned(text);
        for (uint32_t line = 1; line <= source->lines; line++) {
            size_t size;
            uint32_t first = source_statement(source, line);
            assert_in_range(first, 1, line);
            assert_int_equal(source_statement(source, first), first);
            const char *found = source_function(source, line, line + 2, &size);
            assert_true(!size || (found >= source->bytes && found + size <= source->bytes + source->length));
        }
        release(source);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines), cmocka_unit_test(brackets),  cmocka_unit_test(strings),
        cmocka_unit_test(continued),   cmocka_unit_test(left_open), cmocka_unit_test(texts_of_functions),
        cmocka_unit_test(files),       cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
