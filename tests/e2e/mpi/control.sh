#!/bin/bash
# MPI_Pcontrol: named regions, pauses; what calls carry after a pause, and of throttled functions.
. "$(dirname "$0")/common.sh"
mpi_compile "$mpi" -O2 -g "$programs/control.c" -o control
bare 2 ./control
equal "bare: status" 0 "$rc"
profiled 2 c.h5 ./control
equal "status" 0 "$rc"
equal "named regions, and no others" "inner loop solve" "$(regions c.h5 | grep -v MPI_ | sort | paste -sd ' ')"
equal "calls" "2 2" "$(ncalls c.h5 solve) $(ncalls c.h5 "inner loop")"
equal "they nest" 1 "$(awk -v o="$(own c.h5 solve 0)" -v i="$(total c.h5 "inner loop" 0)" -v t="$(total c.h5 solve 0)" 'BEGIN { print (o + i - t < 1e-6 && t > i) }')"
equal "nothing is cut off" 0 "$(problem c.h5 cut)"
equal "calls in the pause are left out" "2 2 2" "$(ncalls c.h5 MPI_Barrier) $(ncalls c.h5 MPI_Send) $(ncalls c.h5 MPI_Wait)"
scope-profiler mpi --csv --matrix c.h5 | tr -d '\r' | cut -d, -f2- >matrix.csv
ok "only what is recorded is in the matrix" diff - matrix.csv <<'T'
from_rank,to_rank,messages,bytes
0,1,1,16
1,0,1,16
T
# The receive that ended in the pause has no bytes, though its request's number came again behind it.
scope-profiler mpi --csv c.h5 | tr -d '\r' | awk -F, '$2 == "MPI_Irecv" || $2 == "MPI_Iprobe" || $2 == "MPI_Allreduce" { print $2, $3, $7, $8 }' | sort >got
ok "bytes, and polls of one loop" diff - got <<'T'
MPI_Allreduce 2 8 8
MPI_Iprobe 200  
MPI_Irecv 4  32
T
scope-profiler mpi --sites c.h5 >sites.txt
contains "call sites after the pause" "control.c:$(grep -n 'MPI_Iprobe' "$programs/control.c" | cut -d: -f1) " sites.txt
ok "waits can be asked for" scope-profiler mpi --waits c.h5

run "${launcher[@]}" -n 2 scope-profiler run -q --throttle 5:1s -o t.h5 ./control
equal "throttled: status" 0 "$rc"
scope-profiler mpi --csv t.h5 | tr -d '\r' | awk -F, '$2 == "MPI_Irecv" || $2 == "MPI_Iprobe" || $2 == "MPI_Allreduce" { print $2, $3, $7, $8 }' | sort >got
ok "throttled: the first calls carry what they carried" diff - got <<'T'
MPI_Allreduce 2 8 8
MPI_Iprobe 10  
MPI_Irecv 4  32
T
equal "throttled: all are counted" 200 "$(scope-profiler inspect --csv t.h5 | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "region" || $i == "name") n = i; if ($i == "calls" || $i == "count") c = i } } $n == "MPI_Iprobe" { s += $c } END { print s }')"
ok "throttled: waits can be asked for" scope-profiler mpi --waits t.h5
finish
