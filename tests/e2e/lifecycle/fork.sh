#!/bin/bash
# Children by fork: each has files of its own, holds nothing of its parent's, and harms nothing, in whatever state the
# parent was; a daemon does not hold up the run.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >forks.c <<'C'
#include "mk.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
static void *noise(void *a)
{
    while (!stop) { MB("noise"); ME("noise"); }
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, noise, 0); /* in the middle of an event while we fork */
    MB("before"); ms(20); ME("before");
    MB("around");
    for (int i = 0; i < 20; i++) {
        pid_t p = fork();
        if (p == 0) {
            MB("child"); ms(5); ME("child");
            if (i % 2) _exit(0);
            exit(0);
        }
    }
    int st, bad = 0;
    while (wait(&st) > 0) bad += st != 0;
    ME("around");
    MB("parent"); ms(20); ME("parent");
    stop = 1;
    pthread_join(t, 0);
    printf("bad %d\n", bad);
    return 0;
}
C
compile -pthread forks.c -o forks
for i in $(seq 10); do
    RUN_TIMEOUT=30 run scope-profiler run -q -o "f$i.h5" ./forks
    equal "run $i: status and result" "0 bad 0" "$rc $(cat out.txt)"
    equal "run $i: calls of the parent" "1 1 1" "$(ncalls "f$i.h5" before 0) $(ncalls "f$i.h5" around 0) $(ncalls "f$i.h5" parent 0)"
    equal "run $i: calls over all" "1 1 1" "$(ncalls "f$i.h5" before) $(ncalls "f$i.h5" around) $(ncalls "f$i.h5" parent)"
    equal "run $i: calls of the children" "20" "$(ncalls "f$i.h5" child)"
    equal "run $i: noise is the parent's" "0" "$(ranks "f$i.h5" noise)"
    rm -f "f$i.h5"
done
equal "nothing is left" "" "$(ls -A | grep -e spool -e tmp)"

cat >daemon.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int p[2];
    char byte = 0;
    MB("fore"); ms(10); ME("fore");
    if (pipe(p)) return 9;
    if (fork()) { /* the first process ends by _exit once its daemon has recorded something */
        if (read(p[0], &byte, 1) != 1) return 8;
        _exit(0);
    }
    setsid();
    for (int i = 0; i < 3; i++) {
        MB("back"); ms(i ? 600 : 1); ME("back");
        if (i == 0 && write(p[1], &byte, 1) != 1) return 7;
    }
    FILE *f = fopen("daemon.txt", "w");
    fputs("daemon done\n", f);
    fclose(f);
    return 0;
}
C
compile daemon.c -o daemon
begin=$(date +%s%N)
run scope-profiler run -o d.h5 ./daemon
equal "the foreground ends well" 0 "$rc"
between "the run does not wait for the daemon, seconds" 0 1.1 "$(awk "BEGIN { print ($(date +%s%N) - $begin) / 1e9 }")"
contains "the daemon is announced" "still running" err.txt
equal "calls of the foreground" 1 "$(ncalls d.h5 fore)"
between "calls of the daemon so far" 1 2 "$(ncalls d.h5 back)"
sum_before=$(cksum <d.h5)
ok "the daemon does its work" await 20 grep -q "daemon done" daemon.txt
sleep 0.2
equal "the file is left alone afterwards" "$sum_before" "$(cksum <d.h5)"
equal "nothing is left of the daemon's" "" "$(ls -A | grep -e spool -e tmp)"

# A daemon that has recorded nothing by then is announced as well; another program in the background is not.
cat >late.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v)
{
    (void)v;
    MB("fore"); ME("fore");
    if (c > 1) return system("sleep 3 >/dev/null 2>&1 &");
    if (fork()) _exit(0);
    ms(1500);
    MB("back"); ME("back");
    return 0;
}
C
compile late.c -o late
run scope-profiler run -q -o late.h5 ./late
equal "late daemon: status" 0 "$rc"
matches "late daemon: announced" "process [0-9]+ \\(late\\) was still running" err.txt
run scope-profiler run -q -o late.h5 ./late sleep
equal "another program: status and silence" "0 " "$rc $(cat err.txt)"

# fork by the bare system call: no handler of the C library runs.
cat >raw.c <<'C'
#include "mk.h"
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    MB("before"); ME("before");
    for (int i = 0; i < 10; i++) {
        long p = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (p == 0) {
            for (int k = 0; k < 5000; k++) { MB("child"); ME("child"); }
            syscall(SYS_exit_group, 0);
        }
        for (int k = 0; k < 5000; k++) { MB("parent"); ME("parent"); }
        waitpid((pid_t)p, 0, 0);
    }
    puts("done");
    return 0;
}
C
compile raw.c -o raw
run scope-profiler run -q -o raw.h5 ./raw
equal "raw clone: result" "0 done" "$rc $(cat out.txt)"
equal "raw clone: the parent's calls are whole" "1 50000" "$(ncalls raw.h5 before) $(ncalls raw.h5 parent)"
equal "raw clone: nothing of the parent's is unbalanced" "0 0" "$(problem raw.h5 unmatched) $(problem raw.h5 cut)"
matches "raw clone: the children's calls are whole or absent" '^(0|50000)$' <(ncalls raw.h5 child)
finish
