#!/usr/bin/python3
"""run_all.py: the steps behind `run-all`, each a build with the tests that are run in it, and the count of them all.

A step that is not a meson test (a build, the formatting, a fuzz target) counts as one test of its own. What was skipped
is listed with its reason. FUZZ_SECONDS (25) is the time a fuzz target gets.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SETUP = os.path.join(TOP, "share", "setup")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
RESULTS = {"OK": PASSED, "EXPECTEDFAIL": PASSED, "SKIP": SKIPPED}
TAIL = 40
# Rooms by what goes wrong in them: memory, where files are read that may hold anything; threads.
OUTSIDE = ("reader", "collect", "cli", "lines")
THREADED = ("recorder", "markers", "collect")
# A fork for each of hundreds of damaged files, or threads: the sanitizers do it in seconds, valgrind in minutes.
NOT_VALGRIND = ("reader mutate", "reader damage", "reader flips", "collect-random", "collect-jobs")


class Tally:
    """What passed, failed and was skipped so far: (status, name, reason)."""

    def __init__(self):
        self.entries = []

    def add(self, status, name, reason=""):
        self.entries.append((status, name, reason))
        if status != PASSED:
            print("  %s: %s%s" % (status.upper(), name, ": " + reason if reason else ""), flush=True)

    def count(self, status):
        return sum(1 for entry in self.entries if entry[0] == status)

    def of(self, status):
        return [entry for entry in self.entries if entry[0] == status]


def heading(text):
    print("== " + text, flush=True)


def tail(text, lines=TAIL):
    for line in text.splitlines()[-lines:]:
        print("    | " + line)


def command(args, **options):
    return subprocess.run(args, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="backslashreplace", check=False, **options)


def build_dir(name):
    done = command(["sh", os.path.join(SETUP, "build-dir"), name])
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout.strip()


def build(tally, name, options, compiler=None):
    """Builds in the directory `name`; returns it, or None where that failed."""
    directory = build_dir(name)
    environment = dict(os.environ)
    if compiler:
        environment["CC"] = compiler
        environment["CXX"] = compiler.replace("clang", "clang++")
    begin = time.monotonic()
    done = command(["sh", os.path.join(SETUP, "build"), directory, *options], env=environment)
    if done.returncode:
        tail(done.stdout)
    tally.add(FAILED if done.returncode else PASSED, "build %s" % name)
    print("  built in %.0f s" % (time.monotonic() - begin), flush=True)
    return None if done.returncode else directory


def reason_of(output):
    reasons = re.findall(r"^.*\bSKIP(?:PED)?: *(.*)$", output, re.M)
    return reasons[0] if reasons else "no reason given"


def parts_skipped(output):
    """cmocka's skipped tests by name, and the lines by which a script says what it left out."""
    found = re.findall(r"^(?:\[  SKIPPED \] ([A-Za-z_]\w*)|(?:SKIP|NOT TESTED): (.*))$", output, re.M)
    return sorted({name or reason for name, reason in found})


def read_log(tally, path, label):
    """Counts the results of a meson log; a part that was skipped inside a test that went on counts, too."""
    if not os.path.exists(path):
        tally.add(FAILED, label, "meson left no log")
        return
    with open(path, encoding="utf-8", errors="backslashreplace") as log:
        for line in log:
            entry = json.loads(line)
            name = "%s: %s" % (label, entry["name"])
            output = entry.get("stdout", "") + entry.get("stderr", "")
            status = RESULTS.get(entry["result"], FAILED)
            if status == FAILED:
                tail(output)
            tally.add(status, name, {SKIPPED: reason_of(output), FAILED: entry["result"]}.get(status, ""))
            if status != SKIPPED:
                for part in parts_skipped(output):
                    tally.add(SKIPPED, "%s, in part" % name, part)


def unit_programs(directory, rooms):
    """Names of the unit tests of these rooms (first word of their names) that are programs, not scripts."""
    tests = json.loads(command(["meson", "introspect", "--tests", directory]).stdout)
    return [t["name"] for t in tests if t["suite"][0].endswith("unit") and re.split("[ -]", t["name"])[0] in rooms
            and t["cmd"][0].startswith(directory)]


def meson_test(tally, directory, label, names=(), wrap=None, environment=None):
    args = ["meson", "test", "-C", directory, "--no-rebuild", "--num-processes", str(os.cpu_count() or 2), *names]
    log = os.path.join(directory, "meson-logs", "testlog.json")
    if wrap: # meson names the log after the tool then
        args += ["--wrap", wrap, "--timeout-multiplier", "10"]
        log = log.replace(".json", "-%s.json" % wrap.split()[0])
    if os.path.exists(log):
        os.remove(log)
    begin = time.monotonic()
    done = command(args, env=dict(os.environ, **(environment or {})))
    if not os.path.exists(log):
        tail(done.stdout)
    before = len(tally.entries)
    read_log(tally, log, label)
    print("  %d tests in %.0f s" % (len(tally.entries) - before, time.monotonic() - begin), flush=True)


def step_all(tally):
    heading("build and all tests")
    directory = build(tally, "build", ["-Dtests=true"])
    if directory:
        meson_test(tally, directory, "tests")
        heading("unit tests under valgrind")
        names = [name for name in unit_programs(directory, OUTSIDE) if name not in NOT_VALGRIND]
        meson_test(tally, directory, "valgrind", names,
                   "valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite")


def step_sanitized(tally, name, sanitizer, rooms):
    heading("unit tests with %s" % name)
    directory = build(tally, "build-" + name.lower(),
                      ["-Db_sanitize=" + sanitizer, "-Db_lundef=false", "-Dbuildtype=debugoptimized"])
    if directory:
        meson_test(tally, directory, name, unit_programs(directory, rooms),
                   environment={"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
                                "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
                                "TSAN_OPTIONS": "halt_on_error=1"})


def fuzz_targets(directory):
    done = command(["meson", "introspect", "--targets", directory])
    fuzz = os.path.join(TOP, "tests", "fuzz") + os.sep
    return [t["name"] for t in json.loads(done.stdout)
            if t["type"] == "executable" and t["defined_in"].startswith(fuzz) and t["name"].startswith("fuzz")]


def step_clang(tally):
    heading("clang, -Werror, and %d s for each fuzz target" % fuzz_seconds())
    directory = build(tally, "build-clang", ["-Dwerror=true", "-Dfuzz=true"], "clang")
    if not directory:
        return
    targets = fuzz_targets(directory)
    if not targets:
        tally.add(FAILED, "fuzz", "no target was built")
    for name in targets:
        fuzz(tally, name, directory)


def fuzz(tally, name, directory):
    done = command([os.path.join(TOP, "tests", "fuzz", "run"), directory, name, str(fuzz_seconds())])
    tail(done.stdout)
    tally.add(FAILED if done.returncode else PASSED, "fuzz: " + name)


def fuzz_seconds():
    return int(os.environ.get("FUZZ_SECONDS", "25"))


def step_format(tally):
    heading("formatting")
    if not shutil.which("clang-format"):
        tally.add(SKIPPED, "clang-format", "not on this machine")
        return
    files = [path for room in ("cli", "libreader", "preload", "share", "tests")
             for kind in ("c", "h", "hpp", "cpp")
             for path in glob.glob("%s/%s/**/*.%s" % (TOP, room, kind), recursive=True)]
    done = command(["clang-format", "--dry-run", "-Werror", *sorted(files)])
    if done.returncode:
        tail("\n".join(line for line in done.stdout.splitlines() if "error:" in line))
    tally.add(FAILED if done.returncode else PASSED, "clang-format")


def main():
    os.environ.update(LANG="C.UTF-8", LC_ALL="C.UTF-8")
    os.environ["PATH"] = "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
    begin = time.monotonic()
    tally = Tally()
    step_all(tally)
    step_sanitized(tally, "ASan", "address,undefined", OUTSIDE)
    step_sanitized(tally, "TSan", "thread", THREADED)
    step_clang(tally)
    step_format(tally)
    heading("result after %.0f s" % (time.monotonic() - begin))
    for title, status in (("SKIPPED, so not tested here", SKIPPED), ("FAILED", FAILED)):
        if tally.count(status):
            print("%s:" % title)
        for _, name, reason in tally.of(status):
            print("  %s%s" % (name, ": " + reason if reason else ""))
    print("%d passed, %d failed, %d skipped" % tuple(tally.count(s) for s in (PASSED, FAILED, SKIPPED)))
    return 1 if tally.count(FAILED) else 0


if __name__ == "__main__":
    sys.exit(main())
