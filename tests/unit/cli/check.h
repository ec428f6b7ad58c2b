/* check.h: what every test of the command includes. */
#ifndef TEST_CLI_CHECK_H
#define TEST_CLI_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Asserts an allocated text and frees it. */
#define assert_text(made, expected)                                                                                    \
    do {                                                                                                               \
        char *made_text = (made);                                                                                      \
        assert_string_equal(made_text, expected);                                                                      \
        free(made_text);                                                                                               \
    } while (0)

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
