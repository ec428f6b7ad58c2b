#!/bin/bash
# A shell script as the program: its helpers record nothing and leave nothing, the program that it calls is recorded,
# and a background job does not hold up the run.
. "$(dirname "$0")/../lib/lib.sh"
need gcc
cat >real.c <<'C'
#include "mk.h"
int main(void)
{
    for (int i = 0; i < 5; i++) { MB("real"); ms(10); ME("real"); }
    return 4;
}
C
compile real.c -o real
cat >run.sh <<'S'
#!/bin/bash
date >/dev/null; x=$(echo hi | tr a-z A-Z); ls >/dev/null
./real; r=$?
seq 3 | while read n; do true; done
env -i /bin/ls >/dev/null
( sleep 3; echo late ) >late.txt &
echo "$x $r"
exit 6
S
chmod +x run.sh
for how in ./run.sh "bash run.sh"; do
    begin=$SECONDS
    run scope-profiler run -o s.h5 $how
    equal "$how: status and output" "6 HI 4" "$rc $(cat out.txt)"
    between "$how: seconds" 0 2 $((SECONDS - begin))
    equal "$how: calls" 5 "$(ncalls s.h5 real)"
    equal "$how: one recorded process" 1 "$(column s.h5 process_table pid | wc -l)"
    equal "$how: one file" s.h5 "$(ls -A | grep -e h5 -e spool)"
    lacks "$how: the linker is silent" "ld.so" err.txt
    equal "$how: the file is announced once" 1 "$(grep -c 's\.h5 (1 rank, 5 calls)' err.txt)"
    rm s.h5
done
run scope-profiler run -q -o s.h5 ./run.sh
equal "quiet: nothing on stderr" "" "$(cat err.txt)"
finish
