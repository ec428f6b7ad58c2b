# lib.sh: what every end-to-end test begins with. Bash; sourced, never run:
#
#     #!/bin/bash
#     . "$(dirname "$0")/../lib/lib.sh"
#     need gcc
#     cat >a.c <<'C'
#     #include "mk.h"
#     int main(void) { MB("work"); ms(10); ME("work"); return 3; }
#     C
#     compile a.c -o a
#     run scope-profiler run -q -o a.h5 ./a          # fills $rc, out.txt, err.txt
#     equal "status" 3 "$rc"
#     equal "calls" 1 "$(ncalls a.h5 work)"
#     between "seconds" 0.01 0.05 "$(total a.h5 work)"
#     finish
#
# Sourcing it changes into a fresh directory of mode 755 that is removed at the end (KEEP=1 keeps and names it), puts the
# built `scope-profiler` and /usr/bin's python3 first in PATH, and clears every variable of ours from the environment.
# A test that ends without `finish` has failed, so an early exit cannot look like success.
#
# Given by meson (or by hand): SCOPE_PROFILER the built command (default build/cli/scope-profiler of this tree),
# SCOPE_PRELOAD the preload library (default ../preload/libscope-profiler.so beside it).
#
#   need CMD...                 skips (77) unless all commands exist; the reason is printed
#   need_root                   skips unless root
#   skip REASON                 ends the test as skipped (77)
#   run CMD...                  runs it; status in $rc, stdout in out.txt, stderr in err.txt; RUN_TIMEOUT seconds (60)
#   equal WHAT WANT GOT         asserts equal strings
#   between WHAT LOW HIGH GOT   asserts LOW <= GOT <= HIGH (numbers)
#   contains WHAT TEXT FILE     asserts that a line of FILE holds TEXT (fixed string); lacks: that none does
#   matches WHAT REGEX FILE     asserts that a line of FILE matches the extended regex
#   ok WHAT CMD...              asserts that CMD succeeds; not_ok WHAT CMD...: that it fails
#   fail WHAT                   notes a failure; the test goes on and fails at `finish`
#   finish                      last line of every test
#
#   ncalls FILE REGION [RANK]   number of calls, summed over threads (and ranks)
#   total  FILE REGION [RANK]   inclusive seconds; a call within a call of the same region is not counted again
#   own    FILE REGION [RANK]   exclusive seconds
#   sum    FILE REGION [RANK]   plain sum of the durations in seconds
#   ranks  FILE REGION          the ranks that have the region, ascending, blanks between
#   regions FILE                names of all regions with calls, one a line
#   meta   FILE KEY             a metadata value; processes, problems, threads FILE: those tables, tab-separated with a
#                               header line
#   column FILE GROUP COLUMN    the values of one column of such a table, one a line
#   problem FILE KIND [REGION]  how many of that kind: unmatched (ends), cut (calls), overlap (calls), lost (events)
#     REGION is the whole stored name or its last component (`countdown` finds `b1.countdown`). All of these read the raw
#     columns with h5py (h5.py), not with our own reader; a file that cannot be read prints `error`.
#
#   compile ARGS...             ${CC:-gcc} with what scope_flags says
#   compile_fortran ARGS...     gfortran with the Fortran module and mk.F90 before ARGS
#   scope_flags                 flags for a C or C++ compiler: our header, mk.h, -DHAVE_SCOPE
#   need_mpi mpich|openmpi      skips unless its compiler and launcher are there
#   mpi_compile MPI ARGS...     that MPI's mpicc with scope_flags; mpi_fortran MPI ARGS...: its mpif90
#   mpi_run MPI ARGS...         that MPI's mpirun, as root or not, more ranks than cores allowed
#   await SECONDS CMD...        repeats CMD until it succeeds; fails after SECONDS
#
# mk.h: MB("x")/ME("x") begin/end a region, ms(n) sleeps n ms; mk.F90: call mb('x'), call me('x').

set -u
e2e_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SCOPE_SOURCE=$(cd "$e2e_lib/../../.." && pwd)
SCOPE_PROFILER=${SCOPE_PROFILER:-$SCOPE_SOURCE/build/cli/scope-profiler}
SCOPE_PRELOAD=${SCOPE_PRELOAD:-$(dirname "$SCOPE_PROFILER")/../preload/libscope-profiler.so}
MK=$e2e_lib

skip() { echo "SKIP: $*"; e2e_ended=77; exit 77; }

e2e_failures=0
e2e_checks=0
e2e_ended=
fail() { e2e_failures=$((e2e_failures + 1)); echo "FAIL: $*"; }
pass() { echo "ok: $*"; }

e2e_exit() {
    local status=$?
    trap - EXIT
    cd / || true
    awk -v d="$e2e_dir/" 'index($2, d) == 1 { print $2 }' /proc/mounts | xargs -r umount -l
    if [ "${KEEP:-}" = 1 ]; then echo "kept: $e2e_dir"; else chmod -R u+rwx "$e2e_dir" 2>/dev/null; rm -rf "$e2e_dir"; fi
    if [ -z "$e2e_ended" ]; then echo "FAIL: ended before 'finish' (status $status)"; exit 1; fi
    exit "$e2e_ended"
}

finish() {
    echo "$e2e_checks checks, $e2e_failures failed"
    e2e_ended=$((e2e_failures > 0))
    exit "$e2e_ended"
}

check() { # WHAT STATUS DETAIL
    e2e_checks=$((e2e_checks + 1))
    if [ "$2" = 0 ]; then pass "$1"; else fail "$1${3:+: $3}"; fi
}

equal() { [ "$2" = "$3" ]; check "$1" $? "wanted '$2', got '$3'"; }
between() {
    awk -v l="$2" -v h="$3" -v g="$4" 'BEGIN { exit !(g ~ /^[-+0-9.]/ && g + 0 >= l + 0 && g + 0 <= h + 0) }'
    check "$1" $? "wanted $2 to $3, got '$4'"
}
e2e_show() { head -c 1500 "$1" 2>&1 | tr -d '\0' | sed 's/^/    | /'; }
e2e_grep() { # WHAT OPTION PATTERN FILE WANTED: asserts that grep's status is WANTED (0 found, 1 not found)
    local copy=$4 status
    [ -f "$4" ] || { copy=$e2e_dir/.grepped; cat "$4" >"$copy" 2>/dev/null; } # a <(...) can be read once only
    grep -q "$2" -e "$3" "$copy"
    status=$?
    [ $status = "$5" ]
    check "$1" $? "'$3' $([ "$5" = 0 ] && echo "is not" || echo "is") in $4"
    if [ $status != "$5" ]; then e2e_show "$copy"; fi
}
contains() { e2e_grep "$1" -F "$2" "$3" 0; }
lacks() { e2e_grep "$1" -F "$2" "$3" 1; }
matches() { e2e_grep "$1" -E "$2" "$3" 0; }
ok() { local what=$1; shift; "$@"; check "$what" $? "status $? of: $*"; }
not_ok() { local what=$1; shift; ! "$@"; check "$what" $? "succeeded: $*"; }

run() {
    timeout --kill-after=5 "${RUN_TIMEOUT:-60}" "$@" >out.txt 2>err.txt
    rc=$?
    echo "rc=$rc <- $*"
    if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then e2e_show err.txt; fi
}

need() { local c; for c in "$@"; do command -v "$c" >/dev/null || skip "no $c on this machine"; done; }
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }

await() {
    local end=$((SECONDS + $1)); shift
    until "$@" 2>/dev/null; do [ $SECONDS -lt $end ] || return 1; sleep 0.05; done
}

h5() { python3 -B "$e2e_lib/h5.py" "$@"; }
ncalls() { h5 ncalls "$@"; }
total() { h5 total "$@"; }
own() { h5 own "$@"; }
sum() { h5 sum "$@"; }
ranks() { h5 ranks "$@"; }
regions() { h5 regions "$@"; }
meta() { h5 meta "$@"; }
column() { h5 column "$@"; }
problem() { h5 problem "$@"; }
processes() { h5 table "$1" process_table; }
problems() { h5 table "$1" problem_table; }
threads() { h5 table "$1" thread_table; }

scope_flags() { echo "-I$MK -I$SCOPE_SOURCE/share/include -DHAVE_SCOPE"; }
# shellcheck disable=SC2046 # the flags are words
compile() { ${CC:-gcc} -O1 $(scope_flags) "$@" || fail "compile $*"; }
e2e_fortran() { echo "-DHAVE_SCOPE $SCOPE_SOURCE/share/fortran/scope_profiler.f90 $MK/mk.F90"; }
# shellcheck disable=SC2046
compile_fortran() { gfortran -O1 $(e2e_fortran) "$@" || fail "compile_fortran $*"; }

need_mpi() { need "mpicc.$1" "mpirun.$1"; }
# shellcheck disable=SC2046
mpi_compile() { local mpi=$1; shift; "mpicc.$mpi" -O1 $(scope_flags) "$@" || fail "mpi_compile $mpi $*"; }
# shellcheck disable=SC2046
mpi_fortran() { local mpi=$1; shift; "mpif90.$mpi" -O1 $(e2e_fortran) "$@" || fail "mpi_fortran $mpi $*"; }
mpi_run() {
    local mpi=$1 flags=; shift
    if [ "$mpi" = openmpi ]; then flags="--allow-run-as-root --oversubscribe"; fi
    # shellcheck disable=SC2086
    "mpirun.$mpi" $flags "$@"
}

[ -x "$SCOPE_PROFILER" ] || { echo "FAIL: no scope-profiler at $SCOPE_PROFILER (meson test sets SCOPE_PROFILER)"; exit 1; }
SCOPE_PROFILER=$(realpath "$SCOPE_PROFILER")
SCOPE_PRELOAD=$(realpath -m "$SCOPE_PRELOAD")
unset LD_PRELOAD SCOPE_PROFILER_SPOOL SCOPE_PROFILER_OUTPUT SCOPE_PROFILER_COMMAND SCOPE_PROFILER_PYTHON
unset PYTHONPATH PYTHONHOME
export LANG=C.UTF-8 LC_ALL=C.UTF-8
export PATH=$(dirname "$SCOPE_PROFILER"):/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
e2e_dir=$(mktemp -d "${TMPDIR:-/tmp}/scope-e2e.XXXXXX")
chmod 755 "$e2e_dir"
trap e2e_exit EXIT
trap 'exit 130' INT TERM
cd "$e2e_dir" || exit 1
