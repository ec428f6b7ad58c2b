#!/bin/bash
# Begins without ends and ends without begins: counted, told, never guessed.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >a.c <<'C'
#include "mk.h"
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static int early(int k) {
    MB("early");
    ms(5);
    if (k % 2) return 1;
    ME("early");
    return 0;
}
static void jumper(void) { MB("jumped"); longjmp(back, 1); }
int main(void) {
    ME("never_begun");
    ME("never_begun");
    for (int k = 0; k < 4; k++) early(k);
    MB("ok"); ms(20); ME("ok");
    ME("ok");
    MB("around");
    if (setjmp(back) == 0) jumper();
    ms(2);
    ME("around");
    MB("open_at_exit"); ms(10);
    puts("end");
    return 0;
}
C
compile a.c -o a
run scope-profiler run -o a.h5 ./a
equal "program" "0 end" "$rc $(cat out.txt)"
equal "ok: calls" 1 "$(ncalls a.h5 ok)"
between "ok: seconds" 0.020 0.032 "$(total a.h5 ok)"
equal "early: calls" 4 "$(ncalls a.h5 early)"
equal "around: calls" 1 "$(ncalls a.h5 around)"
between "around: seconds" 0.002 0.01 "$(total a.h5 around)"
between "open at exit: seconds" 0.010 0.1 "$(total a.h5 open_at_exit)"
scope-profiler inspect a.h5 >shown.txt 2>&1
for file in err.txt shown.txt; do
    matches "$file: never_begun" 'never_begun: 2 ends without (a )?begin' $file
    matches "$file: early" 'early: 2 of 4 .*not ended' $file
    matches "$file: ok" 'ok: 1 end without (a )?begin' $file
    matches "$file: open_at_exit" 'open_at_exit: 1 .*open at exit' $file
done
lacks "no negative time" "-0." shown.txt
finish
