"""Runs of one MPI program bare, profiled and bare once more, in turn: what the profiler costs, and what is noise.

For the scripts beside it. A program is measured by what it prints itself, so starting and collecting do not count."""
import os
import statistics
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
OPTIONS = {"mpich": [], "openmpi": ["--allow-run-as-root", "--oversubscribe"]}
BARE, PROFILED, AGAIN = range(3)


def arguments(parser):
    """Adds what all of the scripts take."""
    parser.add_argument("mpi", choices=sorted(OPTIONS))
    parser.add_argument("build", nargs="?", default=os.path.join(TOP, "build"), help="the build directory (build/)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind (5)")
    parser.add_argument("--ranks", type=int, default=2, help="2")
    parser.add_argument("--only", default="", help="programs whose name matches")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run (120)")


def output(args, ranks, command, profiled, directory):
    """What one run, in `directory`, prints on stdout; "" if it failed."""
    run = [os.path.join(os.path.abspath(args.build), "cli", "scope-profiler"), "run", "-q", "-o", "p.h5"] if profiled else []
    launch = ["mpirun." + args.mpi, *OPTIONS[args.mpi], "-n", str(ranks)]
    try:
        done = subprocess.run([*launch, *run, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=args.timeout, cwd=directory)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout if done.returncode == 0 else ""


def alternate(args, ranks, command, figures):
    """Runs `command`, a path from the root first, args.rounds times in each of the three ways, by turns in another order.
    figures(stdout) gives a dictionary of numbers, empty where the program says that it failed. Returns (the three lists of
    such dictionaries, how many runs of each kind failed)."""
    samples, failed = ([], [], []), [0, 0, 0]
    with tempfile.TemporaryDirectory() as directory:
        for number in range(args.rounds):
            for turn in range(3):
                kind = (number + turn) % 3
                found = figures(output(args, ranks, command, kind == PROFILED, directory))
                failed[kind] += not found
                samples[kind].append(found)
    return samples, failed


def ratios(samples, key, best=min):
    """(best bare value, profiled / bare by the best and by the median, bare / bare by the best and by the median): the last
    two say how far such ratios are off by themselves. None without a value of each kind."""
    values = [[one[key] for one in kind if one.get(key)] for kind in samples]
    if not all(values):
        return None
    over = lambda kind, of: of(values[kind]) / of(values[BARE])
    return (best(values[BARE]), over(PROFILED, best), over(PROFILED, statistics.median), over(AGAIN, best),
            over(AGAIN, statistics.median))


FORMAT = "%-24s %-13s %12s %9s %9s %9s %9s %7s %9s"


def heading():
    print(FORMAT % ("", "", "bare", "profiled", "/ bare", "bare", "/ bare", "failed", "failed"))
    print(FORMAT % ("program", "unit", "best", "best", "median", "best", "median", "bare", "profiled"))


def row(name, unit, found, failed):
    figures = ["%.4f" % found[0], *("%.3f" % ratio for ratio in found[1:])] if found else ["-"] * 5
    print(FORMAT % (name, unit, *figures, failed[BARE] + failed[AGAIN], failed[PROFILED]), flush=True)


def worse(failed):
    """Whether the program fails profiled and not bare."""
    return bool(failed[PROFILED]) and not failed[BARE] + failed[AGAIN]
