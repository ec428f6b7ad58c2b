#!/bin/bash
# Programs that start others: vfork and exec, posix_spawn with an empty environment, chains of exec. Every image that
# can be recorded is, each for itself, and none writes into another's.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >chain.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <unistd.h>
int main(int c, char **v) /* chain a b c: records 1000 calls of `a`, leaves one open, becomes `chain b c` */
{
    if (c < 2) return 0;
    for (int i = 0; i < 1000; i++) { MB(v[1]); ME(v[1]); }
    if (c == 2) return 5;
    MB("left open");
    v[1] = v[0];
    execv(v[0], v + 1);
    return 9;
}
C
compile chain.c -o chain
run scope-profiler run -q -o chain.h5 ./chain a b c d
equal "chain: status" 5 "$rc"
for r in a b c d; do equal "chain: calls of $r" 1000 "$(ncalls chain.h5 $r)"; done
equal "chain: calls open at an exec are marked" 3 "$(problem chain.h5 cut "left open")"
equal "chain: images" 4 "$(column chain.h5 process_table pid | wc -l)"
equal "chain: of one process" 1 "$(column chain.h5 process_table pid | sort -u | wc -l)"

cat >starts.c <<'C'
#include "mk.h"
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(void)
{
    char *args[] = {"./chain", "child", 0}, *none[] = {0};
    int st, bad = 0;
    for (int i = 0; i < 30; i++) {
        MB("parent");
        pid_t p;
        if (i % 3 == 0) {
            p = vfork();
            if (p == 0) { execv(args[0], args); _exit(9); }
        } else if (posix_spawn(&p, args[0], 0, 0, args, i % 3 == 1 ? environ : none)) {
            return 8;
        }
        ME("parent");
        waitpid(p, &st, 0);
        bad += WEXITSTATUS(st) != 5;
    }
    if (vfork() == 0) _exit(0);
    printf("bad %d\n", bad);
    return 0;
}
C
compile starts.c -o starts
run scope-profiler run -q -o s.h5 ./starts
equal "starts: result" "0 bad 0" "$rc $(cat out.txt)"
equal "starts: calls of the parent" "30 0" "$(ncalls s.h5 parent) $(problem s.h5 cut)"
equal "starts: calls of the 20 children that have the environment" 20000 "$(ncalls s.h5 child)"
equal "starts: processes" 21 "$(column s.h5 process_table pid | sort -u | wc -l)"
equal "starts: the parent is rank 0" 0 "$(ranks s.h5 parent)"
finish
