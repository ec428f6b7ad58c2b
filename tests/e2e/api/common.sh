# common.sh: sourced after lib.sh. api PYTHON ARGS... runs a Python that finds the package and is not recorded; status in
# $rc, out.txt, err.txt. said: its complaints, which must be none. left: what a recording left on disk.
api_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
api_path=${SCOPE_BUILD:-$(dirname "$SCOPE_PROFILER")/..}/share/python
[ -d "$api_path/scope_profiler" ] || { fail "no package in $api_path"; finish; }
api() { run env PYTHONPATH="$api_path" PYTHONDONTWRITEBYTECODE=1 "$@"; }
well() {
    equal "$1: status" 0 "$rc"
    equal "$1: stderr" "" "$(cat err.txt)"
    equal "$1: it came to its end" done "$(tail -n 1 out.txt)"
}
left() { find . -name '.*spool*'; }
# What processes that are gone have left in memory; others may record there at the same time.
left_in_memory() {
    local entry pid
    for entry in $(find /dev/shm -maxdepth 1 -user "$(id -u)" -name 'scope-profiler.*' 2>/dev/null); do
        pid=${entry#*scope-profiler.}
        kill -0 "${pid%%.*}" 2>/dev/null || { [ -e "$entry" ] && echo "$entry"; }
    done
}
