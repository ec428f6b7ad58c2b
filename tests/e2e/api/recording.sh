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
equal "nothing is left in memory" "" "$(find /dev/shm -maxdepth 1 -user "$(id -u)" -name 'scope-profiler.*')"
finish
