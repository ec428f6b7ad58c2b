#!/bin/bash
# However a process ends, what it recorded is there, and a call that was open is stored as cut off.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >ends.c <<'C'
#include "mk.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int c, char **v)
{
    (void)c;
    for (int i = 0; i < 30; i++) { MB("step"); ms(2); ME("step"); }
    MB("open"); ms(10);
    if (!strcmp(v[1], "exit")) exit(7);
    if (!strcmp(v[1], "_exit")) _exit(7);
    if (!strcmp(v[1], "_Exit")) _Exit(7);
    if (!strcmp(v[1], "quick")) quick_exit(7);
    if (!strcmp(v[1], "group")) syscall(SYS_exit_group, 7);
    if (!strcmp(v[1], "abort")) abort();
    if (!strcmp(v[1], "term")) raise(SIGTERM);
    if (!strcmp(v[1], "kill9")) raise(SIGKILL);
    return 7;
}
C
compile ends.c -o ends
ulimit -c 0

ends() { # HOW STATUS ENDED SECONDS: what the open call lasts at least, `run` having seen the end of an abrupt one
    local f=$1.h5
    run scope-profiler run -q -o "$f" ./ends "$1"
    equal "$1: status" "$2" "$rc"
    equal "$1: finished calls" 30 "$(ncalls "$f" step)"
    equal "$1: the open call is kept" 1 "$(ncalls "$f" open)"
    equal "$1: and marked" "1 1" "$(problem "$f" cut open) $(problem "$f" cut)"
    equal "$1: it was open at exit" 1 "$(column "$f" problem_table at_exit)"
    between "$1: its time, seconds" "$4" 5 "$(total "$f" open)"
    equal "$1: how it ended" "$3" "$(column "$f" process_table ended)"
    case $3 in signal*) contains "$1: it is said" "(ends) was ended by $3 (" err.txt ;; esac
    run scope-profiler inspect "$f"
    equal "$1: inspect" 0 "$rc"
}
for how in return exit; do ends $how 7 "exit 7" 0.009; done
for how in _exit _Exit quick group; do ends $how 7 "exit 7" 0.009; done
ends abort 134 "signal 6" 0.009
ends term 143 "signal 15" 0.009
ends kill9 137 "signal 9" 0.009
equal "nothing is left" "" "$(ls -A | grep -e spool -e tmp)"
finish
