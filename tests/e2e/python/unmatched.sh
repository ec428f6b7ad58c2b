#!/bin/bash
# A glob that meets nothing is said at the end of the run; one that meets something is not.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

cat >p.py <<'P'
class Box:
    def get(self):
        return [x for x in range(3)]
def steps():
    yield 1
    yield 2
(lambda: list(steps()))()
Box().get()
P
said() { # WHAT WANTED OPTION...: the lines on stderr
    local what=$1 wanted=$2
    shift 2
    for python in $PYTHONS; do
        rm -f u.h5
        run scope-profiler run -q -o u.h5 "$@" --python "$python" p.py
        equal "$(label "$python"), $what: status" 0 "$rc"
        equal "$(label "$python"), $what: said" "$wanted" "$(cat err.txt)"
    done
}
includes="scope-profiler: no function or region that was recorded matched --include"
functions="scope-profiler: no function that ran matched --line-function"
said "all match" "" --recursive --include '__main__.steps' --include '__main__.<lambda>' --include '*.get'
said "two do not" "$includes 'no.such', '*.Get'" --recursive --include no.such --include '*.get' --include '*.Get'
said "functions by name, class, module" "" --line-function get --line-function 'Box.g*' --line-function __main__.steps
said "functions that are not there" "$functions 'ge', 'box.get'" --line-function ge --line-function box.get --line-function get

run scope-profiler run -q -o n.h5 --include no.such true
contains "nothing recorded at all" "$includes 'no.such'" err.txt
run scope-profiler run -q -o j.json --line-function nosuch --line-function get p.py
equal "into JSON" "$functions 'nosuch'" "$(cat err.txt)"
finish
