#!/bin/bash
# Options of `run`, what the program inherits, runs within runs, libraries in odd places.
. "$(dirname "$0")/../lib/lib.sh"
need gcc pgrep
cat >one.c <<'C'
#include "mk.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v)
{
    MB("one"); ms(2); ME("one");
    for (int i = 1; i < c; i++) printf("%s%s", i > 1 ? " " : "", v[i]);
    if (c > 1) puts("");
    char *user = getenv("USERS_OWN");
    return user ? atoi(user) : 0;
}
C
compile one.c -o one
run scope-profiler run -o a.h5 --label 'a label = 100 %' -- ./one -o x --version -- -q
equal "the program's words" "0 -o x --version -- -q" "$rc $(cat out.txt)"
equal "the label" "a label = 100 %" "$(meta a.h5 label)"
equal "the first lines are named" "scope-profiler: wrote a.h5 (1 rank, 1 call)" "$(head -n 1 err.txt)"
contains "the table" "│ one" err.txt
contains "the box" "scope-profiler inspect a.h5" err.txt
run scope-profiler run -q -o a.h5 ./one
equal "quiet" "0 " "$rc $(cat err.txt)"
run scope-profiler run ./one
equal "the default output" "0 1" "$rc $(ncalls profiling_data.h5 one)"
for level in "" =0 =1 =9; do
    run scope-profiler run -q --compress$level -o z.h5 ./one
    equal "compress$level" "0 1" "$rc $(ncalls z.h5 one)"
done
for level in 10 x ''; do
    run scope-profiler run --compress=$level ./one
    equal "compress=$level is refused" "2 " "$rc $(cat out.txt)"
done
run scope-profiler run -q --keep-spool -o k.h5 ./one
equal "the raw recording is kept" "0 1 1" "$rc $(ls -d .k.h5.spool-* | wc -l) $(ncalls k.h5 one)"
rm -rf .k.h5.spool-*
USERS_OWN=7 run scope-profiler run -q -o a.h5 ./one
equal "the environment" 7 "$rc"

# A run within a run records into the outer one.
run scope-profiler run -q -o outer.h5 sh -c 'scope-profiler run -o inner.h5 ./one; exit 5'
equal "a run within a run: status, calls, one file" "5 1 no" "$rc $(ncalls outer.h5 one) $([ -e inner.h5 ] && echo yes || echo no)"
run scope-profiler run -q -o outer.h5 scope-profiler run ./missing
equal "its failures" 127 "$rc"

SCOPE_PROFILER_SPOOL=$PWD/.gone.h5.spool-0 run scope-profiler run -q -o a.h5 ./one
equal "the variable of a run that is over is not a run" "0 1" "$rc $(ncalls a.h5 one)"

# Signals for the command alone: interrupts are the terminal's affair, stopping and going on are the program's as well.
cat >counts.c <<'C'
#include "mk.h"
#include <stdio.h>
int main(void)
{
    fclose(fopen("ready", "w"));
    for (int i = 0; i < 60; i++) { MB("tick"); ms(10); ME("tick"); }
    return 8;
}
C
compile counts.c -o counts
cat >stop.py <<'P'
# stop.py GROUP|SESSION: stops the command and lets it go on, as a job of a shell and where nobody has job control
import os, signal, subprocess, sys, time
def state(pid): return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
own = os.setpgrp if sys.argv[1] == "GROUP" else os.setsid
run = subprocess.Popen(["scope-profiler", "run", "-q", "-o", "t.h5", "./counts"], preexec_fn=own)
while not os.path.exists("ready"): time.sleep(0.01)
program = int(subprocess.check_output(["pgrep", "-P", str(run.pid)]))
os.kill(run.pid, signal.SIGINT)
os.kill(run.pid, signal.SIGTSTP)
time.sleep(0.2)
stopped = [state(pid) == "T" for pid in (run.pid, program)]
os.kill(run.pid, signal.SIGCONT)
print(*stopped, run.wait())
P
for own in "GROUP True True" "SESSION False False"; do
    rm -f ready
    equal "SIGTSTP and SIGCONT (${own%% *}): command, program, status" "${own#* } 8" "$(python3 stop.py "${own%% *}" 2>err.txt)"
    equal "SIGINT was left to the terminal" 60 "$(ncalls t.h5 tick)"
done
printf 'trap "echo trapped; exit 9" INT\ntouch ready2\nwhile :; do sleep 0.05; done\n' >traps.sh
python3 - >tty.txt <<'P'
import os, pty, time
pid, fd = pty.fork()
if pid == 0: os.execvp("scope-profiler", ["scope-profiler", "run", "-q", "sh", "traps.sh"])
while not os.path.exists("ready2"): time.sleep(0.02)
os.write(fd, b"\x03")
time.sleep(0.3)
print(os.read(fd, 1000).decode(errors="replace").replace("\r", ""))
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
contains "Ctrl-C reaches the program" "trapped" tty.txt
contains "and its status is the command's" "status 9" tty.txt

# Python programs of all kinds.
mkdir -p pkg "odd dir"
echo 'import sys; print(__name__, __package__, sys.argv[1:])' | tee pkg/__main__.py >plain.py
touch pkg/__init__.py
printf '#!/bin/sh\necho own "$@"\n' >own.py && chmod +x own.py
for how in "plain.py:__main__ None" "-m pkg:__main__ pkg" "pkg:__main__ "; do
    # shellcheck disable=SC2086 # words
    run scope-profiler run -q ${how%%:*} -o 1
    equal "python: ${how%%:*}" "0 ${how#*:} ['-o', '1']" "$rc $(cat out.txt)"
done
run scope-profiler run -q ./own.py x
equal "an executable script says itself what runs it" "0 own x" "$rc $(cat out.txt)"
PATH=/nonexistent /usr/bin/env "$SCOPE_PROFILER" run ./plain.py 2>err.txt
equal "no python3 in PATH" 127 $?
contains "is told" "python3 is not in PATH" err.txt
printf 'echo script "$@"\n' >noshebang && chmod +x noshebang
run scope-profiler run -q ./noshebang y
equal "a script without #! goes to sh" "0 script y" "$rc $(cat out.txt)"
printf '#!/no/such/interpreter\n' >badscript && chmod +x badscript
run scope-profiler run -q ./badscript
equal "a script whose interpreter is missing" "126 " "$rc $(cat out.txt)"
contains "is told" "interpreter" err.txt
equal "nothing is left of failed starts" "" "$(ls -A | grep spool)"

# The user's own preload stays; ours is found where ld.so would split its name.
printf 'int users_own_library = 1;\n' >users.c
gcc -shared -fPIC users.c -o libusers.so
LD_PRELOAD=$PWD/libusers.so run scope-profiler run -q -o p.h5 sh -c 'echo "$LD_PRELOAD"; ./one'
equal "the user's preload comes after ours" "0 $SCOPE_PRELOAD:$PWD/libusers.so" "$rc $(head -n 1 out.txt)"
equal "and both work" 1 "$(ncalls p.h5 one)"
cp "$SCOPE_PRELOAD" "odd dir/a:b c.so"
mkdir tmp
TMPDIR=$PWD/tmp SCOPE_PROFILER_PRELOAD="odd dir/a:b c.so" run scope-profiler run -q -o odd.h5 ./one
equal "a library with blanks and colons" "0 1 " "$rc $(ncalls odd.h5 one) $(ls tmp)"
SCOPE_PROFILER_PRELOAD=/missing.so run scope-profiler run -q ./one
equal "a missing library" "1 " "$rc $(cat out.txt)"
contains "is named" "/missing.so" err.txt

# Odd names for the output, and a program that goes elsewhere.
for name in "with blank.h5" "per%cent=.h5" "$(printf 'line\nbreak.h5')" "-dash.h5"; do
    run scope-profiler run -q --outfile="$name" sh -c 'cd /; exec "$0"' "$PWD/one"
    equal "output '$name'" "0 1" "$rc $(ncalls "./$name" one)"
done
equal "no spool is left" "" "$(ls -A | grep spool)"

# The environment that the program sees has what the recorder needs, and no more.
env -i PATH="$PATH" scope-profiler run -q sh -c 'env' 2>/dev/null | sed 's/=.*//' | sort >env.txt
equal "variables" "LD_PRELOAD PATH PWD SCOPE_PROFILER_COMMAND SCOPE_PROFILER_SPOOL" "$(grep -vE '^(_|SHLVL|OLDPWD)$' env.txt | xargs)"

# What another architecture's or C library's programs would complain about is not preloaded.
if printf 'int main(void) { return 4; }\n' >small.c && gcc -m32 small.c -o small 2>/dev/null; then
    run scope-profiler run -q ./small
    equal "a 32-bit program" "4 1" "$rc $(wc -l <err.txt)"
    contains "is told" "32-bit" err.txt
else
    echo "SKIP: no 32-bit C library"
fi
finish
