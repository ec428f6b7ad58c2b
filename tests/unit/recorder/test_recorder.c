/* The recorder from inside a process. The executable runs itself: `test_recorder <scene>` is a recorded program, the
 * tests look at the spool it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "internal.h"
#include "spool_read.h"
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(const char *name) { return rec_region(name, strlen(name), NULL, -1, NULL); }
static void calls(const char *name, int count) {
    int r = region(name);
    for (int i = 0; i < count; i++) {
        rec_begin(r);
        rec_end(r);
    }
}

/* ---- scenes: what a recorded program does -------------------------------------------------------------------------
 */

static int scene_nothing(void) { return region("never used") == 1 ? 0 : 1; }

static int scene_many(void) {
    calls("many", 200000);
    return 0;
}

static int scene_names(void) {
    char name[32];
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        if (region(name) != i + 1) return 1;
    }
    calls("region 9999", 1);
    char *big = malloc(1000001);
    memset(big, 'x', 1000000);
    big[1000000] = 0;
    calls(big, 2);
    calls("", 3);
    calls("\xff\xfe", 4);
    rec_region("late", 4, NULL, -1, NULL);
    rec_region("late", 4, "where.c", 12, NULL);
    rec_region("late", 4, "elsewhere.c", 13, NULL);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        if (region(name) != i + 1) return 2;
    }
    return 0;
}

static int scene_ignored(void) {
    rec_begin(-1);
    rec_end(-1);
    rec_begin(0);
    rec_end(INT_MAX);
    calls("one", 1);
    return 0;
}

static void *short_thread(void *unused) {
    calls("in thread", 10);
    return unused;
}
static int scene_threads(void) {
    pthread_t t[8];
    for (int i = 0; i < 300; i++) {
        pthread_create(&t[0], NULL, short_thread, NULL);
        pthread_join(t[0], NULL);
    }
    for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, short_thread, NULL);
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
    return 0;
}

static int scene_fork(void) {
    calls("parent", 5);
    pid_t with_libc = fork();
    if (with_libc == 0) {
        calls("child", 7);
        _exit(0);
    }
    pid_t bare = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (bare == 0) {
        calls("bare child", 9);
        syscall(SYS_exit_group, 0);
    }
    while (wait(NULL) > 0) {
    }
    calls("parent", 5);
    return 0;
}

static volatile sig_atomic_t handled;
static int in_handler;
static void on_alarm(int signal) {
    (void)signal;
    rec_begin(in_handler);
    rec_end(in_handler);
    handled++;
}
static int scene_signals(void) {
    in_handler = region("handler");
    struct itimerval every = {{0, 200}, {0, 200}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    int r = region("work");
    for (int i = 0; i < 1000000; i++) {
        rec_begin(r);
        rec_end(r);
    }
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_REAL, &every, NULL);
    char line[32];
    snprintf(line, sizeof line, "%d\n", (int)handled);
    return write(STDOUT_FILENO, line, strlen(line)) < 0;
}

/* A call's end and its group lie so that it is always the end that finds the lane full. */
static int scene_facts(void) {
    const uint64_t payload[] = {1}, head = SPOOL_GROUP(SPOOL_MPI_CALL, 0, 1);
    struct itimerval every = {{0, 50}, {0, 50}};
    int dropped = 0, r = region("work");
    in_handler = region("handler");
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 1000000; i++) {
        rec_begin(r);
        dropped += !rec_end_with(r, clock_ticks((enum spool_clock)rec_now_clock), head, payload, 1);
    }
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_REAL, &every, NULL);
    return dropped > 0;
}

/* An idle lane: 2^40 ticks cannot be waited for, so the base is set back instead. */
static int scene_idle(void) {
    calls("idle", 1);
    lane_mine->base -= UINT64_C(3) << SPOOL_TICK_BITS;
    calls("idle", 2);
    return 0;
}

static pthread_key_t late_key;
static void in_destructor(void *unused) {
    (void)unused;
    calls("destructor", 1);
}
static void *thread_with_key(void *unused) {
    pthread_setspecific(late_key, &late_key);
    calls("body", 1);
    return unused;
}
static int scene_keys(void) {
    pthread_t t;
    pthread_key_create(&late_key, in_destructor);
    for (int i = 0; i < 20; i++) {
        pthread_create(&t, NULL, thread_with_key, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}

static int scene_removed(void) {
    calls("before", 10);
    char path[PATH_MAX + 64];
    process_path(&session_recorder, path, "-0.lane");
    unlink(path);
    calls("until the flush", 100000);
    return rec_active() ? 1 : 0;
}

static int scene_contexts(void) {
    char output[64];
    for (int round = 0; round < 3; round++) {
        struct recorder *r[REC_MAX_OPEN];
        for (int i = 0; i < REC_MAX_OPEN; i++) {
            snprintf(output, sizeof output, "context%d.h5", i);
            if (!(r[i] = rec_open(output, i))) return 1;
            int solve = rec_region_in(r[i], "solve", 5, NULL, -1, NULL);
            if (solve != 1 || rec_num_regions(r[i]) != 1) return 2;
            for (int k = 0; k < i + 1; k++) {
                rec_begin_in(r[i], solve);
                rec_end_in(r[i], solve);
            }
            size_t count;
            struct process_read *p = spool_read(rec_spool_path(r[i]), &count);
            if (count != 1 || count_events(p, "solve", true) != (size_t)i + 1 || p->head.launcher_rank != i) return 3;
            spool_free(p, count);
        }
        if (rec_open("one more.h5", 0) || errno != EMFILE) return 4;
        for (int i = 0; i < REC_MAX_OPEN; i++) {
            char spool[PATH_MAX];
            snprintf(spool, sizeof spool, "%s", rec_spool_path(r[i]));
            rec_close(r[i]);
            if (access(spool, F_OK) == 0) return 5;
        }
    }
    return 0;
}

/* Begin and end go to another recorder and back, from two threads, and directly as well. */
static struct recorder *two[2];
static void *use_default(void *unused) {
    calls("of default", 3);
    return unused;
}
static int count_in(struct recorder *r, const char *name) {
    size_t count;
    struct process_read *p = spool_read(rec_spool_path(r), &count);
    int n = count == 1 ? (int)count_events(p, name, true) : -1;
    spool_free(p, count);
    return n;
}
static int scene_switching(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        if (!(two[i] = rec_open(i ? "switch1.h5" : "switch0.h5", i))) return 1;
    calls("of session", 5);
    for (int round = 0; round < 10; round++) {
        rec_make_default(two[round & 1]);
        calls("of default", round);
        int direct = rec_region_in(two[0], "direct", 6, NULL, -1, NULL);
        rec_begin_in(two[0], direct);
        rec_end_in(two[0], direct);
        pthread_create(&t, NULL, use_default, NULL);
        pthread_join(t, NULL);
    }
    rec_make_default(NULL);
    calls("of session", 5);
    if (count_in(two[0], "of default") != 0 + 2 + 4 + 6 + 8 + 15) return 2;
    if (count_in(two[1], "of default") != 1 + 3 + 5 + 7 + 9 + 15) return 3;
    if (count_in(two[0], "direct") != 10) return 4;
    if (rec_num_lanes(two[0]) > 2 || rec_num_lanes(two[1]) > 2) return 5;
    rec_close(two[0]);
    rec_close(two[1]);
    calls("of session", 5);
    return 0;
}

static const struct scene {
    const char *name;
    int (*play)(void);
} scenes[] = {{"nothing", scene_nothing},    {"many", scene_many},       {"names", scene_names},
              {"ignored", scene_ignored},    {"threads", scene_threads}, {"fork", scene_fork},
              {"signals", scene_signals},    {"facts", scene_facts},     {"idle", scene_idle},
              {"keys", scene_keys},          {"removed", scene_removed}, {"contexts", scene_contexts},
              {"switching", scene_switching}};

/* ---- playing them
 * ---------------------------------------------------------------------------------------------------- */

static char spool[64];
static char printed[256]; /* what the scene wrote on stdout */
static char errors[4096];

static void read_all(int fd, char *to, size_t size) {
    size_t n = 0;
    for (ssize_t got; n < size - 1 && (got = read(fd, to + n, size - 1 - n)) > 0;) n += (size_t)got;
    to[n] = 0;
    close(fd);
}

static void play(const char *scene, const char *clock) {
    int out[2], err[2], status;
    strcpy(spool, "/tmp/test-recorder-XXXXXX");
    assert_non_null(mkdtemp(spool));
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        dup2(err[1], 2);
        setenv(SPOOL_ENV_SPOOL, spool, 1);
        if (clock) setenv("SCOPE_PROFILER_CLOCK", clock, 1);
        execl("/proc/self/exe", "test_recorder", scene, NULL);
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    read_all(out[0], printed, sizeof printed);
    read_all(err[0], errors, sizeof errors);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}
static int after(void **state) {
    (void)state;
    return nftw(spool, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The scene's processes; the caller frees them. */
static struct process_read *played(const char *scene, size_t processes) {
    size_t count;
    play(scene, NULL);
    assert_string_equal(errors, "");
    struct process_read *p = spool_read(spool, &count);
    assert_int_equal(count, processes);
    return p;
}

/* ---- tests
 * ------------------------------------------------------------------------------------------------------------ */

static void nothing_recorded_leaves_nothing(void **state) {
    (void)state;
    size_t count;
    play("nothing", NULL);
    struct process_read *p = spool_read(spool, &count);
    assert_int_equal(count, 0);
    spool_free(p, count);
}

static void check_many(const char *clock, enum spool_clock kind) {
    size_t count;
    play("many", clock);
    struct process_read *p = spool_read(spool, &count);
    assert_int_equal(count, 1);
    assert_int_equal(p->head.clock, kind);
    assert_int_equal(count_events(p, "many", false), 200000);
    assert_int_equal(count_events(p, "many", true), 200000);
    assert_int_equal(p->num_lanes, 1);
    assert_true(p->lanes[0].flushed > 0);
    uint64_t before = 0;
    for (size_t i = 0; i < p->lanes[0].count; i++) {
        const struct event *e = &p->lanes[0].events[i];
        if (!e->region) continue;
        assert_true(e->ticks >= before);
        before = e->ticks;
    }
    assert_true(before <= p->head.end_tick && before > p->head.first.ticks);
    assert_int_equal(p->head.end, SPOOL_END_EXIT);
    assert_true(p->head.last.ns > p->head.first.ns && p->head.last.ticks > p->head.first.ticks);
    spool_free(p, count);
}
static void every_event_is_there_in_order(void **state) {
    (void)state;
#if defined(__x86_64__)
    check_many("counter", SPOOL_CLOCK_TSC);
#elif defined(__aarch64__)
    check_many("counter", SPOOL_CLOCK_CNTVCT);
#endif
}
static void clock_gettime_works_as_well(void **state) {
    (void)state;
    check_many("monotonic", SPOOL_CLOCK_MONOTONIC);
}

static void names_of_any_kind(void **state) {
    (void)state;
    struct process_read *p = played("names", 1);
    assert_int_equal(p->num_names, 10004);
    assert_string_equal(p->names[9999], "region 9999");
    assert_int_equal(p->name_lengths[10000], 1000000);
    assert_string_equal(p->names[10001], "");
    assert_string_equal(p->names[10002], "\xff\xfe");
    assert_string_equal(p->names[10003], "late");
    assert_string_equal(p->files[10003], "where.c");
    assert_int_equal(count_events(p, "", true), 3);
    assert_int_equal(count_events(p, "\xff\xfe", true), 4);
    spool_free(p, 1);
}

static void no_region_is_no_event(void **state) {
    (void)state;
    struct process_read *p = played("ignored", 1);
    size_t events = 0;
    for (size_t i = 0; i < p->lanes[0].count; i++) events += p->lanes[0].events[i].region != 0;
    assert_int_equal(events, 2);
    spool_free(p, 1);
}

static void threads_hand_their_lanes_on(void **state) {
    (void)state;
    struct process_read *p = played("threads", 1);
    assert_int_equal(count_events(p, "in thread", false), 3080);
    assert_int_equal(count_events(p, "in thread", true), 3080);
    assert_true(p->num_lanes <= 8);
    char seen[309] = {0};
    size_t begins = 0, ends = 0;
    for (size_t i = 0; i < p->num_lanes; i++)
        for (size_t k = 0; k < p->lanes[i].count; k++) {
            const struct event *e = &p->lanes[i].events[k];
            if (e->group == SPOOL_THREAD_BEGIN) {
                begins++;
                assert_true(e->payload[2] >= 1 && e->payload[2] <= 308 && !seen[e->payload[2]]);
                seen[e->payload[2]] = 1;
            }
            ends += e->group == SPOOL_THREAD_END;
        }
    assert_int_equal(begins, 308);
    assert_int_equal(ends, 308);
    spool_free(p, 1);
}

static void children_have_their_own_files(void **state) {
    (void)state;
    struct process_read *p = played("fork", 3);
    size_t parents = 0, children = 0, bare = 0;
    for (size_t i = 0; i < 3; i++) {
        size_t of_parent = count_events(&p[i], "parent", true);
        parents += of_parent;
        children += count_events(&p[i], "child", true);
        bare += count_events(&p[i], "bare child", true);
        if (!of_parent) assert_true(p[i].head.parent_id != 0);
        if (of_parent) assert_int_equal(of_parent, 10);
    }
    assert_int_equal(parents, 10);
    assert_int_equal(children, 7);
    assert_int_equal(bare, 9);
    spool_free(p, 3);
}

static void signal_handlers_record_too(void **state) {
    (void)state;
    struct process_read *p = played("signals", 1);
    size_t handled_events = (size_t)atoi(printed);
    assert_true(handled_events > 10);
    assert_int_equal(count_events(p, "work", false), 1000000);
    assert_int_equal(count_events(p, "work", true), 1000000);
    assert_int_equal(count_events(p, "handler", false), handled_events);
    assert_int_equal(count_events(p, "handler", true), handled_events);
    assert_int_equal(p->lanes[0].zeros, 0);
    spool_free(p, 1);
}

static void handlers_do_not_part_a_call_from_its_facts(void **state) {
    (void)state;
    struct process_read *p = played("facts", 1);
    assert_int_equal(count_events(p, "work", true), 1000000);
    spool_free(p, 1);
}

static void an_idle_lane_gets_a_new_epoch(void **state) {
    (void)state;
    struct process_read *p = played("idle", 1);
    size_t epochs = 0;
    for (size_t k = 0; k < p->lanes[0].count; k++) epochs += p->lanes[0].events[k].group == SPOOL_EPOCH;
    assert_int_equal(epochs, 1);
    assert_int_equal(count_events(p, "idle", true), 3);
    for (size_t k = 0; k < p->lanes[0].count; k++)
        if (p->lanes[0].events[k].region) assert_true(p->lanes[0].events[k].ticks <= p->head.end_tick);
    spool_free(p, 1);
}

static void destructors_of_keys_record(void **state) {
    (void)state;
    struct process_read *p = played("keys", 1);
    assert_int_equal(count_events(p, "body", true), 20);
    assert_int_equal(count_events(p, "destructor", true), 20);
    assert_true(p->num_lanes <= 2);
    spool_free(p, 1);
}

static void a_removed_spool_ends_recording_with_one_line(void **state) {
    (void)state;
    play("removed", NULL);
    assert_non_null(strstr(errors, "scope-profiler: recording stopped: "));
    assert_ptr_equal(strchr(errors, '\n'), errors + strlen(errors) - 1);
}

static void contexts_are_separate(void **state) {
    (void)state;
    char here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir("/tmp"), 0);
    play("contexts", NULL);
    assert_int_equal(chdir(here), 0);
    assert_string_equal(errors, "");
}

static void the_default_recorder_can_change(void **state) {
    (void)state;
    char here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir("/tmp"), 0);
    struct process_read *p = played("switching", 1);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(count_events(p, "of session", true), 15);
    spool_free(p, 1);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(argv[1], scenes[i].name) == 0) return scenes[i].play();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_recorded_leaves_nothing, after),
        cmocka_unit_test_teardown(every_event_is_there_in_order, after),
        cmocka_unit_test_teardown(clock_gettime_works_as_well, after),
        cmocka_unit_test_teardown(names_of_any_kind, after),
        cmocka_unit_test_teardown(no_region_is_no_event, after),
        cmocka_unit_test_teardown(threads_hand_their_lanes_on, after),
        cmocka_unit_test_teardown(children_have_their_own_files, after),
        cmocka_unit_test_teardown(signal_handlers_record_too, after),
        cmocka_unit_test_teardown(handlers_do_not_part_a_call_from_its_facts, after),
        cmocka_unit_test_teardown(an_idle_lane_gets_a_new_epoch, after),
        cmocka_unit_test_teardown(destructors_of_keys_record, after),
        cmocka_unit_test_teardown(a_removed_spool_ends_recording_with_one_line, after),
        cmocka_unit_test_teardown(contexts_are_separate, after),
        cmocka_unit_test_teardown(the_default_recorder_can_change, after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
