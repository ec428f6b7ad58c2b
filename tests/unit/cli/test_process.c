#include "scratch.h"

#include "launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static int here(void) { return open(".", O_RDONLY | O_DIRECTORY); }

static void life_and_death(void **state) {
    (void)state;
    struct process self = proc_of(getpid()), later = self;
    assert_true(self.start > 0);
    assert_true(proc_alive(self));
    assert_int_equal(proc_parent(getpid()), getppid());
    later.start++; /* the pid of an earlier process, used again */
    assert_false(proc_alive(later));
    assert_false(proc_alive((struct process){0, 0}));
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    struct process process = proc_of(child);
    assert_true(proc_alive(process));
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    assert_false(proc_alive(process)); /* a zombie */
    waitpid(child, NULL, 0);
    assert_false(proc_alive(process));
}

static bool count(int spool, const char *name, void *argument) {
    (void)spool;
    *(size_t *)argument += strlen(name);
    return false;
}

static void files(void **state) {
    (void)state;
    int spool = here();
    struct process process = {4711, 12345678901}, read;
    char node[NODE_DIGITS + 1], again[NODE_DIGITS + 1];
    proc_node(node);
    proc_node(again);
    assert_int_equal(strlen(node), NODE_DIGITS);
    assert_string_equal(node, again);
    assert_int_equal(proc_record(spool, "rank-0-abc", process), 0);
    assert_int_equal(proc_record(spool, "rank-0-abc", process), -1);
    assert_int_equal(errno, EEXIST);
    assert_true(proc_read(spool, "rank-0-abc", &read));
    assert_int_equal(read.pid, 4711);
    assert_int_equal(read.start, 12345678901);
    process.pid = 4712;
    assert_int_equal(proc_replace(spool, "rank-0-abc", process), 0);
    assert_true(proc_read(spool, "rank-0-abc", &read));
    assert_int_equal(read.pid, 4712);
    put_file("rank-1-abc", "nonsense", 8, 0644);
    put_file("rank-2-abd", "", 0, 0644);
    assert_false(proc_read(spool, "rank-1-abc", &read));
    assert_false(proc_read(spool, "rank-2-abd", &read));
    assert_false(proc_read(spool, "missing", &read));
    size_t letters = 0;
    assert_false(proc_files(spool, "rank-", "-abc", count, &letters));
    assert_int_equal(letters, 2 * strlen("rank-0-abc"));
    close(spool);
}

static void environments(void **state) {
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        char *environment[] = {"MARK=1", "MARKER_2=", NULL}, *argv[] = {"sh", "-c", "echo; kill -STOP $$", NULL};
        dup2(ready[1], 1);
        execve("/bin/sh", argv, environment);
        _exit(9);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(proc_had_variable(child, "MARK"));
    assert_true(proc_had_variable(child, "MARKER_2"));
    assert_false(proc_had_variable(child, "MARKER"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(proc_had_variable(child, "MARK"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(life_and_death), cmocka_unit_test(files),
                                       cmocka_unit_test(environments)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
