#!/bin/bash
# Every way a Python program is started; what it sees is what it sees without us.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

mkdir pkg app
touch pkg/__init__.py
cat >pkg/__main__.py <<'P'
import sys
from . import deep
print(__name__, __package__, sys.argv[1:], sys.path[0] != "", __spec__.name)
deep.go()
P
printf 'def go(): print("deep", __name__)\n' >pkg/deep.py
printf 'import lib, sys\nprint("main", __name__, sys.argv[1:], lib.f())\n' >app/__main__.py
printf 'def f(): return 42\n' >app/lib.py
printf 'def f(): return 1\nf()\nimport sys\nprint(__name__, sys.argv, sys.flags.isolated)\n' >script.py
{ echo '#!/usr/bin/python3'; cat script.py; } >executable.py
chmod +x executable.py
/usr/bin/python3 -m zipapp app -p /usr/bin/python3 -o app.pyz
cp app.pyz noexec.pyz && chmod -x noexec.pyz

root() { h5 calls "$1" | awk -F '\t' '$4 !~ /[.](f|go|<module>)$/ { print $4 }'; }
started() { # WHAT ROOT FUNCTION COMMAND...: prints what it prints bare, records one call of FUNCTION under ROOT
    local what=$1 wanted=$2 function=$3
    shift 3
    "$@" >bare.txt 2>bare.err </dev/null
    local bare=$?
    run scope-profiler run -q --recursive -o s.h5 "$@" </dev/null
    equal "$what: status" $bare "$rc"
    ok "$what: output" cmp bare.txt out.txt
    equal "$what: stderr" "$(cat bare.err)" "$(cat err.txt)"
    equal "$what: calls" 1 "$(ncalls s.h5 "$function")"
    equal "$what: root" "$wanted" "$(root s.h5)"
    rm -f s.h5
}

for python in $PYTHONS; do
    n=$(label "$python")
    started "$n script" script.py f "$python" script.py a b
    started "$n -c" -c f "$python" -c 'def f(): print(1)
f()' x
    started "$n -m" pkg pkg.deep.go "$python" -m pkg -o user.txt --version -- x
    started "$n zipapp" app.pyz lib.f "$python" app.pyz 2
    started "$n directory" app lib.f "$python" app 3
    started "$n -I -S -E" script.py f "$python" -I -S -E script.py
    started "$n -X dev" script.py f "$python" -X dev script.py
    for allocator in malloc debug pymalloc_debug; do
        started "$n PYTHONMALLOC=$allocator" script.py f env PYTHONMALLOC=$allocator "$python" script.py
    done
    run bash -c "scope-profiler run -q --recursive -o i.h5 '$python' - y <script.py"
    equal "$n stdin" "__main__ ['-', 'y'] 0 1" "$(cat out.txt) $(ncalls i.h5 f)"
done
started "#!" executable.py f ./executable.py z
started "executable zipapp" app.pyz lib.f ./app.pyz 1

run scope-profiler run -q --recursive -o m.h5 -m pkg -o user.txt --version -- x
equal "run -m" "0 1" "$rc $(ncalls m.h5 go)"
not_ok "run -m: its options are its own" test -e user.txt
run scope-profiler run -q --recursive -o z.h5 noexec.pyz 4
equal "a zipapp without the x bit" "0 main __main__ ['4'] 42 1" "$rc $(cat out.txt) $(ncalls z.h5 lib.f)"
for python in $PYTHONS; do
    run scope-profiler run -q --recursive --python "$python" -o p.h5 -m pkg
    equal "run --python $(label "$python")" "0 1" "$rc $(ncalls p.h5 go)"
done
run scope-profiler run --python no-such-python script.py
equal "a Python that is not there: status" 127 "$rc"
contains "a Python that is not there: said" "no-such-python" err.txt

if python3 -m venv --without-pip env 2>/dev/null; then
    started "venv" script.py f env/bin/python script.py
fi

# Not asked for: nothing is recorded and nothing said.
run scope-profiler run -q -o none.h5 /usr/bin/python3 script.py
equal "without --recursive: functions" 0 "$(ls none.h5 2>/dev/null | wc -l)"
finish
