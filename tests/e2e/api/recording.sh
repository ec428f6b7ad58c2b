#!/bin/bash
# The Python package in a Python that is not recorded, every version.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../python/pythons.sh"
. "$e2e_lib/../api/common.sh"
need python3

for python in $PYTHONS; do
    name=$(label "$python")
    mkdir "$name" && cd "$name" || exit 1
    dev="-X dev" # 3.8's own debug allocator does not survive a fork
    [ "$(minor "$python")" -ge 9 ] || dev=
    # shellcheck disable=SC2086
    api "$python" $dev -W error "$api_here/recording.py"
    well "$name"
    equal "$name: nothing is left on disk" "" "$(left)"
    equal "$name: raw counts" "2 2" "$(ncalls one.h5 shared) $(ncalls fork.h5 before 1)"
    equal "$name: no problems" "" "$(problems fork.h5 | tail -n +2)"
    cd "$e2e_dir" || exit 1
done

# What a program that ends leaves: a file only when that was asked for, and after an exception as well.
cat >ends.py <<'P'
import sys
import scope_profiler as sp
sp.setup(file_path="end.h5", auto_finalize=sys.argv[1] == "auto")
with sp.region("a"):
    pass
sp.ProfileManager().setup(output=None)
if len(sys.argv) > 2:
    raise SystemExit(int(sys.argv[2]))
P
for how in "auto" "auto 3" "none"; do
    rm -f end.h5
    # shellcheck disable=SC2086
    api /usr/bin/python3 ends.py $how
    equal "$how: status" "$(echo "$how 0" | awk '{ print $2 }')" "$rc"
    case $how in
    auto*)
        equal "$how: the file" 1 "$(ncalls end.h5 a)"
        contains "$how: its summary" "Summary: end.h5 (1 rank)" out.txt ;;
    *) not_ok "$how: no file" test -e end.h5 ;;
    esac
    equal "$how: nothing is left on disk" "" "$(left)"
done

# Killed, it leaves what it recorded.
cat >killed.py <<'P'
import os, signal
import scope_profiler as sp
sp.setup(file_path="killed.h5")
for _ in range(1000):
    with sp.region("a"):
        pass
os.kill(os.getpid(), signal.SIGKILL)
P
api /usr/bin/python3 killed.py
equal "killed" 137 "$rc"
run scope-profiler collect -q .killed.h5.spool-*
equal "recovered" 1000 "$(ncalls killed.h5 a)"
equal "nothing is left in memory" "" "$(left_in_memory)"

# Looking at a profile does not put an older recording, or that of a worker which was ended, in its place.
cat >workers.py <<'P'
import multiprocessing, os, sys
import scope_profiler as sp
sp.setup(file_path="workers.h5", auto_finalize=True)
def work():
    with sp.region("worker"):
        pass
    os._exit(0)
if __name__ == "__main__":
    with sp.region("parent"):
        worker = multiprocessing.get_context("spawn").Process(target=work)
        worker.start()
        worker.join()
P
api /usr/bin/python3 workers.py
equal "workers" 0 "$rc"
run scope-profiler inspect workers.h5 --csv
equal "the parent's profile is what is shown" "1" "$(grep -c parent out.txt)"
matches "the worker's is named" "collect -o FILE .*/.workers.h5.spool-" err.txt
run scope-profiler collect -q -o worker.h5 .workers.h5.spool-*
equal "both are there" "1 1" "$(ncalls workers.h5 parent) $(ncalls worker.h5 worker)"
finish
