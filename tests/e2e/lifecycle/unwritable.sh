#!/bin/bash
# Output that cannot be written is refused before the program runs where that can be known, and costs nothing but one
# line where it shows later: the program's result and status are what they are.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >works.c <<'C'
#include "mk.h"
#include <stdio.h>
int main(void)
{
    for (long i = 0; i < 300000; i++) {
        char n[24];
        snprintf(n, sizeof n, "r%ld", i % 50);
        MB(n); ME(n);
    }
    puts("result 42");
    return 3;
}
C
compile works.c -o works
mkdir dir ro
chmod 755 ro

refused() { # WHAT PATH CMD...
    local what=$1 path=$2; shift 2
    run "$@"
    equal "$what: refused, nothing was run" "2 " "$rc $(cat out.txt)"
    equal "$what: one line" 1 "$(wc -l <err.txt)"
    contains "$what: names the path" "$path" err.txt
}
refused "missing directory" missing/dir/x.h5 scope-profiler run -o missing/dir/x.h5 ./works
refused "a directory" dir scope-profiler run -o dir ./works
refused "a device" /dev/full scope-profiler run -o /dev/full ./works
refused "the other device" /dev/null scope-profiler run -o /dev/null ./works
mkfifo pipe.h5
refused "a pipe" pipe.h5 scope-profiler run -o pipe.h5 ./works
refused "an empty name" "" scope-profiler run -o '' ./works
printf '' >file
refused "a file as the directory" file/x.h5 scope-profiler run -o file/x.h5 ./works
refused "a name too long" aaaa scope-profiler run -o "$(printf 'a%.0s' $(seq 300)).h5" ./works
letters() { printf 'a%.0s' $(seq "$1"); }
refused "a name that leaves no room for the recording's" aaaa scope-profiler run -o "$(letters 251).h5" ./works
contains "and says why" "the name of the file has 254 bytes, 231 are the most" err.txt
run scope-profiler run -q -o "$(letters 228).h5" ./works
equal "the longest name" "3 300000" "$rc $(h5 calls "$(letters 228).h5" | awk '{ n += $2 } END { print n }')"
rm -f -- "$(letters 228).h5"
if [ "$(id -u)" = 0 ]; then
    refused "no permission" ro/x.h5 setpriv --reuid 65534 --clear-groups scope-profiler run -o ro/x.h5 ./works
else
    chmod 555 ro
    refused "no permission" ro/x.h5 scope-profiler run -o ro/x.h5 ./works
fi

survives() { # WHAT FILE CMD...: the program's output and status stay
    local what=$1 file=$2; shift 2
    run "$@"
    equal "$what: result and status" "3 result 42" "$rc $(cat out.txt)"
    between "$what: lines on stderr" 1 3 "$(grep -c . err.txt)"
    equal "$what: each is ours" 0 "$(grep -cv '^scope-profiler: ' err.txt)"
    lacks "$what: HDF5 is silent" "HDF5-DIAG" err.txt
    if [ -e "$file" ]; then
        run scope-profiler inspect "$file"
        equal "$what: a file under the final name opens" 0 "$rc"
        equal "$what: and says that it is not complete" 0 "$(column "$file" process_table complete)"
    fi
}
survives "file-size limit" limit.h5 bash -c 'ulimit -f 8; exec scope-profiler run -q -o limit.h5 ./works'
survives "larger file-size limit" limit2.h5 bash -c 'ulimit -f 600; exec scope-profiler run -q -o limit2.h5 ./works'

if [ "$(id -u)" = 0 ] && mkdir tiny && mount -t tmpfs -o size=16k tmpfs tiny; then
    survives "a full disk" tiny/x.h5 scope-profiler run -q -o tiny/x.h5 ./works
    ls -A tiny
    umount -l tiny
else
    echo "SKIP: the full disk needs root and mount"
fi
finish
