#!/bin/bash
# The command: which records it shows, how it refuses, what JSON says; and which functions a run chooses.
. "$(dirname "$0")/../lib/lib.sh"
. "$e2e_lib/../lines/pythons.sh" || exit 1
need python3

cat >app.py <<'P'
import json
class Solver:
    def step(self):
        return json.loads("[1, 2]")
    def stop(self):
        return 0
def main():
    s = Solver()
    s.step()
    s.stop()
main()
P
run scope-profiler run -q --line-profile -o a.h5 app.py
equal "run" 0 "$rc"

shown() { scope-profiler line-profile a.h5 "$@" | grep '^Rank' | sed 's/.*| \(.*\) (.*/\1/' | tr '\n' ' ' | sed 's/ $//'; }
equal "all functions" "main step stop" "$(shown)"
equal "--function anywhere in the name" "step stop" "$(shown --function 'st')"
equal "--region anywhere" "step stop" "$(shown --region 'Solver')"
equal "--include from the start" "" "$(shown --include 'Solver')"
equal "--include" "step stop" "$(shown --include '__main__\.Solver')"
equal "--exclude" "main" "$(shown -e '.*Solver')"
equal "all must agree" "stop" "$(shown --include '__main__' --exclude '.*step' --function 'st')"
equal "--rank" "main step stop" "$(shown --rank 0)"
for ranks in 5 "0 1-3" 0,7; do
    # shellcheck disable=SC2086
    run scope-profiler line-profile a.h5 --ranks $ranks
    equal "--ranks $ranks: there is rank 0 alone" "2 1 " "$rc $(grep -c "no such rank: .* (0-0)" err.txt) $(cat out.txt)"
done

run scope-profiler line-profile a.h5 --function nothing
equal "nothing matches" 0 "$rc"
contains "and says so" "No line-profile records matched" out.txt
for bad in "a.h5 --function (" "a.h5 --ranks x" "a.h5 b.h5" "" "a.h5 --nope"; do
    # shellcheck disable=SC2086
    run scope-profiler line-profile $bad
    equal "bad usage: '$bad'" 2 "$rc"
    equal "nothing on stdout" "" "$(cat out.txt)"
done
run scope-profiler line-profile missing.h5
equal "no file" 1 "$rc"
contains "named" "missing.h5" err.txt
head -c 2000 a.h5 >cut.h5
run scope-profiler line-profile cut.h5
equal "half a file" 1 "$rc"
equal "one line" 1 "$(wc -l <err.txt)"

run scope-profiler line-profile a.h5 --json
equal "JSON" "__main__.Solver.step step app.py 3 4 1 True return json.loads(\"[1, 2]\")" "$(python3 -c '
import json
document = json.load(open("out.txt"))
record = [r for r in document["records"] if r["function"] == "step"][0]
line = record["lines"][0]
print(record["region"], record["function"], record["filename"], record["first_lineno"], line["line"], line["hits"],
      abs(line["seconds"] / line["hits"] - line["seconds_per_hit"]) < 1e-15, line["source"].strip())')"

# FUNCTIONS OPTION...: what a run with these options counts
counts() {
    local wanted=$1; shift
    run scope-profiler run -q "$@" -o c.h5 app.py
    equal "counted with $*" "$wanted" "$(lines c.h5 | cut -d' ' -f1 | sort -u | tr '\n' ' ' | sed 's/ $//')"
}
counts "main step stop" --line-profile
counts "step" --line-function step --line-function nothing
counts "step stop" --line-function 'Solver.*'
counts "step stop" --line-function '__main__.Solver.*'
counts "main stop" --line-function main --line-function '*.stop'
counts "" --line-function loads
counts "loads" --all --line-function loads
counts "" --recursive

# Preloaded without `run`.
(export LD_PRELOAD="$SCOPE_PRELOAD" SCOPE_PROFILER_LINES=1 SCOPE_PROFILER_OUTPUT=p.h5 SCOPE_PROFILER_COMMAND="$SCOPE_PROFILER"
    exec /usr/bin/python3 app.py)
await 10 test -s p.h5
equal "only preloaded" "main step stop" "$(lines p.h5 | cut -d' ' -f1 | sort -u | tr '\n' ' ' | sed 's/ $//')"
finish
