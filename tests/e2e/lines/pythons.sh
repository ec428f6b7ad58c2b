# pythons.sh: sourced after lib.sh. Every Python that the tests of lines are run with; those that are not there are named.
#
#   each_python FUNCTION   calls FUNCTION PATH NAME for each of them (NAME: debian, 3.8, ...)
#   hits FILE FUNCTION LINE, lines FILE     see lines.py

lines_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hits() { python3 -B "$lines_here/lines.py" "$@"; }
lines() { python3 -B "$lines_here/lines.py" "$1"; }

each_python() {
    local version path
    "$1" /usr/bin/python3 debian
    for version in 3.8 3.9 3.10 3.11 3.12 3.13; do
        path=$(find "${PYENV_ROOT:-$HOME/.pyenv}/versions" -maxdepth 3 -name "python$version" -path "*/bin/*" 2>/dev/null |
            sort | tail -n 1)
        if [ -n "$path" ]; then "$1" "$path" "$version"; else echo "NOT RUN: no Python $version on this machine"; fi
    done
}
