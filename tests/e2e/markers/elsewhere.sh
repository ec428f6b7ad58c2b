#!/bin/bash
# A program that changes directory, umask and environment: the profile is where it was asked for, and readable.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >a.c <<'C'
#include "mk.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int c, char **v) {
    (void)v;
    MB("r"); ms(5); ME("r");
    mkdir("sub", 0755);
    if (chdir("sub")) return 9;
    if (c > 1) rmdir("../sub");
    unsetenv("HOME"); setenv("PWD", "/nonsense", 1); umask(0777); clearenv();
    MB("after"); ME("after");
    return 0;
}
C
compile a.c -o a
umask 022
run scope-profiler run -q -o b43.h5 ./a
equal "changed directory" "0 1 1" "$rc $(ncalls b43.h5 r) $(ncalls b43.h5 after)"
equal "mode is the runner's" 644 "$(stat -c %a b43.h5)"
rmdir sub
run scope-profiler run -q -o gone.h5 ./a gone
equal "directory gone" "0 1 1" "$rc $(ncalls gone.h5 r) $(ncalls gone.h5 after)"
mkdir deep
(cd deep && scope-profiler run -q ../a)
equal "default name" 1 "$(ncalls deep/profiling_data.h5 r)"
run scope-profiler run -q -o ./x/../refused.h5 ./a
if [ "$rc" = 0 ]; then ok "normalised" test -e refused.h5; else equal "refused before the start" "2 1" "$rc $(wc -l <err.txt)"; fi
equal "nothing elsewhere" "" "$(find . -path '*sub/*')"
equal "no spool is left" "" "$(find . -name '.*spool*')"
finish
