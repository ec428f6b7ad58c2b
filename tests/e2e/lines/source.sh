#!/bin/bash
# Source that is not plain UTF-8 with short lines: the right text beside the right line, and nothing that a terminal obeys.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3 iconv

cat >make19.py <<'P'
body = ("# -*- coding: latin-1 -*-\r\n"
        "def caf\u00e9():\r\n"
        "\tna\u00efve = 'd\u00e9j\u00e0 vu'\r\n"
        "\x0c\r\n"
        "\tlong = [" + "1," * 2500 + "]\r\n"
        "\tfor i in range(123456):\r\n"
        "\t\tpass\r\n"
        "\treturn len(na\u00efve) + len(long)\r\n"
        "print(caf\u00e9())\r\n")
open("b19.py", "wb").write(body.encode("latin-1"))
open("bom.py", "wb").write(b"\xef\xbb\xbfdef f():\n    return '\xe6\xbc\xa2\xe5\xad\x97\xe2\x82\xac' and 1\nf()\n")
P
python3 make19.py

# Characters of each line.
widths() { python3 -c "import sys; [print(len(line.decode()) - 1) for line in sys.stdin.buffer]"; }

one() {
    local script locale
    for script in b19 bom; do
        run scope-profiler run -q --python "$1" --line-profile -o $script.h5 $script.py
        equal "$2 $script: status" 0 "$rc"
        if [ $script = b19 ]; then equal "$2: stdout" 2507 "$(cat out.txt)"; fi
        for locale in C C.UTF-8; do
            LC_ALL=$locale scope-profiler line-profile $script.h5 >$script.$locale.txt
            equal "$2 $script in $locale" 0 $?
            ok "$2 $script in $locale: UTF-8" iconv -f UTF-8 -t UTF-8 $script.$locale.txt -o /dev/null
            not_ok "$2 $script in $locale: no controls" grep -qP '[\x00-\x09\x0b-\x1f]' $script.$locale.txt
        done
    done
    contains "$2: the name" "| __main__.café | café (b19.py:2)" b19.C.UTF-8.txt
    matches "$2: line 3" "^│ 3 +│ 1 +│ .*│ naïve = 'déjà vu' +│$" b19.C.UTF-8.txt
    matches "$2: the loop" '^│ 6 +│ 123457 +│ .*│ for i in range\(123456\): +│$' b19.C.UTF-8.txt
    matches "$2: its body" '^│ 7 +│ 123456 +│ .*│     pass +│$' b19.C.UTF-8.txt
    matches "$2: line 8" '^│ 8 +│ 1 +│ .*│ return len\(naïve\) \+ len\(long\) +│$' b19.C.UTF-8.txt
    matches "$2: the long line is whole" '^│ 5 +│ 1 .*│ long = \[(1,){2500}\] │$' b19.C.UTF-8.txt
    equal "$2: all rows are equally wide" 1 "$(grep '^[│╭╰├]' b19.C.UTF-8.txt | widths | sort -u | wc -l)"
    contains "$2: after a byte order mark" "return '漢字€' and 1" bom.C.UTF-8.txt
}
each_python one

# Where stdout is a terminal the long line is cut to its width.
if command -v script >/dev/null; then
    script -qec "stty cols 100; scope-profiler line-profile b19.h5" tty.txt >/dev/null
    tr -d '\r' <tty.txt | grep -E '^[│╭╰├]' >rows.txt
    equal "no row is wider than the terminal" 100 "$(widths <rows.txt | sort -n | tail -n 1)"
    matches "the long line is cut" '^│ 5 .*│ long = \[1,1.*…' rows.txt
else
    echo "NOT RUN: no script(1) to make a terminal"
fi

# The profile keeps the source: it is shown when the file is gone, and a change is said.
cp b19.py kept.py
printf 'def caf\xe9():\n    pass\n' >b19.py
run scope-profiler line-profile b19.h5
contains "the text that ran" "for i in range(123456):" out.txt
contains "the change is said" "b19.py: has changed since the run" err.txt
python3 - <<'P'
import h5py
with h5py.File("b19.h5") as whole, h5py.File("bare.h5", "w") as bare: # as tools write it that keep no source text
    for name in whole: whole.copy(name, bare)
    for name, value in whole.attrs.items(): bare.attrs[name] = value
    for record in bare["rank0/line_profile"].values(): del record.attrs["source"], record.attrs["source_first_lineno"]
P
touch -d '1 hour ago' b19.py
run scope-profiler line-profile bare.h5
equal "an older file: no word about it" "0 " "$rc $(cat err.txt)"
touch -d '1 hour' b19.py
run scope-profiler line-profile bare.h5
contains "a newer file" "b19.py: is newer than the profile, which keeps no source text" err.txt
rm b19.py
run scope-profiler line-profile b19.h5
contains "the text of a file that is gone" "for i in range(123456):" out.txt
equal "and no word about it" "" "$(cat err.txt)"
# A table is made in one pass over the text, however many lines the function has.
python3 -c '
print("def f():\n    x = 0")
for i in range(40000): print("    x += 1")
print("    return x\nf()")' >long.py
run scope-profiler run -q --line-profile -o long.h5 long.py
for how in "" --json; do
    RUN_TIMEOUT=15 run scope-profiler line-profile $how long.h5
    equal "a function of 40002 lines, line-profile $how" "0 40000" "$rc $(grep -c 'x += 1' out.txt)"
done
finish
