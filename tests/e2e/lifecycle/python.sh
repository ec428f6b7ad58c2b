#!/bin/bash
# The life cycle of Python programs whose functions are recorded.
. "$(dirname "$0")/../lib/lib.sh"
need gcc python3
grep -q PyEval_SetProfile "$SCOPE_PRELOAD" || skip "this build records no Python functions"

run scope-profiler run -q --recursive -o end.h5 python3 -c 'import os, time
def f(): time.sleep(.01)
for i in range(5): f()
os._exit(7)'
equal "os._exit: status and calls" "7 5" "$rc $(ncalls end.h5 f)"

printf 'import time\ndef pyf(): time.sleep(0.01)\npyf()\n' >child.py
printf '#!/bin/bash\ndate >/dev/null\n/usr/bin/python3 child.py\nls >/dev/null\nexit 6\n' >run.sh
chmod +x run.sh
run scope-profiler run -q --recursive -o sh.h5 ./run.sh
equal "called by a script: status and calls" "6 1" "$rc $(ncalls sh.h5 pyf)"

printf 'def f(): print("py")\nf()\n' >noexec.py
run scope-profiler run -q --recursive -o d.h5 noexec.py
equal "a file without the x bit" "0 py 1" "$rc $(cat out.txt) $(ncalls d.h5 f)"
run scope-profiler run --recursive -o e.h5 python3 -I -S -E noexec.py
equal "isolated: status and output" "0 py" "$rc $(cat out.txt)"
equal "isolated: calls" 1 "$(ncalls e.h5 f)"

cat >filter.py <<'P'
import sys, subprocess, os
data = sys.stdin.buffer.read()
sys.stdout.buffer.write(data[::-1])
print(os.isatty(0), os.isatty(1), os.isatty(2), file=sys.stderr)
subprocess.Popen(["sleep", "20"])
P
printf 'abc\0\377' >in.bin
begin=$SECONDS
scope-profiler run -q --recursive -o f.h5 filter.py <in.bin >out.bin 2>err.txt
between "a filter: seconds" 0 10 $((SECONDS - begin))
ok "a filter: its output" cmp out.bin <(printf '\377\0cba')
equal "a filter: its stderr" "False False False" "$(cat err.txt)"
finish
