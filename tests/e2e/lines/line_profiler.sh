#!/bin/bash
# The hits of every line of 20 functions are line_profiler's.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3
/usr/bin/python3 -c "import line_profiler" 2>/dev/null || skip "no line_profiler (Debian: python3-line-profiler)"
cp "$lines_here/twenty.py" .
cat >theirs.py <<'P'
import types

import line_profiler
import twenty

profiler = line_profiler.LineProfiler()


def add(code):
    """Nested functions too, as we count them; comprehensions belong to the line that they are on."""
    if not code.co_name.startswith("<") or code.co_name == "<lambda>":
        profiler.add_function(types.FunctionType(code, {}, closure=tuple(types.CellType() for _ in code.co_freevars)))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            add(constant)


for function in twenty.FUNCTIONS:
    add(function.__code__)
profiler.enable_by_count()
twenty.main()
profiler.disable_by_count()
# It files the hits of a line by the line that came next; version 4.0 shows the largest of these, not their sum.
for code, hashes in profiler.code_hash_map.items():
    hits = {}
    for key in hashes:
        for line, entry in profiler.c_code_map.get(key, {}).items():
            hits[line] = hits.get(line, 0) + entry["nhits"]
    for line, count in hits.items():
        print(code.co_name, line, count)
P
/usr/bin/python3 theirs.py >printed.txt || fail "line_profiler"
grep -v '^=' printed.txt | sort -u >theirs.txt
cat >ours.py <<'P'
import twenty
twenty.main()
P
run scope-profiler run -q --python /usr/bin/python3 --line-function 'twenty.*' -o ours.h5 ours.py
equal "status" 0 "$rc"
lines ours.h5 | grep -v '^main ' | cut -d' ' -f1-3 | sort -u >ours.txt
between "functions compared" 20 100 "$(cut -d' ' -f1 theirs.txt | sort -u | wc -l)"
between "lines compared" 90 1000 "$(wc -l <theirs.txt)"
diff theirs.txt ours.txt >diff.txt
equal "lines that differ" 0 "$(wc -l <diff.txt)"
cat diff.txt
finish
