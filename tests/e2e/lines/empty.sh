#!/bin/bash
# Functions without a body, functions never called, a script without a line: no division by nothing, no failure.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3

cat >b16.py <<'P'
def doc_only():
    """nothing"""
def stub(): ...
def never():
    return 1
async def co(): ...
class Empty: pass
doc_only(); stub(); co().close(); Empty()
P
: >empty.py

one() {
    local script
    for script in b16 empty; do
        rm -f z.h5
        run scope-profiler run --python "$1" --line-profile -o z.h5 $script.py
        equal "$2 $script: run" 0 "$rc"
        equal "$2 $script: its stdout" "" "$(cat out.txt)"
        run scope-profiler line-profile z.h5
        equal "$2 $script: line-profile" 0 "$rc"
        cp out.txt all.txt
        run scope-profiler line-profile --json z.h5
        equal "$2 $script: line-profile --json" 0 "$rc"
        ok "$2 $script: JSON" python3 -m json.tool out.txt /dev/null
        cat out.txt >>all.txt
        run scope-profiler inspect z.h5
        equal "$2 $script: inspect" 0 "$rc"
        contains "$2 $script: inspect says so" "No regions were recorded" out.txt
        cat out.txt >>all.txt
        not_ok "$2 $script: no odd numbers" grep -qwiE 'nan|inf|-0\.0|traceback' all.txt
        equal "$2 $script: never" 0 "$(hits z.h5 never 5)"
    done
    contains "$2: nothing to show is said" "No line-profile records matched" <(scope-profiler line-profile z.h5)
}
each_python one
finish
