#!/bin/bash
# Programs that a preload cannot enter run as ever; the run says why nothing was recorded and leaves no file.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
printf '#include <stdio.h>\nint main(void) { puts("ran"); return 3; }\n' >p.c
gcc -static p.c -o stat || skip "no static C library"
printf '#!/bin/sh\n./stat\nexit 5\n' >wrap.sh
chmod +x wrap.sh

nothing() { # NAME STATUS OUTPUT PATTERN CMD...
    local name=$1 status=$2 output=$3 pattern=$4; shift 4
    echo old >"$name.h5"
    run scope-profiler run -o "$name.h5" "$@"
    equal "$name: status and output" "$status $output" "$rc $(cat out.txt)"
    matches "$name: says why" "$pattern" err.txt
    lacks "$name: the linker is silent" "ld.so" err.txt
    equal "$name: every line is ours" 0 "$(grep -cv '^scope-profiler: ' err.txt)"
    equal "$name: an older file is left alone" old "$(cat "$name.h5")"
    rm "$name.h5"
}
nothing static 3 ran 'static' ./stat
nothing wrapped 5 ran 'nothing was recorded|recorded nothing' ./wrap.sh
nothing plain 0 "" 'nothing was recorded|recorded nothing' true
if [ "$(id -u)" = 0 ]; then
    gcc p.c -o suid && chmod 4755 suid
    nothing suid 3 ran 'set-user-ID' setpriv --reuid 65534 --clear-groups ./suid
    # A recorded program that calls it: the call runs, the caller's calls are kept.
    cat >caller.c <<'C'
#include "mk.h"
#include <stdlib.h>
int main(void)
{
    MB("call");
    int st = system("./suid");
    ME("call");
    return st >> 8;
}
C
    compile caller.c -o caller
    chmod 777 .
    run setpriv --reuid 65534 --clear-groups scope-profiler run -q -o caller.h5 ./caller
    equal "a set-user-ID child: status and output" "3 ran" "$rc $(cat out.txt)"
    equal "a set-user-ID child: silent" "" "$(cat err.txt)"
    equal "a set-user-ID child: the caller's calls" 1 "$(ncalls caller.h5 call)"
    # Recording goes on in a program that gives up its rights before its first event.
    cat >drops.c <<'C'
#include "mk.h"
#include <unistd.h>
int main(void)
{
    if (setuid(65534)) return 9;
    for (int i = 0; i < 300000; i++) { MB("after"); ME("after"); }
    return 0;
}
C
    compile drops.c -o drops
    run scope-profiler run -q -o drops.h5 ./drops
    equal "rights given up before the first event" "0 300000" "$rc $(ncalls drops.h5 after)"
else
    echo "SKIP: set-user-ID parts need root"
fi
finish
