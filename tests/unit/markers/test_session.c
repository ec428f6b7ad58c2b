/* The same calls in a process that belongs to a session: nothing is refused, nothing is written by the program. */
#include "groups.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    if (!(condition)) return __LINE__ % 250 + 1

int session_scene(void) {
    const int before = sp_region("before");
    CHECK(before == 0 && sp_is_active());
    sp_begin(before);
    sp_end(before);
    CHECK(sp_num_calls(before) == 1);
    sp_profiler *implied = sp_default_profiler();
    CHECK(implied);
    CHECK(sp_init("mine", 3) == 0);
    CHECK(sp_default_profiler() == implied);
    CHECK(strstr(sp_output_path(), "mine") == NULL);
    CHECK(sp_num_calls(before) == 1);

    sp_profiler *p = sp_create("explicit", 0), *q = sp_create("second", 0);
    const int inner = sp_profiler_region(p, "inner");
    sp_begin(before);
    call(p, inner, 3);
    call(q, sp_profiler_region(q, "inner"), 2);
    sp_scope token = sp_profiler_scope_begin(p, inner);
    CHECK(sp_profiler_reset(p) == SP_ERR_OPEN_SCOPES);
    CHECK(sp_scope_end(&token) == SP_OK);
    CHECK(stats_of(p, inner).calls == 6); /* the session's region: everybody's calls */
    CHECK(sp_profiler_reset(p) == SP_OK); /* its own count; the call of `before` is not its affair */
    CHECK(stats_of(p, inner).calls == 0 && stats_of(q, inner).calls == 6);
    call(p, inner, 1);
    CHECK(stats_of(p, inner).calls == 1 && stats_of(q, inner).calls == 7 && sp_num_calls(inner) == 7);
    CHECK(sp_profiler_end_last(p) == SP_ERR_UNMATCHED_END);
    CHECK(sp_profiler_end_last(implied) == SP_OK); /* `before` */
    CHECK(sp_profiler_end_last(implied) == SP_ERR_UNMATCHED_END);
    CHECK(sp_profiler_finalize(p) == 0 && !sp_profiler_is_active(p));
    call(p, inner, 1);
    CHECK(sp_profiler_flush(q) == 0 && sp_profiler_is_active(q));
    sp_destroy(p);
    sp_destroy(q);

    CHECK(sp_finalize() == 0);
    CHECK(sp_is_active() && sp_num_calls(inner) == 7);
    sp_begin(before);
    sp_end(before);
    CHECK(sp_num_calls(before) == 3);

    const pid_t child = fork();
    if (child == 0) { /* counts for itself */
        if (sp_num_calls(before) != 0) _exit(1);
        sp_begin(before);
        sp_end(before);
        _exit(sp_num_calls(before) == 1 ? 0 : 2);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(sp_num_calls(before) == 3);
    return 0;
}

static const char *self;

static void a_session_takes_everything(void **state) {
    (void)state;
    char here[2048], spool[4096], command[8192];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(spool, sizeof spool, "%s/spool", here);
    assert_int_equal(mkdir(spool, 0700), 0);
    snprintf(command, sizeof command, "SCOPE_PROFILER_SPOOL='%s' '%s' scene", spool, self);
    assert_int_equal(WEXITSTATUS(system(command)), 0); /* else: the failed check's line % 250 + 1 */
    snprintf(command, sizeof command, "test $(ls '%s'/*.proc | wc -l) = 2", spool);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "rm -r '%s'", spool);
    assert_int_equal(system(command), 0);
}

int test_session(const char *path) {
    self = path;
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_session_takes_everything)};
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
