# common.sh: what the tests of diff and check begin with. Sourced.
. "$(dirname "$0")/../lib/lib.sh"
/usr/bin/python3 -c 'import h5py' 2>/dev/null || skip "no h5py in /usr/bin/python3"
gate_tests=$e2e_lib/../gate

make_profile() { /usr/bin/python3 -B "$gate_tests/profile.py" "$@" || fail "profile.py $*"; }

# WHAT STATUS TEXT ARG...: scope-profiler ARG... ends with STATUS, says nothing on stdout, and one line with TEXT on stderr
# (a usage line may follow)
refused() {
    local what=$1 status=$2 text=$3; shift 3
    run scope-profiler "$@"
    equal "$what: status and output" "$status " "$rc $(cat out.txt)"
    equal "$what: one line of ours" 1 "$(grep -c '^scope-profiler: ' err.txt)"
    contains "$what: says" "$text" err.txt
}

# WHAT FILE: out.txt is FILE to the character
same_output() { cmp -s out.txt "$2"; check "$1" $? "$(diff out.txt "$2" | head -20)"; }

# FILE EXPRESSION: python, with d the parsed JSON (no NaN, no Infinity), prints the expression
json() {
    /usr/bin/python3 - "$@" <<'PY'
import json, sys
def no(constant): raise ValueError(constant)
d = json.load(open(sys.argv[1]), parse_constant=no)
print(eval(sys.argv[2]))
PY
}
