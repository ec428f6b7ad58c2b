/* Lists of open calls: order, slots, limits, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "open_calls.h"
#include <pthread.h>

static void ends_take_the_innermost_of_their_region(void **state) {
    (void)state;
    open_calls_push(1, 5);
    open_calls_push(1, 6);
    open_calls_push(1, 5);
    open_calls_push(1, 7);
    assert_true(open_calls_pop(1, 5)); /* the third */
    assert_int_equal(open_calls_innermost(1), 7);
    assert_true(open_calls_pop(1, 7));
    assert_int_equal(open_calls_innermost(1), 6);
    assert_true(open_calls_pop(1, 6));
    assert_true(open_calls_pop(1, 5));
    assert_false(open_calls_pop(1, 5));
    assert_int_equal(open_calls_innermost(1), 0);
}

static void a_slot_is_one_call(void **state) {
    (void)state;
    const int64_t outer = open_calls_push(2, 5), inner = open_calls_push(2, 5), other = open_calls_push(2, 6);
    assert_true(outer >= 0 && inner != outer && other != inner);
    assert_false(open_calls_pop_slot(2, 5, outer));
    assert_false(open_calls_pop_slot(2, 6, inner)); /* not of that region */
    assert_true(open_calls_pop_slot(2, 5, inner));
    assert_false(open_calls_pop_slot(2, 5, inner));
    assert_true(open_calls_pop_slot(2, 5, outer));
    assert_true(open_calls_pop_slot(2, 6, other));
    assert_true(open_calls_push(2, 5) > other); /* slots are not used again */
    assert_true(open_calls_pop(2, 5));
}

static void contexts_do_not_mix(void **state) {
    (void)state;
    for (uint64_t context = 100; context < 120; context++) open_calls_push(context, (int)context);
    for (uint64_t context = 100; context < 120; context++) {
        assert_int_equal(open_calls_innermost(context), (int)context);
        assert_false(open_calls_pop(context, 1));
        assert_true(open_calls_pop(context, (int)context));
    }
    for (uint64_t context = 1000; context < 2000; context++) { /* far more than are kept */
        assert_true(open_calls_push(context, 1) >= 0);
        assert_true(open_calls_pop(context, 1));
    }
}

static void the_oldest_are_forgotten(void **state) {
    (void)state;
    for (int i = 0; i < 5 * (int)OPEN_CALLS_MAX; i++) assert_true(open_calls_push(3, 1 + i % 1000) >= 0);
    unsigned kept = 0;
    for (int innermost; (innermost = open_calls_innermost(3)); kept++) assert_true(open_calls_pop(3, innermost));
    assert_in_range(kept, OPEN_CALLS_MAX / 2, OPEN_CALLS_MAX);
}

static void *elsewhere(void *found) {
    *(int *)found = open_calls_innermost(4);
    for (int i = 0; i < 100; i++) open_calls_push(4, 9);
    return NULL;
}

static void threads_have_their_own(void **state) {
    (void)state;
    open_calls_push(4, 8);
    for (int i = 0; i < 50; i++) {
        int found = -1;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, elsewhere, &found), 0);
        pthread_join(thread, NULL);
        assert_int_equal(found, 0);
    }
    assert_int_equal(open_calls_innermost(4), 8);
    assert_true(open_calls_pop(4, 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_take_the_innermost_of_their_region),
        cmocka_unit_test(a_slot_is_one_call),
        cmocka_unit_test(contexts_do_not_mix),
        cmocka_unit_test(the_oldest_are_forgotten),
        cmocka_unit_test(threads_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
