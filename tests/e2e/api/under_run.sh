#!/bin/bash
# The package in a program that `scope-profiler run` records: the run's profile has it all, and no other file is made.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../python/pythons.sh"
. "$e2e_lib/../api/common.sh"
need python3
cp "$api_here/under_run.py" .
touch before

cat >counts.txt <<'T'
1 __main__.inner
1 another manager's
1 before setup
5 decorated
1 scope_profiler.session
1 traced
T

for python in $PYTHONS; do
    name=$(label "$python")
    run scope-profiler run -q --python "$python" -o r.h5 under_run.py argument
    well "$name"
    contains "$name: its arguments" "read_h5 ['argument']" out.txt
    equal "$name: what was recorded" "$(cat counts.txt)" "$(count r.h5)"
    equal "$name: nothing is wrong with it" "" "$(problems r.h5 | tail -n +2)"
    run scope-profiler run -q --python "$python" -o r.h5 "$api_here/amid.py"
    well "$name: amid the import"
    equal "$name: amid the import: regions" "1 first 4 handler" "$(count r.h5 | xargs)"
    api "$python" "$api_here/amid.py"
    well "$name: amid the import, on its own"
    rm -f r.h5
    equal "$name: no other file" "$(printf '%s\n' before counts.txt err.txt out.txt under_run.py)" "$(ls -A | LC_ALL=C sort | grep -v __pycache__)"
done

# Functions are traced anyway: a decorator that asks for it changes nothing.
run scope-profiler run -q --recursive -o t.h5 under_run.py
well "with functions"
equal "with functions: traced once" "1 2" "$(calls_of t.h5 traced) $(calls_of t.h5 __main__.inner)"
equal "with functions: the package is not in it" "" "$(regions t.h5 | grep -E '^(scope_profiler\.[^s]|scope_profiler$|_scope)')"

# Without the compiled part there is a word.
run env PYTHONPATH="$api_path" /usr/bin/python3 -c 'import scope_profiler; print(scope_profiler.__version__)'
equal "its version" "$(scope-profiler --version | awk '{ print $2 }')" "$(cat out.txt)"
mkdir -p alone/lib && cp -r "$api_path/scope_profiler" alone/lib/
run env PYTHONPATH=alone/lib /usr/bin/python3 -c 'import scope_profiler; scope_profiler.setup'
contains "without the library" "ImportError: scope_profiler: _scope_profiler.so is not where it belongs" err.txt
finish
