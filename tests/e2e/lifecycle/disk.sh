#!/bin/bash
# The disk fills while the program runs, or the spool is taken away: recording stops with one line, the program goes on,
# and the file says that it is incomplete and from when.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
need_root
cat >fills.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v) /* fills CALLS [REMOVE AT]: removes the file or runs the command when AT calls are done */
{
    long n = atol(v[1]), at = c > 3 ? atol(v[3]) : -1;
    for (long i = 0; i < n; i++) {
        if (i == at && system(v[2])) return 9;
        MB("event"); ME("event");
    }
    if (at == n && system(v[2])) return 9;
    puts("result 42");
    return 3;
}
C
compile fills.c -o fills
mkdir disk
mount -t tmpfs -o size=16m tmpfs disk || skip "cannot mount a tmpfs"
head -c 9M /dev/zero >disk/ballast

# 7 MiB are left: about 450 000 calls. The ballast goes before the end, so there is room for the profile.
run scope-profiler run -q -o disk/x.h5 ./fills 3000000 "rm disk/ballast" 3000000
equal "filled: result and status" "3 result 42" "$rc $(cat out.txt)"
contains "filled: the cause is said" "No space left" err.txt
equal "filled: once at the moment, once at the end" "1 1" \
    "$(grep -c 'recording stopped: .*No space left' err.txt) $(grep -c 'process .*No space left' err.txt)"
between "filled: the calls before it are kept" 200000 500000 "$(ncalls disk/x.h5 event)"
equal "filled: not complete" 0 "$(column disk/x.h5 process_table complete)"
between "filled: since when" 1 9e18 "$(column disk/x.h5 process_table incomplete_since_ns)"
matches "filled: why" "No space left" <(column disk/x.h5 process_table problem)
lacks "filled: the file names no directory" "$e2e_dir" disk/x.h5
run scope-profiler inspect disk/x.h5
equal "filled: inspect" 0 "$rc"
contains "filled: inspect says it" "No space left" <(cat out.txt err.txt)
equal "filled: nothing else is left" x.h5 "$(ls -A disk)"

# No room even for the profile: an older file is left alone, the spool is kept for later and named.
rm disk/x.h5
head -c 9M /dev/zero >disk/ballast
echo old >disk/y.h5
run scope-profiler run -q -o disk/y.h5 ./fills 3000000
equal "no room: result and status" "3 result 42" "$rc $(cat out.txt)"
contains "no room: names the file" "y.h5" err.txt
lacks "no room: HDF5 is silent" "HDF5-DIAG" err.txt
equal "no room: the older file" old "$(cat disk/y.h5)"
equal "no room: no temporary file" "" "$(ls -A disk | grep -v -e '^\.y\.h5\.spool-' -e '^y.h5$' -e '^ballast$')"
spool=$(ls -dA disk/.y.h5.spool-*)
head -c 9M /dev/zero >disk/more 2>/dev/null
run scope-profiler collect -q --keep -o elsewhere.h5 "$spool"
equal "no room: collected to another disk" 0 "$rc"
between "no room: calls there" 200000 500000 "$(ncalls elsewhere.h5 event)"
rm -f disk/more
rm -f disk/ballast
run scope-profiler collect -q "$spool"
equal "no room: collected by hand once there is" 0 "$rc"
between "no room: calls" 200000 500000 "$(ncalls disk/y.h5 event)"
umount -l disk

# The spool is removed under the program.
run scope-profiler run -q -o gone.h5 ./fills 3000000 'rm -rf .gone.h5.spool-*' 1000000
equal "spool removed: result and status" "3 result 42" "$rc $(cat out.txt)"
between "spool removed: lines on stderr" 1 3 "$(wc -l <err.txt)"
lacks "spool removed: nothing is said to be kept" "is kept in" err.txt
lacks "spool removed: no temporary left" "gone" <(ls -A | grep -e tmp -e spool)
finish
