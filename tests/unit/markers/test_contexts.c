/* Contexts and tokens in a program that is linked with the library and belongs to no session. */
#include "groups.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void nothing_before_init(void **state) {
    (void)state;
    assert_int_equal(sp_region("early"), SP_INVALID_REGION);
    sp_begin(0);
    sp_end(-1);
    assert_int_equal(sp_num_calls(0), 0);
    assert_int_equal(sp_is_active(), 0);
    assert_null(sp_default_profiler());
    assert_null(sp_output_path());
    assert_int_equal(sp_finalize(), 0);
    assert_true(sp_now_ns() > 0);
}

static void null_is_harmless(void **state) {
    (void)state;
    sp_region_stats stats = {1, 1, 1, 1};
    sp_scope none = sp_profiler_scope_begin(NULL, 0);
    assert_int_equal(none.slot, -1);
    assert_int_equal(sp_scope_end(&none), SP_ERR_INACTIVE);
    assert_int_equal(sp_scope_end(NULL), SP_ERR_INACTIVE);
    assert_int_equal(sp_profiler_region(NULL, "x"), SP_INVALID_REGION);
    sp_profiler_begin(NULL, 0);
    sp_profiler_end(NULL, 0);
    assert_int_equal(sp_profiler_end_last(NULL), SP_ERR_INACTIVE);
    assert_int_equal(sp_profiler_reset(NULL), SP_ERR_INACTIVE);
    assert_int_equal(sp_profiler_get_region_stats(NULL, 0, &stats), SP_ERR_INACTIVE);
    assert_int_equal(stats.calls, 0);
    assert_int_equal(sp_profiler_num_regions(NULL), 0);
    assert_null(sp_profiler_region_name(NULL, 0));
    assert_int_equal(sp_profiler_flush(NULL), 0);
    assert_int_equal(sp_profiler_finalize(NULL), 0);
    assert_int_equal(sp_profiler_is_active(NULL), 0);
    assert_null(sp_profiler_output_path(NULL));
    assert_int_equal(sp_profiler_last_error(NULL), SP_OK);
    sp_destroy(NULL);
}

static void words_for_each_status(void **state) {
    (void)state;
    assert_string_equal(sp_error_string(SP_OK), "ok");
    assert_string_equal(sp_error_string(SP_ERR_INACTIVE), "profiler is not active");
    assert_string_equal(sp_error_string(SP_ERR_UNMATCHED_END), "no open call to end");
    assert_string_equal(sp_error_string(SP_ERR_OPEN_SCOPES), "a region is still open");
    assert_string_equal(sp_error_string(SP_ERR_UNSUPPORTED), "output format not available in this build");
    assert_string_equal(sp_error_string((sp_status)1000), "unknown status");
    assert_string_equal(sp_error_string((sp_status)-1), "unknown status");
}

static void regions_are_numbered_from_0(void **state) {
    (void)state;
    sp_profiler *p = sp_create("regions", 3);
    assert_int_equal(sp_profiler_is_active(p), 1);
    assert_string_equal(sp_profiler_output_path(p), "regions_rank00003.h5");
    char name[8] = "one";
    assert_int_equal(sp_profiler_region(p, name), 0);
    strcpy(name, "two");
    assert_int_equal(SP_PROFILER_REGION_AT(p, name), 1);
    strcpy(name, "one");
    assert_int_equal(sp_profiler_region(p, name), 0);
    assert_int_equal(sp_profiler_region(p, ""), 2);
    assert_int_equal(sp_profiler_region(p, NULL), SP_INVALID_REGION);
    assert_int_equal(sp_profiler_num_regions(p), 3);
    assert_string_equal(sp_profiler_region_name(p, 0), "one");
    assert_string_equal(sp_profiler_region_name(p, 1), "two");
    assert_string_equal(sp_profiler_region_name(p, 2), "");
    assert_null(sp_profiler_region_name(p, 3));
    assert_null(sp_profiler_region_name(p, -1));
    sp_destroy(p);
}

static void tokens_are_checked(void **state) {
    (void)state;
    sp_profiler *p = sp_create("tokens", 0);
    const int solve = sp_profiler_region(p, "solve"), other = sp_profiler_region(p, "other");
    sp_scope outer = sp_profiler_scope_begin(p, solve), between = sp_profiler_scope_begin(p, other);
    sp_scope inner = sp_profiler_scope_begin(p, solve), copy = inner;
    assert_int_equal(sp_scope_end(&outer), SP_ERR_UNMATCHED_END);
    assert_int_equal(sp_profiler_last_error(p), SP_ERR_UNMATCHED_END);
    assert_int_equal(stats_of(p, solve).total_ns, 0); /* nothing was ended */
    assert_int_equal(sp_scope_end(&inner), SP_OK);
    assert_int_equal(sp_scope_end(&copy), SP_ERR_UNMATCHED_END);
    assert_int_equal(sp_scope_end(&outer), SP_OK); /* another region's open call is no hindrance */
    assert_int_equal(sp_scope_end(&outer), SP_ERR_UNMATCHED_END);
    assert_int_equal(sp_scope_end(&between), SP_OK);
    assert_int_equal(sp_profiler_last_error(p), SP_OK);
    assert_int_equal(stats_of(p, solve).calls, 2);
    assert_int_equal(stats_of(p, other).calls, 1);
    assert_int_equal(sp_profiler_scope_begin(p, 99).slot, -1);
    assert_int_equal(sp_profiler_last_error(p), SP_ERR_INACTIVE);
    sp_destroy(p);
}

static void the_last_call_ends(void **state) {
    (void)state;
    sp_profiler *p = sp_create("last", 0);
    const int outer = sp_profiler_region(p, "outer"), inner = sp_profiler_region(p, "inner");
    sp_profiler_begin(p, outer);
    sp_profiler_begin(p, inner);
    assert_int_equal(sp_profiler_end_last(p), SP_OK);
    sp_profiler_begin(p, inner);
    sp_profiler_end(p, inner);
    assert_int_equal(stats_of(p, inner).calls, 2);
    assert_int_equal(stats_of(p, outer).calls, 1);
    assert_int_equal(sp_profiler_reset(p), SP_ERR_OPEN_SCOPES);
    assert_int_equal(sp_profiler_end_last(p), SP_OK);
    assert_int_equal(sp_profiler_end_last(p), SP_ERR_UNMATCHED_END);
    sp_profiler_end(p, outer);
    assert_int_equal(sp_profiler_last_error(p), SP_ERR_UNMATCHED_END);
    sp_destroy(p);
}

static void a_reset_keeps_regions(void **state) {
    (void)state;
    sp_profiler *p = sp_create("reset", 0);
    const int solve = sp_profiler_region(p, "solve");
    call(p, solve, 10);
    assert_int_equal(sp_profiler_reset(p), SP_OK);
    assert_int_equal(sp_profiler_num_regions(p), 1);
    assert_int_equal(stats_of(p, solve).calls, 0);
    assert_int_equal(stats_of(p, solve).max_ns, 0);
    call(p, solve, 1);
    assert_int_equal(stats_of(p, solve).calls, 1);
    sp_destroy(p);
}

static void contexts_are_apart(void **state) {
    (void)state;
    sp_profiler *all[16];
    for (int i = 0; i < 16; i++) {
        all[i] = sp_create("many", i);
        assert_int_equal(sp_profiler_is_active(all[i]), 1);
        assert_int_equal(sp_profiler_region(all[i], "same"), 0);
        call(all[i], 0, i + 1);
    }
    for (int i = 0; i < 16; i++) assert_int_equal(stats_of(all[i], 0).calls, i + 1);
    for (int i = 0; i < 16; i++) sp_destroy(all[i]);
}

static void too_many_contexts_are_told(void **state) {
    (void)state;
    sp_profiler *all[40];
    int active = 0;
    for (int i = 0; i < 40; i++) {
        all[i] = sp_create("toomany", i);
        assert_non_null(all[i]);
        active += sp_profiler_is_active(all[i]);
        if (!sp_profiler_is_active(all[i])) {
            assert_int_equal(sp_profiler_last_error(all[i]), SP_ERR_NO_MEMORY);
            assert_int_equal(sp_profiler_region(all[i], "x"), SP_INVALID_REGION);
        }
    }
    assert_int_equal(active, 16);
    for (int i = 0; i < 40; i++) sp_destroy(all[i]);
}

static void handles_outlive_their_recorder(void **state) {
    (void)state;
    assert_int_equal(sp_init("first", 0), 0);
    const int a = sp_region("a"), b = SP_REGION_AT("b");
    assert_int_equal(sp_is_active(), 1);
    assert_string_equal(sp_output_path(), "first_rank00000.h5");
    sp_begin(b);
    sp_end(b);
    assert_int_equal(sp_num_calls(b), 1);
    assert_int_equal(sp_init("second", 7), 0); /* replaces */
    assert_string_equal(sp_output_path(), "second_rank00007.h5");
    assert_int_equal(sp_num_calls(b), 0);
    assert_int_equal(sp_region("b"), b);
    assert_int_equal(sp_region("a"), a);
    for (int i = 0; i < 5; i++) {
        sp_begin(a);
        sp_end(a);
    }
    assert_int_equal(sp_num_calls(a), 5);
    sp_destroy(sp_default_profiler()); /* writes nothing */
    assert_non_null(sp_default_profiler());
    assert_int_equal(sp_is_active(), 0);
    assert_int_equal(sp_region("a"), SP_INVALID_REGION);
    assert_int_equal(sp_finalize(), 0);
}

static void the_default_context_ends_what_is_open(void **state) {
    (void)state;
    assert_int_equal(sp_init("default", 0), 0);
    sp_profiler *p = sp_default_profiler();
    const int outer = sp_region("outer"), inner = sp_region("inner");
    sp_begin(outer); /* by the plain way: nothing is noted */
    sp_scope scope = sp_profiler_scope_begin(p, inner);
    sp_begin(inner);
    assert_int_equal(sp_profiler_reset(p), SP_ERR_OPEN_SCOPES);
    assert_int_equal(sp_profiler_end_last(p), SP_OK); /* the plain inner one */
    assert_int_equal(stats_of(p, inner).calls, 2);
    sp_profiler_end(p, outer); /* begun by sp_begin */
    assert_int_equal(sp_profiler_last_error(p), SP_OK);
    sp_profiler_end(p, outer);
    assert_int_equal(sp_profiler_last_error(p), SP_ERR_UNMATCHED_END);
    sp_profiler_begin(p, inner);
    assert_int_equal(sp_profiler_end_last(p), SP_OK);
    sp_profiler_end(p, inner);
    assert_int_equal(sp_profiler_last_error(p), SP_OK);
    assert_int_equal(sp_scope_end(&scope), SP_ERR_UNMATCHED_END); /* that was its call */
    assert_int_equal(sp_profiler_reset(p), SP_OK);
    sp_destroy(p);
}

static void only_hdf5_is_written(void **state) {
    (void)state;
    sp_profiler *p = sp_create("format", 0);
    assert_int_equal(sp_hdf5_available(), 1);
    assert_int_equal(sp_default_output_format(), SP_OUTPUT_HDF5);
    assert_int_equal(sp_profiler_set_output_format(p, SP_OUTPUT_HDF5), SP_OK);
    assert_int_equal(sp_profiler_set_output_format(p, SP_OUTPUT_TRACE), SP_ERR_UNSUPPORTED);
    assert_int_equal(sp_profiler_output_format(p), SP_OUTPUT_HDF5);
    assert_int_equal(sp_set_output_format(SP_OUTPUT_TRACE), SP_ERR_UNSUPPORTED);
    sp_destroy(p);
}

static int test_contexts(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_init), /* first: the state of the process is part of it */
        cmocka_unit_test(null_is_harmless),
        cmocka_unit_test(words_for_each_status),
        cmocka_unit_test(regions_are_numbered_from_0),
        cmocka_unit_test(tokens_are_checked),
        cmocka_unit_test(the_last_call_ends),
        cmocka_unit_test(a_reset_keeps_regions),
        cmocka_unit_test(contexts_are_apart),
        cmocka_unit_test(too_many_contexts_are_told),
        cmocka_unit_test(handles_outlive_their_recorder),
        cmocka_unit_test(the_default_context_ends_what_is_open),
        cmocka_unit_test(only_hdf5_is_written),
    };
    return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "scene") == 0) return session_scene();
    char directory[] = "/tmp/scope-markers.XXXXXX", self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0 || !mkdtemp(directory) || chdir(directory)) return 99;
    self[length] = 0;
    int failed = test_contexts() + test_numbers() + test_session(self);
    if (chdir("/") || rmdir(directory)) { /* nothing of ours is left */
        printf("left behind: something in %s\n", directory);
        failed++;
    }
    return failed != 0;
}
