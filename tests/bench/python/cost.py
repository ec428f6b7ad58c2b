#!/usr/bin/python3
"""cost.py [--rounds N] [PYTHON ...]: what recording Python functions adds to a call, over what cProfile adds.

Each figure is the minimum of the rounds of several interleaved processes. Without arguments: /usr/bin/python3 and every
pyenv Python from 3.8 to 3.13. Columns: the work; bare ms; then added by each way over added by cProfile; "skipped": calls
of functions that are filtered out, over cProfile as well; for work without calls: time over bare time.
SCOPE_PROFILER names the built command."""
import glob
import os
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(os.environ.get("SCOPE_PROFILER", "build/cli/scope-profiler"))
WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work.py")
PROCESSES = 5


def hooks_of(python):
    minor = int(subprocess.check_output([python, "-c", "import sys; print(sys.version_info[1])"]))
    return ["auto", "setprofile"] + (["evalframe"] if 8 <= minor <= 11 else []) + (["monitoring"] if minor > 11 else [])


def ways_of(python):
    ways = {"bare": ([], "none"), "cprofile": ([], "cprofile")}
    for hook in hooks_of(python):
        run = [COMMAND, "run", "-q", "-o", "/dev/null", "--python-hook", hook, "--all"]
        ways[hook] = (run, "none")
    ways["skipped"] = ([COMMAND, "run", "-q", "-o", "/dev/null", "--recursive", "--include", "no.such"], "none")
    return ways


def measure(python, work, rounds):
    ways = ways_of(python)
    best = dict.fromkeys(ways, float("inf"))
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(PROCESSES):
            for way, (prefix, profiler) in ways.items():
                prefix = [os.path.join(directory, "x.h5") if p == "/dev/null" else p for p in prefix]
                out = subprocess.check_output(
                    prefix + [python, WORK, work, profiler, str(rounds)], stderr=subprocess.DEVNULL, cwd=directory
                )
                best[way] = min([best[way]] + [float(line) for line in out.split()])
    return best


def main():
    args = sys.argv[1:]
    rounds = 5
    if args[:1] == ["--rounds"]:
        rounds, args = int(args[1]), args[2:]
    pythons = args or ["/usr/bin/python3"] + sorted(
        p for p in glob.glob("/root/.pyenv/versions/3.*/bin/python3") if 8 <= int(p.split("/")[4].split(".")[1]) <= 13
    )
    for python in pythons:
        print(python)
        for work in ("recursion", "calls", "methods", "realistic", "arithmetic"):
            best = measure(python, work, rounds)
            bare = best.pop("bare")
            added = best["cprofile"] - bare
            if work == "arithmetic":
                figures = ["%s %.3f" % (way, best[way] / bare) for way in best]
                print("  %-10s %8.2f ms  over bare:     %s" % (work, bare * 1e3, "  ".join(figures)))
            else:
                figures = ["%s %.3f" % (way, (best[way] - bare) / added) for way in best if way != "cprofile"]
                print("  %-10s %8.2f ms  over cProfile: %s" % (work, bare * 1e3, "  ".join(figures)))
        sys.stdout.flush()


main()
