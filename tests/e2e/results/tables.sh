#!/bin/bash
# print_summary() and `inspect` print the same bytes.
. "$(dirname "$0")/../lib/lib.sh"
here=$e2e_lib/../results
need gcc python3
export PYTHONPATH=$SCOPE_BUILD/share/python
python3 -B "$here/profiles.py"
cat >program.c <<'C'
#include "mk.h"
static void walk(int n) { MB("walk"); MB("näme\twith\001 日本"); ME("näme\twith\001 日本"); if (n) walk(n - 1); ME("walk"); }
int main(void) { MB("scope_profiler.session"); walk(3); for (int i = 0; i < 1500; i++) { MB("often"); ME("often"); }
    MB("wait"); ms(2); MB("inner"); ms(1); ME("inner"); ME("wait"); ME("scope_profiler.session"); return 0; }
C
compile program.c -o program
run scope-profiler run -q -o "a b.h5" ./program
run scope-profiler run -q --aggregation-mode -o sums.h5 ./program
asked=0
same() { # FILE OPTIONS...: what inspect prints below its heading
    asked=$((asked + 1))
    scope-profiler inspect --regions-only "$@" | sed 1,5d >want.$asked
    (IFS=$'\t'; echo "$*") >>cases
}
for file in "a b.h5" sums.h5 recursive.json overlap.json lines.json; do
    same "$file"
    same "$file" --columns region,ranks,calls,total,percent,parent_percent,avg,min,max,first,last,std,p50,p95,p99,imbalance
    for key in name total calls avg min max first last std p95 imbalance; do same "$file" --sort $key; done
done
file="a b.h5"
same "$file" --include w --exclude wait
same "$file" --include often --ranks 0 --sort p50
same "$file" --tree
ok "print_summary()" python3 -B "$here/tables.py" cases
for number in $(seq $asked); do
    diff want.$number got.$number >difference.txt && [ -s want.$number ]
    same=$?
    check "$(sed -n ${number}p cases | tr '\t' ' ')" $same "$(head -5 difference.txt)"
done
finish
