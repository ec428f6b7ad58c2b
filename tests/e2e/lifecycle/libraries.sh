#!/bin/bash
# Libraries that come late or twice: markers in a library loaded by dlopen, our own preload opened by name, and a user's
# LD_PRELOAD beside ours.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >late.c <<'C'
#include "mk.h"
void late(void) { for (int i = 0; i < 100; i++) { MB("late"); ME("late"); } }
C
cat >loads.c <<'C'
#include "mk.h"
#include <dlfcn.h>
#include <stdio.h>
int main(int c, char **v)
{
    for (int i = 1; i < c; i++) {
        void *library = dlopen(v[i], RTLD_NOW | (i % 2 ? RTLD_LOCAL : RTLD_GLOBAL));
        if (!library) { puts(dlerror()); return 9; }
        void (*late)(void) = (void (*)(void))dlsym(library, "late");
        if (late) late();
        if (dlclose(library)) return 8;
    }
    MB("main"); ME("main");
    puts("done");
    return 0;
}
C
compile -shared -fPIC late.c -o liblate.so
compile loads.c -o loads
run scope-profiler run -q -o l.h5 ./loads ./liblate.so ./liblate.so ./liblate.so
equal "late library: result" "0 done" "$rc $(cat out.txt)"
equal "late library: calls, its place in memory given up and taken again" "300 1" "$(ncalls l.h5 late) $(ncalls l.h5 main)"
run scope-profiler run -q -o p.h5 ./loads "$SCOPE_PRELOAD" "$SCOPE_PRELOAD"
equal "our library opened while preloaded" "0 done 1" "$rc $(cat out.txt) $(ncalls p.h5 main)"
run ./loads "$SCOPE_PRELOAD" "$SCOPE_PRELOAD"
equal "our library opened by a bare program" "0 done" "$rc $(cat out.txt)"
equal "silent there" "" "$(cat err.txt)"

cat >own.c <<'C'
int mark_of_mine = 5;
C
gcc -shared -fPIC own.c -o libown.so
cat >environment.c <<'C'
#include "mk.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    MB("main"); ME("main");
    int *mark = dlsym(RTLD_DEFAULT, "mark_of_mine");
    printf("%d %s\n", mark ? *mark : 0, getenv("LD_PRELOAD"));
    return 0;
}
C
compile environment.c -o environment
LD_PRELOAD=$PWD/libown.so run scope-profiler run -q -o o.h5 ./environment
equal "the user's own preload: status" 0 "$rc"
matches "the user's own preload was loaded" '^5 ' out.txt
contains "the user's own preload stays in the environment" "$PWD/libown.so" out.txt
equal "and we record" 1 "$(ncalls o.h5 main)"

# A place whose name the dynamic linker would split.
odd="$PWD/a place: with both"
mkdir "$odd"
cp "$SCOPE_PRELOAD" "$odd/libscope-profiler.so"
SCOPE_PROFILER_PRELOAD="$odd/libscope-profiler.so" run scope-profiler run -q -o s.h5 ./loads
equal "a library path with blank and colon: result" "0 done" "$rc $(cat out.txt)"
equal "a library path with blank and colon: silent" "" "$(cat err.txt)"
equal "a library path with blank and colon: calls" 1 "$(ncalls s.h5 main)"
cd "$odd" && cp ../loads .
run scope-profiler run -q -o "out: put.h5" ./loads
equal "an output path with blank and colon" "0 1" "$rc $(ncalls "out: put.h5" main)"
finish
