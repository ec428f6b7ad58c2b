#!/bin/bash
# Python inside other programs: linked, loaded late, for itself alone, initialised again; interpreters below the main one.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"
need gcc

cat >embed.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) { /* library times flags */
    void *python = dlopen(argv[1], RTLD_NOW | (argv[3][0] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!python) return fprintf(stderr, "%s\n", dlerror()), 9;
    void (*initialize)(void) = dlsym(python, "Py_Initialize");
    int (*finalize)(void) = dlsym(python, "Py_FinalizeEx");
    int (*run)(const char *, void *) = dlsym(python, "PyRun_SimpleStringFlags");
    for (int i = 0; i < atoi(argv[2]); i++) {
        initialize();
        if (run("def embedded(): pass\nfor i in range(5): embedded()\n", 0)) return 8;
        if (finalize()) return 7;
    }
    return argc > 4;
}
C
gcc embed.c -o embed || fail "compile"
some=
for python in $PYTHONS; do
    library=$("$python" -c 'import sysconfig as s; print(s.get_config_var("LIBDIR") + "/" + (s.get_config_var("INSTSONAME") or ""))')
    case $library in *.so*) ;; *) continue ;; esac
    home=$(dirname "$(dirname "$python")")
    [ -e "$library" ] || continue
    some=1
    for how in global local; do
        run env PYTHONHOME="$home" scope-profiler run -q --recursive -o e.h5 ./embed "$library" 1 $how
        equal "$(label "$python") $how: status, calls" "0 5" "$rc $(ncalls e.h5 embedded)"
        equal "$(label "$python") $how: root" 1 "$(ncalls e.h5 embed)"
    done
    run env PYTHONHOME="$home" scope-profiler run -q --recursive -o e.h5 ./embed "$library" 3 local
    equal "$(label "$python") three times: status, calls" "0 15" "$rc $(ncalls e.h5 embedded)"
    sound "$(label "$python") three times" e.h5
done
[ -n "$some" ] || echo "NOT TESTED: no libpython to embed"

cat >sub.py <<'P'
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
def main_one(): pass
main_one()
i = interpreters.create()
interpreters.run_string(i, "def below(): pass\nbelow()\nprint('below')")
interpreters.destroy(i)
main_one()
print("done")
P
for python in $PYTHONS; do
    "$python" sub.py >bare.txt 2>/dev/null || continue
    record auto s.h5 "$python" sub.py
    equal "$(label "$python") subinterpreter: status" 0 "$rc"
    ok "$(label "$python") subinterpreter: output" cmp bare.txt out.txt
    equal "$(label "$python") subinterpreter: calls" "2 0" "$(calls_of s.h5 main_one below)"
    equal "$(label "$python") subinterpreter: said" "scope-profiler: Python functions in subinterpreters are not recorded" "$(cat err.txt)"
done

# Deeper than the stack allows to follow: the program runs as it does without us.
cat >deep.py <<'P'
import sys, threading
sys.setrecursionlimit(200000)
def down(n): return n if n == 0 else down(n - 1)
def shallow(): pass
print(down(60000))
shallow()
threading.stack_size(256 * 1024)
t = threading.Thread(target=lambda: print(down(900)))
t.start(); t.join()
shallow()
P
for python in $PYTHONS; do
    [ "$(minor "$python")" -ge 11 ] || continue # before, such a recursion needs the C stack anyway
    record auto r.h5 "$python" deep.py
    equal "$(label "$python") deep recursion: status, output" "0 0 0" "$rc $(xargs <out.txt)"
    equal "$(label "$python") deep recursion: calls after it" 2 "$(ncalls r.h5 shallow)"
    [ "$(minor "$python")" = 11 ] || equal "$(label "$python") deep recursion: calls" 60902 "$(ncalls r.h5 down)"
    sound "$(label "$python") deep recursion" r.h5
done

# A build without the GIL is known by its version's words. There is none here: this says the same and would crash if it
# were entered.
cat >threaded.c <<'C'
#include <stdio.h>
const char *Py_GetVersion(void) { return "3.13.0 experimental free-threading build (main, Oct  7 2024) [GCC]"; }
int PySys_AddAuditHook(void *hook, void *data) { return *(int *)0 + (hook == data); }
int main(void) { return puts("ran") < 0; }
C
gcc -w -rdynamic threaded.c -o python3.13t || fail "compile"
for option in recursive:functions line-profile:lines; do
    run scope-profiler run -q --${option%:*} -o x.h5 ./python3.13t
    equal "free-threaded, --${option%:*}: runs" "0 ran" "$rc $(cat out.txt)"
    equal "free-threaded, --${option%:*}: said" \
        "scope-profiler: no ${option#*:} of this Python are recorded: it is a free-threaded build, and those cannot be entered" \
        "$(grep -v 'nothing was recorded' err.txt)"
done

for version in 2.7 3.7; do
    old=$(ls -d "${PYENV_ROOT:-/root/.pyenv}"/versions/$version.*/bin/python 2>/dev/null | head -n 1)
    if [ -n "$old" ]; then
        run scope-profiler run -q --recursive -o x.h5 "$old" -c 'print(1)'
        equal "$version: runs" "0 1" "$rc $(cat out.txt)"
        contains "$version: said" "it is version $version, and 3.8 is the oldest that can be entered" err.txt
    fi
done
finish
