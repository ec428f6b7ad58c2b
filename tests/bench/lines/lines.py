#!/usr/bin/python3
"""lines.py BUILD: what counting lines and explicit Python regions cost, in one run: each Python of this machine."""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.path.join(os.path.abspath(sys.argv[1]), "cli", "scope-profiler")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CHOSEN, OTHERS = ["hot", "hotcall", "tiny"], ["fib", "arithmetic"]
LINES = {"hot": 100000, "hotcall": 40000, "tiny": 30000}


def pythons():
    yield "/usr/bin/python3", "Debian"
    found = glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))
    for path in sorted(found, key=lambda p: [int(n) for n in re.findall(r"versions/3\.(\d+)\.(\d+)", p)[0]]):
        if int(re.search(r"versions/3\.(\d+)", path).group(1)) >= 8:
            yield path, re.search(r"versions/([^/]+)", path).group(1)


def seconds(arguments, best):
    text = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [min(pair) for pair in zip(best, map(float, text.split()))]


def has_line_profiler(python):
    return subprocess.run([python, "-c", "import line_profiler"], stderr=subprocess.DEVNULL).returncode == 0


def lines(python, name):
    names = CHOSEN + OTHERS
    work = [os.path.join(HERE, "work.py")]
    run = [COMMAND, "run", "-q", "-o", "l.h5", "--python", python]
    for function in ("hot", "hotcall", "tiny"):
        run += ["--line-function", function]
    theirs_too = has_line_profiler(python)
    bare = ours = theirs = [1e9] * len(names)
    for _ in range(ROUNDS):
        bare = seconds([python, *work, *names], bare)
        ours = seconds([*run, *work, *names], ours)
        if theirs_too:
            theirs = seconds([python, *work, "line_profiler", *names], theirs)
    for i, workload in enumerate(names):
        text = "%-8s %-11s x%5.2f" % (name, workload, ours[i] / bare[i])
        if workload in LINES:
            text += "  +%6.1f ns a line" % ((ours[i] - bare[i]) / LINES[workload] * 1e9)
            if theirs_too:
                text += "  line_profiler +%6.1f ns; ratio %.2f (goal <= 0.4)" % (
                    (theirs[i] - bare[i]) / LINES[workload] * 1e9, (ours[i] - bare[i]) / (theirs[i] - bare[i]))
        else:
            text += "  not chosen (goal <= 1.1 from 3.12 on, 1.4 before)"
        print(text, flush=True)


def regions(python, name):
    best = [1e9] * 6
    for _ in range(ROUNDS):
        best = seconds([COMMAND, "run", "-q", "-o", "r.h5", "--python", python, os.path.join(HERE, "regions.py"), "./empty.so"], best)
    empty, reads, region, named, function, method = best
    print("%-8s with region: %.0f ns, empty C manager %.0f + two reads %.0f: ratio %.2f (goal <= 1.2); "
          "with sp.region(name): %.0f; @profile: function +%.0f, method +%.0f" %
          (name, region, empty, reads, region / (empty + reads), named, function, method), flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="scope-lines.") as directory:
        os.chdir(directory)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "empty.c"), "-o", "empty.so"], check=True)
        print("load %.2f" % os.getloadavg()[0])
        for python, name in pythons():
            lines(python, name)
            regions(python, name)
        os.chdir("/")


if __name__ == "__main__":
    main()
