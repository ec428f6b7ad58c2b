#!/bin/bash
# C++ scopes: exact counts of every kind of scope, with both compilers.
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$here/../lib/lib.sh"
need g++ clang++
for compiler in g++ clang++; do
    for level in -O0 -O2; do
        rm -f a.h5
        ok "compiles: $compiler $level" "$compiler" -std=c++11 -Wall -Wextra -Wpedantic -Werror -Wshadow -Wold-style-cast -Wconversion $level \
            "-I$SCOPE_SOURCE/share/include" "$here/scopes.cpp" -o scopes
        run ./scopes
        equal "bare" "0 caught 5 4 3.0" "$rc $(cat out.txt err.txt)"
        run scope-profiler run -q -o a.h5 ./scopes
        equal "recorded" "0 caught 5 4 3.0" "$rc $(cat out.txt)"
        for want in "10 outer" "10 thrower" "5 made 0" "5 made 1" "1 buffer 0" "1 buffer 1" "1 buffer 2" "2 moved" \
            "2 assigned" "1 emptied" "1 assigned to nothing" "1 one line" "1 the same line" "1 of it" \
            "1 in context" "3 void work::Thing::act(int)"; do
            equal "$want" "${want%% *}" "$(ncalls a.h5 "${want#* }")"
        done
        equal "both instances of a template" 2 "$(regions a.h5 | grep -c 'T work::twice(T) \[.*T = ')"
        equal "nothing is unbalanced" "" "$(problems a.h5)"
    done
done
finish
