#!/bin/bash
# A program that hooks Python itself gets what it gets without us, and what was not recorded meanwhile is said.
. "$(dirname "$0")/../lib/lib.sh"
. "$SCOPE_SOURCE/tests/e2e/python/pythons.sh"

cat >others.py <<'P'
import sys, time
def a(): time.sleep(0.005)
def b(): time.sleep(0.005)
def c(): time.sleep(0.005)
seen = []
def function(frame, event, arg):
    if event in ("call", "return"): seen.append((event, frame.f_code.co_name))

def outer(how):
    a()
    if how == "setprofile":
        sys.setprofile(function); b(); b(); sys.setprofile(None)
        assert seen == [("call", "b"), ("return", "b")] * 2, seen
    elif how == "cprofile":
        import cProfile
        profile = cProfile.Profile()
        profile.enable(); b(); b(); profile.disable()
        counts = dict((e.code.co_name, e.callcount) for e in profile.getstats() if not isinstance(e.code, str))
        assert counts == {"b": 2}, counts
    elif how == "settrace":
        sys.settrace(function); b(); b(); sys.settrace(None)
        assert [name for event, name in seen if event == "call"] == ["b", "b"], seen
    elif how == "kept":
        sys.setprofile(function); b(); b()
    c()
outer(sys.argv[1])
c()
P
gap="(not recorded: the program's own profile function)"
for python in $PYTHONS; do
    for how in setprofile cprofile settrace kept; do
        what="$(label "$python") $how"
        record auto o.h5 "$python" others.py $how
        equal "$what: status" 0 "$rc"
        equal "$what: silent" "" "$(cat err.txt)"
        equal "$what: calls" "1 2 2 1" "$(calls_of o.h5 a b c outer)"
        sound "$what" o.h5

        record setprofile o.h5 "$python" others.py $how
        equal "$what, setprofile: status" 0 "$rc"
        equal "$what, setprofile: before it" "1 1" "$(calls_of o.h5 a outer)"
        if [ $how = settrace ] || { [ $how = cprofile ] && [ "$(minor "$python")" -ge 12 ]; }; then
            equal "$what, setprofile: all seen" "2 2 0" "$(calls_of o.h5 b c "$gap")"
        elif [ $how = kept ]; then
            equal "$what, setprofile: nothing after" "0 0 1" "$(calls_of o.h5 b c "$gap")"
            matches "$what, setprofile: said" '^scope-profiler: from [0-9]+ ms on Python calls were not recorded' err.txt
        else
            equal "$what, setprofile: seen again" "0 2 1" "$(calls_of o.h5 b c "$gap")"
            between "$what, setprofile: from when to when" 0.01 1 "$(total o.h5 "$gap")"
            matches "$what, setprofile: said" '^scope-profiler: from [0-9]+ ms to [0-9]+ ms a thread' err.txt
        fi
        sound "$what, setprofile" o.h5
    done
done

# pdb from a script: the debugger works, the calls are there.
printf 'def f():\n    x = 41\n    return x + 1\nimport pdb\npdb.Pdb(nosigint=True, readrc=False).runcall(f)\nf()\n' >debug.py
for python in $PYTHONS; do
    printf 'n\nn\np x\nc\n' >commands.txt
    "$python" debug.py <commands.txt >bare.txt 2>&1
    scope-profiler run -q --recursive -o d.h5 "$python" debug.py <commands.txt >out.txt 2>&1
    # 3.13.0's pdb stops a line later under any profiler, sys.setprofile's as well.
    [ "$(minor "$python")" = 13 ] || ok "$(label "$python"): a debugging session" cmp bare.txt out.txt
    equal "$(label "$python"): debugged calls" 2 "$(ncalls d.h5 f)"
done

if /usr/bin/python3 -c 'import coverage' 2>/dev/null; then
    printf 'def f(n):\n    if n:\n        return 1\n    return 2\nf(0); f(1)\n' >covered.py
    /usr/bin/python3 -m coverage run --branch --data-file=bare.cov covered.py
    run scope-profiler run -q --recursive -o c.h5 /usr/bin/python3 -m coverage run --branch --data-file=ours.cov covered.py
    for f in bare ours; do /usr/bin/python3 -m coverage json -q --data-file=$f.cov -o $f.json; sed -i 's/"timestamp": "[^"]*"//' $f.json; done
    ok "coverage: the same report" cmp bare.json ours.json
    equal "coverage: calls" 2 "$(ncalls c.h5 f)"
fi
finish
