#!/bin/bash
# Lines of functions that took no time or were never called, and of sources that are not plain UTF-8 with short lines.
. "$(dirname "$0")/../lib/lib.sh"
need script stty
cat >nothing.py <<'P'
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
for s in nothing empty; do
    run scope-profiler run -q --line-profile -o $s.h5 $s.py
    equal "$s: run" 0 "$rc"
    [ -e $s.h5 ] || { contains "$s: nothing recorded is said" "nothing was recorded" err.txt; continue; }
    for command in line-profile inspect "line-profile --json" "inspect --json"; do
        # shellcheck disable=SC2086
        run scope-profiler $command $s.h5
        equal "$s: $command" "0 " "$rc $(cat err.txt)"
        equal "$s: $command has no such words" 0 "$(grep -ciE '(^|[^a-z])(nan|inf)([^a-z]|$)|-0\.0([^0-9]|$)|traceback' out.txt)"
    done
done

# The same in a file: a function whose lines all took no time, and one without lines.
python3 - <<'P'
import h5py, numpy as np
with h5py.File("zero.h5", "w") as file:
    file.attrs["scope_profiler_schema"] = 3
    text = h5py.string_dtype()
    file.create_dataset("region_table/names", data=np.array([], "S1").astype(object), dtype=text, shape=(0,))
    index = file.create_group("rank_region_index")
    for name, kind in (("region_ids", "u4"), ("ranks", "u4"), ("event_offsets", "u8"), ("event_counts", "u8"), ("source_lines", "i8")):
        index[name] = np.zeros(0, kind)
    for name in ("source_files", "source_texts", "tags"):
        index.create_dataset(name, shape=(0,), dtype=text)
    file["events/start_deltas"] = file["events/durations"] = np.zeros(0, "i8")
    for k, lines in enumerate(([3, 4], [])):
        record = file.create_group("rank0/line_profile/%d" % k)
        record.attrs["region"] = record.attrs["function"] = "f%d" % k
        record.attrs["filename"], record.attrs["first_lineno"], record.attrs["unit"] = "gone.py", 3, 1e-9
        record["line_numbers"], record["hits"] = np.array(lines, "i8"), np.zeros(len(lines), "i8")
        record["times"] = np.zeros(len(lines))
P
run scope-profiler line-profile zero.h5
equal "no time at all" "0 " "$rc $(cat err.txt)"
contains "shows its function" "f0" out.txt
equal "without nan" 0 "$(grep -ciE 'nan|inf' out.txt)"
run scope-profiler line-profile --json zero.h5
ok "JSON without nan" python3 -c 'import json
def no(c): raise ValueError(c)
json.load(open("out.txt"), parse_constant=no)'
run scope-profiler inspect zero.h5
contains "no regions" "No regions were recorded" out.txt

cat >make.py <<'P'
body = ("# -*- coding: latin-1 -*-\r\n"
        "def caf\u00e9():\r\n"
        "\tna\u00efve = 'd\u00e9j\u00e0 vu'\r\n"
        "\x0c\r\n"
        "\tlong = [" + "1," * 2500 + "]\r\n"
        "\tfor i in range(123456):\r\n"
        "\t\tpass\r\n"
        "\treturn len(na\u00efve) + len(long)\r\n"
        "print(caf\u00e9())\r\n")
open("latin.py", "wb").write(body.encode("latin-1"))
open("bom.py", "wb").write(b"\xef\xbb\xbfdef f():\n    return '\xe6\xbc\xa2\xe5\xad\x97\xe2\x82\xac' and 1\nf()\n")
P
python3 make.py
for s in latin bom; do
    run scope-profiler run -q --line-profile -o $s.h5 $s.py
    equal "$s: status" 0 "$rc"
    [ $s = bom ] || equal "$s: its own output" 2507 "$(cat out.txt)"
    for locale in C C.UTF-8; do
        LC_ALL=$locale scope-profiler line-profile $s.h5 >$s.$locale.txt
        equal "$s under $locale" 0 $?
        ok "$s under $locale is UTF-8" iconv -f UTF-8 -t UTF-8 $s.$locale.txt -o /dev/null
    done
done
contains "Latin-1 letters" "naïve = 'déjà vu'" latin.C.UTF-8.txt
contains "the function's name" "café" latin.C.UTF-8.txt
contains "behind a byte order mark" "漢字€" bom.C.UTF-8.txt
row() { awk -F'│' -v n="$1" '$2 + 0 == n { gsub(/^ +| +$/, "", $3); print $3 "|" $7; exit }' latin.C.UTF-8.txt; }
matches "hits of the loop, beside its text" '^123457\|.*for i in range' <(row 6)
matches "hits of its body" '^123456\|.*pass' <(row 7)
python3 - >got.txt <<'P'
lines = [l for l in open("latin.C.UTF-8.txt", encoding="utf-8") if l.startswith("│")]
print({l.index("│", 1) for l in lines} == {lines[0].index("│", 1)}, len({tuple(i for i, c in enumerate(l) if c == "│")[:6] for l in lines}))
text = open("latin.C.UTF-8.txt", encoding="utf-8").read()
print("\r" in text, "\x0c" in text, max(len(l) for l in text.splitlines()) > 5000)
P
equal "columns stay in line; no \\r, no form feed; a long line is whole in a file" "True 1 False False True" "$(tr '\n' ' ' <got.txt | sed 's/ $//')"
script -qec "stty cols 70 rows 24; scope-profiler line-profile latin.h5" /dev/null </dev/null | tr -d '\r' >tty.txt
between "and cut on a terminal" 30 70 "$(python3 -c 'print(max(len(l.rstrip("\n")) for l in open("tty.txt", encoding="utf-8")))')"
equal "no form feed on a terminal" 0 "$(grep -c "$(printf '\f')" tty.txt)"
finish
