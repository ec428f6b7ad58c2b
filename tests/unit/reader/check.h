/* check.h: what every test of the reader includes. */
#ifndef TEST_READER_CHECK_H
#define TEST_READER_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scope_reader.h"
#include "writer.h"

/* 1e-12 relative: the same numbers, added in another order. */
#define assert_near(actual, expected) assert_near_at(actual, expected, #actual, __FILE__, __LINE__)
static inline void assert_near_at(double actual, double expected, const char *what, const char *file, int line) {
    if (fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected))) return;
    print_error("%s is %.17g, not %.17g\n", what, actual, expected);
    _fail(file, line);
}

#define assert_nan(value) assert_true(isnan(value))

static inline spr_profile *open_good(const char *path) {
    spr_profile *profile = NULL;
    spr_error error = {0};
    if (spr_open(path, &profile, &error) != SPR_OK) fail_msg("%s", error.message);
    return profile;
}

/* The error names the file and says `cause`. */
static inline void assert_message(const spr_error *error, const char *path, const char *cause) {
    if (path && !strstr(error->message, path)) fail_msg("'%s' does not name %s", error->message, path);
    if (!strstr(error->message, cause)) fail_msg("'%s' does not say '%s'", error->message, cause);
    assert_null(strchr(error->message, '\n'));
}

static inline void assert_bad(const char *path, int status, const char *cause) {
    spr_profile *profile = (spr_profile *)1;
    spr_error error = {0};
    const int got = spr_open(path, &profile, &error);
    if (got != status) fail_msg("%s: status %d instead of %d: %s", path, got, status, error.message);
    assert_int_equal(error.status, status);
    assert_null(profile);
    assert_message(&error, path, cause);
}

#define S INT64_C(1000000000) /* a second */

#endif
