"""uses.py: what a use of the Python package costs, over the same in plain Python: perf_counter_ns into lists, a slot taken
at entry, a stack for calls within each other. Prints name=value words; minimum of many batches, all taken in one run.

with_region, decorated   cost over that of the plain Python's: what is left when the bare loop, or the bare call, is
                         taken away
disabled                 a call of a function that profile() gave back, over a bare call
aggregated               as with_region, calls being added up
*_ns                     the same in ns
"""
import functools
import time
from time import perf_counter_ns

import scope_profiler as sp

CALLS, BATCHES = 20000, 60


class PlainRegion:
    """The least that a recording region in Python can be."""

    __slots__ = ("ends", "open", "starts")

    def __init__(self):
        self.starts, self.ends, self.open = [], [], []

    def __enter__(self):
        self.open.append(len(self.starts))
        self.ends.append(0)
        self.starts.append(perf_counter_ns())
        return self

    def __exit__(self, kind, error, traceback):
        end = perf_counter_ns()
        self.ends[self.open.pop()] = end

    def wrap(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            slot = len(self.starts)
            self.ends.append(0)
            self.starts.append(0)
            start = perf_counter_ns()
            try:
                return function(*args, **kwargs)
            finally:
                end = perf_counter_ns()
                self.starts[slot] = start
                self.ends[slot] = end

        return wrapper


class Plain:
    """Regions by name."""

    regions = {}

    @classmethod
    def region(cls, name):
        region = cls.regions.get(name)
        if region is None:
            region = cls.regions[name] = PlainRegion()
        return region

    @classmethod
    def forget(cls):
        for region in cls.regions.values():
            region.starts.clear()
            region.ends.clear()


def function(x):
    return x


def bare_loop(n):
    for _ in range(n):
        pass


def with_plain(n):
    for _ in range(n):
        with Plain.region("x"):
            pass


def with_ours(n):
    for _ in range(n):
        with sp.region("x"):
            pass


def caller(called):
    def loop(n):
        for _ in range(n):
            called(1)

    return loop


def fastest(loops):
    """ns a turn of each, the loops one after the other in every batch."""
    best = dict.fromkeys(loops, float("inf"))
    for _ in range(BATCHES):
        for name, loop in loops.items():
            begin = time.perf_counter_ns()
            loop(CALLS)
            best[name] = min(best[name], (time.perf_counter_ns() - begin) / CALLS)
        Plain.forget()
    return best


def main():
    ours, plain = sp.profile("f")(function), Plain.region("f").wrap(function)
    loops = {
        "loop": bare_loop,
        "call": caller(function),
        "with_plain": with_plain,
        "with_ours": with_ours,
        "plain": caller(plain),
        "ours": caller(ours),
    }
    sp.setup(output=None)
    traced = fastest(loops)
    sp.setup(output=None, aggregation_mode=True, replace=True)
    added_up = fastest(loops)
    sp.setup(deactivate_profiling=True, replace=True)
    off = fastest({"call": caller(function), "off": caller(sp.profile("off")(function)), "with_off": with_ours})

    def ratio(took, what, over, bare):
        return (took[what] - took[bare]) / (took[over] - took[bare])

    print(f"with_region={ratio(traced, 'with_ours', 'with_plain', 'loop'):.3f}")
    print(f"decorated={ratio(traced, 'ours', 'plain', 'call'):.3f}")
    print(f"aggregated={ratio(added_up, 'with_ours', 'with_plain', 'loop'):.3f}")
    print(f"disabled={off['off'] / off['call']:.3f}")
    for name, value in (
        ("with_region", traced["with_ours"] - traced["loop"]),
        ("with_plain", traced["with_plain"] - traced["loop"]),
        ("decorated", traced["ours"] - traced["call"]),
        ("plain_decorated", traced["plain"] - traced["call"]),
        ("with_disabled", off["with_off"] - traced["loop"]),
    ):
        print(f"{name}_ns={value:.0f}")


main()
