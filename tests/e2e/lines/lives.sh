#!/bin/bash
# Counters of lines through kills, forks, threads, and beside tools that trace on their own.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3

# Killed at any moment, what has run is there: `done` is written after each pass, so it says at least how many there were.
cat >endless.py <<'P'
import os
def step(i):
    x = i + 1
    return x
def main():
    out = os.open("done", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    i = 0
    while True:
        i = step(i)
        os.pwrite(out, b"%d" % i, 0)
main()
P
killed() {
    local pause
    for pause in 0.25 0.4 0.55; do
        rm -f k.h5 done
        scope-profiler run -q --python "$1" --line-profile -o k.h5 endless.py 2>err.txt &
        local runner=$!
        await 20 test -s "done"
        sleep $pause
        pkill -KILL -P $runner
        wait $runner
        equal "$2 killed: status" 137 $?
        local passes line3
        passes=$(cat "done")
        line3=$(hits k.h5 step 3)
        between "$2 killed: first line" "$passes" "$((passes + 1))" "$line3"
        between "$2 killed: last line" "$passes" "$line3" "$(hits k.h5 step 4)"
    done
}
each_python killed

# A forked child counts for itself, also inside a function that its parent was in.
cat >forks.py <<'P'
import os, sys
def leaf(n):
    for i in range(n):
        pass
def both():
    leaf(10)
    pid = os.fork()
    leaf(100)
    leaf(100)
    return pid
if both():
    os.wait()
    leaf(1000)
P
forked() {
    run scope-profiler run -q --python "$1" --line-profile -o f.h5 forks.py
    scope-profiler line-profile f.h5 --rank 0 --function leaf >parent.txt
    scope-profiler line-profile f.h5 --rank 1 --function leaf >child.txt
    matches "$2: the parent's loop" '^│ 3 +│ 1214 ' parent.txt
    matches "$2: the child's loop" '^│ 3 +│ 202 ' child.txt
    contains "$2: more ranks are mentioned" "1 more rank has line records" <(scope-profiler line-profile f.h5 2>&1)
    equal "$2: the line after the fork" 2 "$(hits f.h5 both 8)"
}
each_python forked

# Threads count into one record.
cat >threads.py <<'P'
import threading, _thread, time
def work(n):
    total = 0
    for i in range(n):
        total += i
    return total
def main():
    for _ in range(30):
        ts = [threading.Thread(target=work, args=(50,)) for _ in range(4)]
        for t in ts: t.start()
        for t in ts: t.join()
    done = []
    for _ in range(20):
        _thread.start_new_thread(lambda: (work(50), done.append(1)), ())
    while len(done) < 20: time.sleep(0.001)
main()
P
threaded() {
    run scope-profiler run -q --python "$1" --line-profile --line-function 'work' -o t.h5 threads.py
    equal "$2 threads: hits" "3:140 4:7140 5:7000 6:140" "$(lines t.h5 | awk '{ printf "%s%s:%s", n++ ? " " : "", $2, $3 }')"
    equal "$2 threads: the chosen function alone" work "$(lines t.h5 | cut -d' ' -f1 | sort -u)"
}
each_python threaded

# Definitions made again and again stay one function.
cat >dynamic.py <<'P'
def make(i):
    space = {"__name__": "__main__"}
    exec(compile("def f(x):\n    y = x + 1\n    return y\n", "<made>", "exec"), space)
    return space["f"](i)
for i in range(3000):
    make(i)
P
dynamic() {
    run scope-profiler run -q --python "$1" --line-profile -o d.h5 dynamic.py
    equal "$2: 3000 definitions" "2:3000 3:3000" "$(lines d.h5 | awk '$1 == "f" { printf "%s%s:%s", n++ ? " " : "", $2, $3 }')"
    contains "$2: without a source" "(source unavailable)" <(scope-profiler line-profile d.h5 --function '^f$')
}
each_python dynamic

# The program's own tracing gets what it would get; where the two cannot be had together that is said.
cat >traces.py <<'P'
import sys
seen = []
def f(n):
    a = n
    return a
def tracer(frame, event, arg):
    if frame.f_code.co_name == "f": seen.append((event, frame.f_lineno))
    return tracer
f(1)
sys.settrace(tracer)
f(2)
sys.settrace(None)
f(3)
print(seen)
P
traced() {
    "$1" traces.py >bare.txt
    run scope-profiler run -q --python "$1" --line-profile -o s.h5 traces.py
    ok "$2: the tracer's own events" cmp bare.txt out.txt
    case $2 in
    3.12 | 3.13) equal "$2: both complete" "3 3" "$(hits s.h5 f 4) $(hits s.h5 f 5)"; equal "$2: no word" "" "$(cat err.txt)" ;;
    *)
        equal "$2: not counted meanwhile" "2 2" "$(hits s.h5 f 4) $(hits s.h5 f 5)"
        contains "$2: that is said" "traces itself with sys.settrace" err.txt
        ;;
    esac
}
each_python traced

# Exceptions on every way out, and a recursion limit that is the program's own.
cat >raises.py <<'P'
import sys
def deep(n):
    return deep(n + 1)
def safe():
    try:
        deep(0)
    except RecursionError:
        return 1
def out():
    raise SystemExit(4)
safe()
out()
P
raised() {
    run scope-profiler run -q --python "$1" --line-profile -o r.h5 raises.py
    equal "$2: status" 4 "$rc"
    equal "$2: handled" "1 1 1" "$(hits r.h5 safe 6) $(hits r.h5 safe 8) $(hits r.h5 out 10)"
    between "$2: depth" 900 1000 "$(hits r.h5 deep 3)"
}
each_python raised
finish
