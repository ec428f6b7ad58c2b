#!/bin/bash
# MPI_THREAD_MULTIPLE: every call of every thread, in its own lane.
. "$(dirname "$0")/common.sh"
"mpicc.$mpi" -w -pthread "$programs/threads.c" -o threads || fail "compile threads"
count_with ./threads
export RUN_TIMEOUT=200
counted 2 ./threads
[ "$rc" = 77 ] && skip "this $mpi has no MPI_THREAD_MULTIPLE"
equal "status" 0 "$rc"
equal "calls" "2000 2000" "$(ncalls counted.h5 MPI_Allreduce 0) $(ncalls counted.h5 MPI_Allreduce 1)"
equal "cut off" 0 "$(problem counted.h5 cut)"
equal "threads" 10 "$(threads counted.h5 | tail -n +2 | wc -l)"
# The same communicator is one to all its ranks, whatever order the threads made theirs in.
"mpicc.$mpi" -w -pthread "$programs/orders.c" -o orders || fail "compile orders"
profiled 3 orders.h5 ./orders
equal "orders: status" 0 "$rc"
ok "orders: communicators, their names and members" python3 -B - orders.h5 <<'P'
import sys, h5py
with h5py.File(sys.argv[1]) as file:
    calls, comms, members = file["mpi/calls"], file["mpi/communicators"], file["mpi/members"]
    names, first, stride = comms["names"].asstr()[:], members["first"][:], members["stride"][:]
    at, runs, of_tag = comms["run_offsets"][:], comms["run_counts"][:], {}
    for comm, tag in zip(calls["communicators"][:], calls["to_tags"][:]):
        if tag >= 0: of_tag.setdefault(int(tag), []).append(int(comm))
    assert len(of_tag) == 4 * 25 * 2, len(of_tag)
    for tag, used in of_tag.items():
        assert len(used) == 3 and len(set(used)) == 1, (tag, used)
        assert names[used[0]] == str(tag), (tag, names[used[0]])
        run = at[used[0]]
        assert (runs[used[0]], first[run], stride[run]) == (1, 2, -1), tag
P
finish
