#!/bin/bash
# The program's exit status is the command's, however the program ends and whatever kind of program it is.
. "$(dirname "$0")/../lib/lib.sh"
need gcc python3
cat >x.py <<'P'
import sys
exec(sys.argv[1])
P
echo 'int main(void) { return *(volatile char *)0; }' >segv.c
compile -w segv.c -o segv
echo 'not a program' >plain.txt
ulimit -c 0

status() { # WANT CMD...
    local want=$1; shift
    run "$@"
    equal "status of: $*" "$want" "$rc"
}
S="scope-profiler run -o b26.h5"
status 3 $S x.py 'sys.exit(3)'
status 1 $S x.py 'sys.exit("msg")'
equal "its message, once" 1 "$(grep -c '^msg$' err.txt)"
status 1 $S x.py 'raise ValueError'
contains "its traceback" "ValueError" err.txt
status 0 $S x.py 'sys.exit(None)'
status 130 $S x.py 'raise KeyboardInterrupt'
status 200 $S sh -c 'exit 200'
status 143 $S sh -c 'kill -TERM $$'
status 139 $S ./segv
status 126 $S ./plain.txt
contains "names the file that cannot be run" "plain.txt" err.txt
status 126 $S "$e2e_dir"
status 127 $S ./does-not-exist
contains "names the missing file" "does-not-exist" err.txt
status 127 $S no-such-command-anywhere
status 0 $S true
status 2 scope-profiler run
contains "usage without a program" "sage" err.txt
status 2 scope-profiler run --no-such-option true
contains "names the option" "no-such-option" err.txt
contains "usage with a bad option" "sage" err.txt

# What lies behind the program's name is the program's.
status 0 $S sh -c 'echo "$@"' sh -o --version -q --
equal "arguments" "-o --version -q --" "$(cat out.txt)"
equal "no files of ours" 0 "$(find . -name '*.h5*' | wc -l)"
finish
