#!/bin/bash
# The examples that users are given: they say what they compute, and their regions have exact counts.
. "$(dirname "$0")/../lib/lib.sh"
for language in c cpp fortran; do
    program=$SCOPE_BUILD/share/examples/heat-$language
    [ -x "$program" ] || { echo "not built: heat-$language"; continue; }
    run "$program"
    contains "$language: result" "200 0.167931" out.txt
    run scope-profiler run -q -o $language.h5 "$program"
    contains "$language: recorded result" "200 0.167931" out.txt
done
equal "c" "200 4" "$(ncalls c.h5 step) $(ncalls c.h5 check)"
if [ -e cpp.h5 ]; then equal "c++" "200 4" "$(ncalls cpp.h5 'void Bar::step()') $(ncalls cpp.h5 norm)"; fi
if [ -e fortran.h5 ]; then equal "fortran" "200 4" "$(ncalls fortran.h5 step) $(ncalls fortran.h5 check)"; fi
finish
