#!/bin/bash
# Standard streams belong to the program: a filter in a pipeline, a background helper that keeps them open, a terminal.
. "$(dirname "$0")/../lib/lib.sh"
need gcc script
cat >filter.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    static char data[200000];
    MB("filter");
    size_t n = fread(data, 1, sizeof data, stdin);
    while (n) putchar(data[--n]);
    ME("filter");
    fprintf(stderr, "%d %d %d\n", isatty(0), isatty(1), isatty(2));
    fflush(stdout);
    if (fork() == 0) execlp("sleep", "sleep", "20", (char *)0); /* keeps all three open */
    return 0;
}
C
compile filter.c -o filter
head -c 100000 /dev/zero | tr '\0' q >in.bin
printf 'end\0\377' >>in.bin
./filter <in.bin >want.bin 2>/dev/null
begin=$SECONDS
scope-profiler run -q -o f.h5 ./filter <in.bin >out.bin 2>err.txt
equal "status" 0 $?
between "seconds" 0 8 $((SECONDS - begin))
ok "stdout is the program's, byte for byte" cmp want.bin out.bin
equal "stderr is the program's" "0 0 0" "$(cat err.txt)"
equal "calls" 1 "$(ncalls f.h5 filter)"

scope-profiler run -o g.h5 ./filter <in.bin >out.bin 2>err.txt
ok "stdout without -q" cmp want.bin out.bin
contains "the file is named on stderr" "g.h5" err.txt
matches "our text has our name in front" '^scope-profiler: ' err.txt

script -qec "scope-profiler run -q -o tty.h5 ./filter" /dev/null </dev/null >tty.txt
contains "on a terminal" "1 1 1" tty.txt

# Closed standard streams stay closed, a closed pipe ends the program as it would without us.
run bash -c 'scope-profiler run -q -o c.h5 ./filter <&- >&- 2>&-'
equal "closed streams" 0 "$rc"
bash -c 'scope-profiler run -q -o p.h5 yes; echo "$?" >status.txt' 2>err.txt | head -n 1 >out.txt
equal "a broken pipe is SIGPIPE for the program" "141 y" "$(cat status.txt out.txt | xargs)"

# Signals from the terminal and from outside reach the program, and the command ends with it.
cat >waits.c <<'C'
#include "mk.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void note(int s) { got = s; }
int main(void)
{
    struct sigaction a = {.sa_handler = note};
    sigaction(SIGTERM, &a, 0);
    sigaction(SIGUSR1, &a, 0);
    MB("wait");
    fclose(fopen("ready", "w"));
    while (!got) pause();
    ME("wait");
    return got == SIGTERM ? 11 : 12;
}
C
compile waits.c -o waits
for s in TERM:11 USR1:12; do
    rm -f ready
    scope-profiler run -q -o w.h5 ./waits 2>err.txt &
    pid=$!
    ok "SIG${s%:*}: the program waits" await 10 test -e ready
    kill -"${s%:*}" $pid
    wait $pid
    equal "SIG${s%:*} goes on to the program" "${s#*:}" $?
    equal "SIG${s%:*}: its call is whole" "1 0" "$(ncalls w.h5 wait) $(problem w.h5 cut)"
done

# Mask and dispositions are those that the caller had.
cat >mask.c <<'C'
#include "mk.h"
#include <signal.h>
#include <stdio.h>
int main(void)
{
    sigset_t set;
    struct sigaction a;
    sigprocmask(SIG_SETMASK, 0, &set);
    MB("x"); ME("x");
    for (int s = 1; s < 65; s++) {
        int known = sigaction(s, 0, &a) == 0;
        printf("%d%d%d ", s, sigismember(&set, s), known && a.sa_handler != SIG_DFL);
    }
    return 0;
}
C
compile mask.c -o mask
(trap '' HUP INT; ./mask) >bare.txt
(trap '' HUP INT; scope-profiler run -q -o m.h5 ./mask) >recorded.txt
equal "signal mask and dispositions" "$(cat bare.txt)" "$(cat recorded.txt)"
finish
