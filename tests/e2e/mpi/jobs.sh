#!/bin/bash
# Ranks collected by one thread and by several make the same file, with what their calls carried; and the collector of a
# launch uses all processors, whatever its ranks are bound to.
. "$(dirname "$0")/common.sh"
. "$MK/jobs.sh"
need python3
mpi_compile "$mpi" -g -Wno-stringop-overflow "$programs/carried.c" -o carried
"mpicc.$mpi" -w -pthread "$programs/threads.c" -o threads || fail "compile threads"
mpi_compile "$mpi" -O2 "$programs/killed.c" -o killed
spooled() { local n=$1 file=$2; shift 2; run "${launcher[@]}" -n "$n" scope-profiler run -q --keep-spool -o "$file" "$@"; }
spooled 4 carried.h5 ./carried
equal "status" 0 "$rc"
same_by_jobs "requests, communicators, sites" carried.h5
spooled 2 threads.h5 ./threads
[ "$rc" = 77 ] || same_by_jobs "threads" threads.h5
"${launcher[@]}" -n 4 scope-profiler run -q --keep-spool -o killed.h5 ./killed 2000 >out.txt 2>err.txt &
await 20 killed_runs 4
killed_kill 2
wait $!
await 20 test -s killed.h5
same_by_jobs "ranks that were killed" killed.h5

# A command stands for what the launcher does. The rank's program looks at itself and at the process that waits to collect.
[ "$(nproc)" -gt 1 ] || skip "one processor: no rank can be bound to less (the rest passed: $e2e_failures failed)"
all=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
one=${all%%[-,]*}
cat >look <<'S2'
#!/bin/sh
sleep 0.3
awk '/^Cpus_allowed_list/ { print "rank", $2 }' /proc/self/status
for status in /proc/[0-9]*/status; do
    tr '\0' ' ' <"${status%/*}/cmdline" 2>/dev/null | grep -q '^scope-profiler run -q -o bound.h5' &&
        awk '/^Cpus_allowed_list/ { print "collector", $2 }' "$status"
done
exec ./ends
S2
chmod +x look
cat >ends.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }
C
mpi_compile "$mpi" ends.c -o ends
run "${launcher[@]}" -n 1 taskset -c "$one" scope-profiler run -q -o bound.h5 ./look
equal "status" 0 "$rc"
equal "a rank stays where it is" "$one" "$(awk '$1 == "rank" { print $2 }' out.txt)"
equal "its collector is everywhere" "$all" "$(awk '$1 == "collector" { print $2 }' out.txt)"
# The same with a plain preload, where the last rank starts the command itself.
cat >command <<'S2'
#!/bin/sh
awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status >command.txt
exec scope-profiler "$@"
S2
chmod +x command
run "${launcher[@]}" -n 2 taskset -c "$one" env LD_PRELOAD="$SCOPE_PRELOAD" SCOPE_PROFILER_COMMAND="$PWD/command" \
    SCOPE_PROFILER_OUTPUT="$PWD/plain-preload.h5" ./ends
await 20 test -s plain-preload.h5
equal "plain preload: the command is everywhere" "$all" "$(cat command.txt)"
finish
