#include "scratch.h"

#include "launch/preload.h"
#include "launch/program.h"

static int resolve(const char *word, const char *module, struct program *program) {
    char *words[] = {(char *)word, "-o", "x", NULL}, *why = NULL;
    int status = program_resolve(words, module, program, &why);
    if (status) assert_non_null(strstr(why, module ? module : word));
    if (status) assert_null(strchr(why, '\n'));
    free(why);
    return status;
}

static void expect(const char *word, const char *module, const char *path, const char *const *argv) {
    struct program program;
    assert_int_equal(resolve(word, module, &program), 0);
    assert_string_equal(program.path, path);
    size_t i = 0;
    for (; argv[i]; i++) assert_string_equal(program.argv[i], argv[i]);
    assert_null(program.argv[i]);
    program_free(&program);
}

static void expect_failure(const char *word, int status) {
    struct program program;
    assert_int_equal(resolve(word, NULL, &program), status);
    program_free(&program);
}

static void search(void **state) {
    (void)state;
    char path[200];
    assert_int_equal(mkdir("first", 0755), 0);
    assert_int_equal(mkdir("second", 0755), 0);
    put_file("first/tool", "#!/bin/sh\n", 10, 0644);
    put_file("second/tool", "#!/bin/sh\n", 10, 0755);
    put_file("first/data", "x", 1, 0644);
    put_file("first/python3", "#!/bin/sh\n", 10, 0755);
    snprintf(path, sizeof path, "%s/first:%s/second", scratch, scratch);
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "%s/second/tool", scratch);
    expect("tool", NULL, path, (const char *[]){"tool", "-o", "x", NULL}); /* the one that can be executed */
    expect("second/tool", NULL, "second/tool", (const char *[]){"second/tool", "-o", "x", NULL});
    expect_failure("data", 126);
    expect_failure("first/tool", 126);
    expect_failure("first", 127); /* a directory is no command */
    struct program refused;
    char *why = NULL;
    assert_int_equal(program_resolve((char *[]){(char *)"first", NULL}, NULL, &refused, &why), 127);
    assert_string_equal(why, "first: is a directory without __main__.py");
    free(why);
    program_free(&refused);
    expect_failure("./first", 126);
    expect_failure("nothing", 127);
    expect_failure("./nothing", 127);
    expect_failure("", 127);
}

static void python(void **state) {
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/first/python3", scratch);
    put_file("plain.py", "print()\n", 8, 0644);
    put_file("own.py", "#!/usr/bin/python3\n", 19, 0755);
    put_file("executable.py", "print()\n", 8, 0755);
    put_file("zip.pyz", "PK\3\4", 4, 0644);
    assert_int_equal(mkdir("package", 0755), 0);
    put_file("package/__main__.py", "\n", 1, 0644);
    expect("plain.py", NULL, path, (const char *[]){"python3", "plain.py", "-o", "x", NULL});
    expect("executable.py", NULL, path, (const char *[]){"python3", "executable.py", "-o", "x", NULL});
    expect("zip.pyz", NULL, path, (const char *[]){"python3", "zip.pyz", "-o", "x", NULL});
    expect("package", NULL, path, (const char *[]){"python3", "package", "-o", "x", NULL});
    expect("own.py", NULL, "own.py", (const char *[]){"own.py", "-o", "x", NULL}); /* it names its python itself */
    expect("a", "mod", path, (const char *[]){"python3", "-m", "mod", "a", "-o", "x", NULL});
    expect_failure("missing.py", 127);
    setenv("PATH", "/nonexistent", 1);
    struct program program;
    assert_int_equal(resolve("plain.py", NULL, &program), 127);
    program_free(&program);
}

static void preload_paths(void **state) {
    (void)state;
    struct preload preload;
    char *why = NULL, expected[200];
    put_file("lib.so", "", 0, 0644);
    snprintf(expected, sizeof expected, "%s/lib.so", scratch);
    setenv("SCOPE_PROFILER_PRELOAD", "lib.so", 1);
    assert_true(preload_find(&preload, &why));
    assert_string_equal(preload.library, expected);
    assert_null(preload.directory);
    setenv("LD_PRELOAD", "/users.so", 1);
    preload_set(&preload);
    strcat(expected, ":/users.so");
    assert_string_equal(getenv("LD_PRELOAD"), expected);
    unsetenv("LD_PRELOAD");
    preload_set(&preload);
    *strchr(expected, ':') = '\0';
    assert_string_equal(getenv("LD_PRELOAD"), expected);
    unsetenv("LD_PRELOAD");
    preload_remove(&preload);

    assert_int_equal(mkdir("a b:c", 0755), 0);
    put_file("a b:c/lib.so", "", 0, 0644);
    setenv("SCOPE_PROFILER_PRELOAD", "a b:c/lib.so", 1);
    setenv("TMPDIR", scratch, 1);
    assert_true(preload_find(&preload, &why));
    assert_non_null(preload.directory);
    assert_int_equal(strncmp(preload.directory, scratch, strlen(scratch)), 0);
    assert_int_equal(strcspn(preload.library, " :"), strlen(preload.library));
    assert_int_equal(access(preload.library, R_OK), 0);
    char *directory = strdup(preload.directory);
    preload_remove(&preload);
    assert_int_not_equal(access(directory, F_OK), 0);
    free(directory);

    setenv("SCOPE_PROFILER_PRELOAD", "missing.so", 1);
    assert_false(preload_find(&preload, &why));
    assert_non_null(strstr(why, "missing.so"));
    free(why);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(search), cmocka_unit_test(python),
                                       cmocka_unit_test(preload_paths)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
