/* Threads that share pieces of work: every piece once, the first half in order, and always the same error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* wants the above before it */
#include <cmocka.h>

#include "crew.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { PIECES = 500 };

struct work {
    size_t begun; /* pieces, by `begin` */
    bool in_order;
    atomic_bool interrupted; /* a thread takes signals that are the first one's */
    atomic_uint done[PIECES];
    size_t fails[3]; /* pieces whose work fails, or (the last) whose beginning does */
    pid_t first_thread;
};

static int begin(void *context, size_t piece) {
    struct work *w = context;
    w->in_order &= piece == w->begun++;
    return piece == w->fails[2] ? 1000 : 0;
}

static int work(void *context, size_t piece) {
    struct work *w = context;
    sigset_t blocked;
    for (size_t i = 0; i < piece % 7; i++) sched_yield();
    if (gettid() != w->first_thread) {
        pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        if (!sigismember(&blocked, SIGTERM)) w->interrupted = true;
    }
    atomic_fetch_add(&w->done[piece], 1);
    return piece == w->fails[0] || piece == w->fails[1] ? 100 + (int)piece : 0;
}

static struct work fresh(void) {
    return (struct work){.in_order = true, .fails = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, .first_thread = gettid()};
}

static int run(struct work *w, unsigned workers, size_t pieces, size_t *failed) {
    const struct crew crew = {workers, pieces, begin, work, w};
    return crew_run(&crew, failed);
}

static void every_piece_once(void **state) {
    (void)state;
    static const unsigned workers[] = {0, 1, 2, 7, CREW_MOST, 100000};
    size_t failed;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        struct work w = fresh();
        assert_int_equal(run(&w, workers[i], PIECES, &failed), 0);
        assert_true(w.in_order && !w.interrupted);
        assert_int_equal(w.begun, PIECES);
        for (size_t k = 0; k < PIECES; k++) assert_int_equal(w.done[k], 1);
    }
}

static void nothing_to_do(void **state) {
    (void)state;
    struct work w = fresh();
    size_t failed;
    assert_int_equal(run(&w, 4, 0, &failed), 0);
    assert_int_equal(w.begun, 0);
}

/* Whatever the threads were doing: the first in order, and everything before it is done. */
static void first_error(void **state) {
    (void)state;
    static const size_t beginnings[] = {SIZE_MAX, 120};
    static const unsigned workers[] = {1, 2, 7, 33};
    size_t failed;
    for (int round = 0; round < 25; round++)
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
                struct work w = fresh();
                w.fails[0] = 131;
                w.fails[1] = 126;
                w.fails[2] = beginnings[k];
                assert_int_equal(run(&w, workers[i], PIECES, &failed), k ? 1000 : 226);
                assert_int_equal(failed, k ? 120 : 126);
                for (size_t n = 0; n < failed; n++) assert_int_equal(w.done[n], 1);
                if (k) assert_int_equal(w.done[failed], 0);
                assert_true(w.begun < PIECES);
            }
}

static void processors(void **state) {
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    const unsigned all = (unsigned)CPU_COUNT(&before);
    assert_int_equal(crew_processors(), all < CREW_MOST ? all : CREW_MOST);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(crew_processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_piece_once), cmocka_unit_test(nothing_to_do),
                                       cmocka_unit_test(first_error), cmocka_unit_test(processors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
