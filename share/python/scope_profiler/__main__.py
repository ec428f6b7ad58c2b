"""python -m scope_profiler: the scope-profiler command."""
import os
import sys


def main():
    from scope_profiler.reading.made import PROGRAMS

    here = os.path.dirname(os.path.realpath(__file__))
    for place in PROGRAMS:
        program = os.path.normpath(os.path.join(here, place))
        if os.access(program, os.X_OK):
            sys.stdout.flush()
            os.execv(program, ["scope-profiler", *sys.argv[1:]])
    sys.exit(f"scope-profiler: the command is not where it belongs: {here}/{PROGRAMS[0]}")


main()
