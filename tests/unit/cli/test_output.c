#include "scratch.h"

#include "launch/output.h"

static void refuse(const char *given, const char *cause) {
    struct output output;
    char *why = NULL;
    assert_false(output_judge(given, &output, &why));
    if (!strstr(why, cause)) fail_msg("'%s' says '%s', not '%s'", given, why, cause);
    assert_non_null(strstr(why, given));
    assert_null(strchr(why, '\n'));
    free(why);
    output_free(&output);
}

static void take(const char *given, const char *base) {
    struct output output;
    char *why = NULL, expected[128];
    if (!output_judge(given, &output, &why)) fail_msg("%s", why);
    snprintf(expected, sizeof expected, "%s/%s", scratch, base);
    assert_string_equal(output.path, expected);
    assert_string_equal(output.directory, scratch);
    assert_string_equal(output.base, base);
    output_free(&output);
}

static void good_names(void **state) {
    (void)state;
    assert_int_equal(mkdir("sub", 0755), 0);
    put_file("old.h5", "x", 1, 0644);
    take("new.h5", "new.h5");
    take("./new.h5", "new.h5");
    take("sub/../new.h5", "new.h5");
    take("old.h5", "old.h5");
}

static void links_are_followed(void **state) {
    (void)state;
    assert_int_equal(symlink("old.h5", "link.h5"), 0);
    assert_int_equal(symlink("missing.h5", "dangling.h5"), 0);
    assert_int_equal(symlink("../dangling.h5", "sub/twice.h5"), 0);
    assert_int_equal(symlink("/dev/full", "device.h5"), 0);
    assert_int_equal(symlink("nowhere/x.h5", "nodir.h5"), 0);
    assert_int_equal(symlink("round.h5", "round.h5"), 0);
    take("link.h5", "old.h5");
    take("dangling.h5", "missing.h5");
    take("sub/twice.h5", "missing.h5");
    refuse("device.h5", "device");
    refuse("nodir.h5", "No such file or directory");
    refuse("round.h5", "symbolic links");
}

static void bad_names(void **state) {
    (void)state;
    refuse("", "empty");
    refuse("sub", "is a directory");
    refuse("sub/", "names a directory");
    refuse("missing/x.h5", "No such file or directory");
    refuse("missing/../x.h5", "No such file or directory");
    refuse("old.h5/x.h5", "Not a directory");
    refuse("/dev/null", "device");
    assert_int_equal(mkfifo("pipe.h5", 0644), 0);
    refuse("pipe.h5", "FIFO");
}

static void names_of_formats(void **state) {
    static const char *const foreign[] = {"x.html", "a.b.CSV",   "x.txt",   "x.png",
                                          "x.pdf",  "sub/x.svg", "x.h5.gz", "x.prof"};
    static const char *const ours[] = {"x.h5",  "x.hdf5", "x.hdf", "x.he5", "x.json", "x.JSON.GZ",
                                       "plain", "x.run1", "x.",    ".html", "html",   "x.html.h5"};
    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) refuse(foreign[i], ".h5");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) take(ours[i], ours[i]);
    refuse("-", "stdout");
    take("./-", "-");
}

static void protected_directory(void **state) {
    (void)state;
    assert_int_equal(mkdir("ro", 0555), 0);
    if (geteuid() == 0) skip(); /* root may write anywhere */
    refuse("ro/x.h5", "Permission denied");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(good_names), cmocka_unit_test(links_are_followed),
                                       cmocka_unit_test(bad_names), cmocka_unit_test(names_of_formats),
                                       cmocka_unit_test(protected_directory)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
