# shellcheck shell=bash disable=SC2034 # used by those who source it
# common.sh: what the MPI tests share; sourced first. Gives $mpi, the first argument of the test.
#
#   count_with PROGRAM          prepares the independent counter for the MPI library that PROGRAM is linked with
#   counted N CMD...            bare, then counted and profiled: N ranks of CMD. Asserts the same status and the same lines
#                               of output (in any order: ranks race), and that the profile counted.h5 holds the calls that
#                               the counter saw, by function and rank
#   profiled N FILE CMD...      mpirun -n N scope-profiler run -q -o FILE CMD; as `run` of lib.sh
#   bare N CMD...               the same without the profiler
#   calls FILE REGION RANK      as ncalls of lib.sh, for many questions about one file: it is read once
#   $launcher                   this MPI's mpirun, as root or not, more ranks than cores allowed (an array)
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"
mpi=${1:?which MPI}
mpi_tests=$SCOPE_SOURCE/tests/e2e/mpi
programs=$mpi_tests/programs
need_mpi "$mpi"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # for programs without mpirun
unset MALLOC_PERTURB_ # meson's: Open MPI's mpirun reads memory that it has freed
ulimit -c 0

launcher=("mpirun.$mpi")
if [ "$mpi" = openmpi ]; then launcher+=(--allow-run-as-root --oversubscribe); fi
profiled() { local n=$1 file=$2; shift 2; run "${launcher[@]}" -n "$n" scope-profiler run -q -o "$file" "$@"; }
bare() { local n=$1; shift; run "${launcher[@]}" -n "$n" "$@"; }

calls() {
    [ "$1.calls" -nt "$1" ] || h5 calls "$1" >"$1.calls" || { rm "$1.calls"; echo error; return; }
    awk -F '\t' -v region="$2" -v rank="$3" '$1 == rank && $4 == region { n += $2 } END { print n + 0 }' "$1.calls"
}

count_with() {
    [ "$(uname -m)" = x86_64 ] || skip "the independent counter is written for x86-64"
    local library
    library=$(ldd "$1" | awk '/libmpich\.so|libmpi\.so/ { print $3; exit }')
    mkdir counter
    "$mpi_tests/counter/make.sh" "$library" counter || fail "making the counter"
    printf '#!/bin/sh\nexport LD_PRELOAD=%s/counter/counter.so:$LD_PRELOAD\nexec "$@"\n' "$PWD" >with-counter
    chmod +x with-counter
    export COUNTER_DIR=$PWD/counter
}

# What differs from run to run: see the tests.
same_lines() { sed -E "${UNSTABLE:-}" "$1" | sort; }

counted() {
    local n=$1 bare_rc; shift
    bare "$n" "$@"
    bare_rc=$rc
    cp out.txt bare.txt
    rm -f counter/*.counts counted.h5
    profiled "$n" counted.h5 ./with-counter "$@"
    equal "status" "$bare_rc" "$rc"
    ok "same output" diff <(same_lines bare.txt) <(same_lines out.txt)
    lacks "nothing of ours on stderr" scope-profiler: err.txt
    ok "the calls of every rank and function" python3 -B "$mpi_tests/counter/compare.py" counted.h5 counter
}

# Of programs/killed.c: the 8 bytes at OFFSET of what RANK tells of itself; whether RANKS ranks run; kill -9 of one, which must
# still run: there is no other process that its number, 0 at its end, could mean.
killed_number() { od -An -t d8 -j "$2" -N 8 "count.$1" 2>/dev/null | tr -d ' '; }
killed_runs() { for ((r = 0; r < $1; r++)); do [ "$(killed_number $r 8)" -gt 0 ] 2>/dev/null || return 1; done; }
killed_kill() {
    local pid; pid=$(killed_number "$1" 8)
    [ "${pid:-0}" -gt 0 ] || fail "rank $1 has ended before it was to be killed"
    kill -9 "$pid"
}
