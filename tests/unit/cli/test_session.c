#include "scratch.h"

#include "launch/session.h"
#include "spool.h"

#include <dirent.h>

static struct output judged(const char *name) {
    struct output output;
    char *why = NULL;
    if (!output_judge(name, &output, &why)) fail_msg("%s", why);
    return output;
}

static void session_has(const struct session *session, const char *key, const char *expected) {
    assert_text(session_value(session->descriptor, key), expected);
}

static void values_survive(void **state) {
    (void)state;
    struct output output = judged("a b%=\n\xff.h5");
    struct session session;
    char *why = NULL;
    mode_t before = umask(077);
    assert_true(session_make(
        &output,
        &(struct session_options){.label = "la=bel\n", .compress = 7, .full_metadata = true, .capture_source = true},
        &session, &why));
    umask(before);
    struct stat status;
    assert_int_equal(stat(session.spool, &status), 0);
    assert_int_equal(status.st_mode & 07777, geteuid() ? 0700 : 01733);
    assert_int_equal(strncmp(strrchr(session.spool, '/'), "/.a b%=\n\xff.h5.spool-", 17), 0);
    session_has(&session, SPOOL_SESSION_OUTPUT, output.path);
    session_has(&session, SPOOL_SESSION_LABEL, "la=bel\n");
    session_has(&session, SPOOL_SESSION_COMPRESS, "7");
    session_has(&session, SPOOL_SESSION_UMASK, "77");
    session_has(&session, SPOOL_SESSION_METADATA, "full");
    session_has(&session, SPOOL_SESSION_CAPTURE, "1");
    assert_null(session_value(session.descriptor, "none"));
    char *start = session_value(session.descriptor, SPOOL_SESSION_START_NS);
    assert_true(strtoll(start, NULL, 10) > 0);
    free(start);
    char *directory = strdup(session.spool);
    session_remove(&session);
    assert_int_not_equal(access(directory, F_OK), 0);
    free(directory);
    output_free(&output);
}

static void two_runs_have_two_spools(void **state) {
    (void)state;
    struct output output = judged("x.h5");
    struct session first, second;
    char *why = NULL;
    assert_true(session_make(&output, &(struct session_options){0}, &first, &why));
    assert_true(session_make(&output, &(struct session_options){0}, &second, &why));
    assert_string_not_equal(first.spool, second.spool);
    assert_null(session_value(first.descriptor, SPOOL_SESSION_LABEL));
    assert_null(session_value(first.descriptor, SPOOL_SESSION_COMPRESS));
    session_remove(&first);
    session_remove(&second);
    output_free(&output);
}

static void ranks_share_the_first_ones_session(void **state) {
    (void)state;
    struct output output = judged("x.h5");
    struct session first, second, other;
    char *why = NULL;
    assert_true(session_share(&output, &(struct session_options){.label = "first"}, 42, &first, &why));
    assert_true(session_share(&output, &(struct session_options){.label = "second"}, 42, &second, &why));
    assert_true(session_share(&output, &(struct session_options){.label = "other"}, 43, &other, &why));
    assert_string_equal(first.spool, second.spool);
    assert_string_not_equal(first.spool, other.spool);
    session_has(&second, SPOOL_SESSION_LABEL, "first");
    session_has(&other, SPOOL_SESSION_LABEL, "other");
    size_t files = 0; /* nothing but the session file */
    DIR *listing = opendir(first.spool);
    while (readdir(listing)) files++;
    closedir(listing);
    assert_int_equal(files, 3);
    session_close(&second);
    session_remove(&first);
    session_remove(&other);
    output_free(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_survive), cmocka_unit_test(two_runs_have_two_spools),
                                       cmocka_unit_test(ranks_share_the_first_ones_session)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
