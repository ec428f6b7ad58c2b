#!/bin/bash
# The Python side of the reader library has the header's structures, finds the library where it lies, and says so where
# there is none.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../results
need gcc python3
export PYTHONPATH=$SCOPE_BUILD/share/python
python3 -B "$here/layout.py" layout.c >python.txt
ok "a program of the header" gcc -I"$SCOPE_SOURCE/libreader" layout.c -o layout
./layout >c.txt
ok "structures are those of the header" diff c.txt python.txt
between "and were looked at" 100 1000 "$(wc -l <c.txt)"

echo 'import sys; from scope_profiler.reading import load; print(len(load(sys.argv[1])))' >read.py
python3 -B "$here/profiles.py"
run python3 -B read.py ranks.json
equal "the library of the build" "0 3" "$rc $(cat out.txt)"
run env SCOPE_PROFILER_READER=/no/such.so python3 -B -c 'from scope_profiler.reading import load; load("ranks.json")'
equal "a library that is not there" 1 "$rc"
matches "is named" '^ImportError: scope_profiler: the reader library cannot be loaded: /no/such.so \(.+\)$' err.txt
run python3 -B -c 'import sys, scope_profiler; scope_profiler.load("ranks.json"); print([m for m in sys.modules if "_core" in m or "manager" in m])'
equal "who reads does not load the recorder" "0 []" "$rc $(cat out.txt)"
run python3 -B -c 'from scope_profiler import *; print(callable(setup), load("ranks.json")["solve"].num_calls)'
equal "everything by name" "0 True 4" "$rc $(cat out.txt)"

# Installed, and the whole tree moved.
run env DESTDIR="$PWD/staged" meson install -C "$SCOPE_BUILD" --no-rebuild
prefix=$(meson introspect --buildoptions "$SCOPE_BUILD" | python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
mv "staged$prefix" "tree with blank"
installed=$(dirname "$(find "tree with blank" -type d -name scope_profiler -path '*python*')")
PYTHONPATH=$PWD/$installed run python3 -B read.py ranks.json
equal "installed and moved" "0 3" "$rc $(cat out.txt)"
PYTHONPATH=$PWD/$installed run python3 -B -c 'from scope_profiler.reading import library; library.library(); print({"tree with blank" in l for l in open("/proc/self/maps") if "libscope-reader" in l})'
equal "its own library" "0 {True}" "$rc $(cat out.txt)"
PYTHONPATH=$PWD/$installed run python3 -B -m scope_profiler inspect -q ranks.json
equal "its own command" "0 " "$rc $(cat err.txt)"
finish
