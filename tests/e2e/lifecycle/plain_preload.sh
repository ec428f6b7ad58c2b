#!/bin/bash
# LD_PRELOAD without `run`: the default file, no trace in programs that record nothing, errno and memory as they were.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >prog.c <<'C'
#include "mk.h"
#include <errno.h>
#include <stdio.h>
int main(void)
{
    int at_main = errno;
    for (int i = 0; i < 1000; i++) { MB("work"); ME("work"); }
    errno = 77;
    MB("first time"); ME("first time");
    printf("errno %d %d\n", at_main, errno);
    return 4;
}
C
compile prog.c -o prog
export SCOPE_PROFILER_COMMAND=$SCOPE_PROFILER
plain() { run env LD_PRELOAD="$SCOPE_PRELOAD" "$@"; }
ends_up() { await 20 test -e "$1"; }

plain ./prog
equal "result" "4 errno 0 77" "$rc $(cat out.txt)"
ok "the default file appears" ends_up profiling_data.h5
equal "calls" "1000 1" "$(ncalls profiling_data.h5 work) $(ncalls profiling_data.h5 "first time")"
ok "the spool goes away" await 20 bash -c '! ls -A | grep -q spool'
run env SCOPE_PROFILER_OUTPUT=named.h5 LD_PRELOAD="$SCOPE_PRELOAD" ./prog
ok "a named file appears" ends_up named.h5
equal "calls in it" 1000 "$(ncalls named.h5 work)"
unset SCOPE_PROFILER_COMMAND
rm -f profiling_data.h5
plain ./prog
ok "the command is found without being named" ends_up profiling_data.h5

mkdir empty && cd empty || exit
for program in /bin/true "ls /usr/bin" "sh -c :" "cat /proc/self/cmdline"; do
    $program >../bare.txt
    plain $program
    equal "$program: status" 0 "$rc"
    equal "$program: silent" "" "$(cat err.txt)"
    ok "$program: the same output" cmp -s ../bare.txt out.txt
    rm out.txt err.txt
    equal "$program: no file" "" "$(ls -A)"
done
cd .. || exit

# A directory that nobody may write: the program runs, one line says what is the matter.
mkdir closed && cp prog closed/ && chmod 555 closed
if [ "$(id -u)" = 0 ]; then who="setpriv --reuid 65534 --clear-groups"; else who=; fi
run bash -c "cd closed && exec $who env LD_PRELOAD='$SCOPE_PRELOAD' ./prog"
equal "unwritable directory: result" "4 errno 0 77" "$rc $(cat out.txt)"
equal "unwritable directory: one line" 1 "$(wc -l <err.txt)"
contains "unwritable directory: ours" "scope-profiler:" err.txt

# umask 0777 and an emptied environment before the first event.
cat >shut.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <sys/stat.h>
int main(void)
{
    umask(0777);
    clearenv();
    for (int i = 0; i < 400000; i++) { MB("work"); ME("work"); }
    return 0;
}
C
compile shut.c -o shut
mkdir open && cp shut open/ && chmod 777 open
run bash -c "cd open && exec $who scope-profiler run -q -o s.h5 ./shut"
equal "umask 0777: status and calls" "0 400000" "$rc $(ncalls open/s.h5 work)"
equal "umask 0777: mode of the file" 644 "$(stat -c %a open/s.h5)"
# An output that is no file is refused before anything is recorded, once for a whole family of processes.
run env SCOPE_PROFILER_OUTPUT=/dev/full LD_PRELOAD="$SCOPE_PRELOAD" sh -c './prog; ./prog'
equal "a device as output" "scope-profiler: /dev/full: not a regular file: nothing is recorded" "$(cat err.txt)"
equal "nothing is left beside it" "" "$(find /dev -maxdepth 1 -name '.full.spool*')"
finish
