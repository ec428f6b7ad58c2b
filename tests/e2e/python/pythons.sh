# pythons.sh: sourced after lib.sh by the tests of Python programs.
#
#   $PYTHONS            every Python to test: /usr/bin/python3 and pyenv's 3.8 to 3.13; those that the machine lacks are
#                       named on stdout
#   hooks PYTHON        the hooks that can record it
#   count FILE          "calls name" of every region but the root, sorted by name, a line each
#   calls_of FILE REGION...   what ncalls says of each, blanks between; reads the file once
#   sound WHAT FILE     asserts that no call is unmatched, cut, overlapping or lost
#   record HOOK FILE ARGS...   scope-profiler run -q --recursive with that hook into FILE; fills $rc, out.txt, err.txt

PYTHONS=
for e2e_version in debian 3.8 3.9 3.10 3.11 3.12 3.13; do
    case $e2e_version in
    debian) e2e_python=/usr/bin/python3 ;;
    *) e2e_python=$(ls -d "${PYENV_ROOT:-/root/.pyenv}"/versions/$e2e_version.*/bin/python3 2>/dev/null | head -n 1) ;;
    esac
    if [ -x "$e2e_python" ]; then PYTHONS="$PYTHONS $e2e_python"; else echo "NOT TESTED: Python $e2e_version is not here"; fi
done
[ -n "$PYTHONS" ] || skip "no Python"

minor() { "$1" -c 'import sys; print(sys.version_info[1])'; }
hooks() {
    if [ "$(minor "$1")" -ge 12 ]; then echo setprofile monitoring; else echo setprofile evalframe; fi
}
label() { echo "${1#"${PYENV_ROOT:-/root/.pyenv}"/versions/}" | sed 's|/bin/python3||; s|^/usr$|debian|'; }

count() { h5 calls "$1" | awk -F '\t' '{ n[$4] += $2 } END { for (r in n) print n[r], r }' | LC_ALL=C sort -k 2; }
sound() { equal "$1: nothing unmatched, cut off, overlapping or lost" "" "$(problems "$2")"; }
calls_of() {
    local file=$1
    shift
    h5 calls "$file" | awk -F '\t' -v wanted="$(printf '%s\t' "$@")" '
        { whole[$4] += $2; last = $4; sub(/.*[.]/, "", last); part[last] += $2 }
        END {
            n = split(wanted, names, "\t") - 1
            for (i = 1; i <= n; i++)
                printf("%s%d", (i > 1 ? " " : ""), (names[i] in whole ? whole[names[i]] : part[names[i]]))
        }'
}
record() {
    local hook=$1 file=$2
    shift 2
    rm -f "$file"
    run scope-profiler run -q --recursive --python-hook "$hook" -o "$file" "$@"
}
