"""`regions.py LIBRARY` under a run: nanoseconds of an empty C context manager, two counter reads, `with region:`,
`with sp.region("x"):`, and what a decorator adds to a function and to a method."""
import ctypes
import sys
import time

import scope_profiler as sp

library = ctypes.PyDLL(sys.argv[1])
library.empty_type.restype = ctypes.py_object
library.two_reads.restype = ctypes.c_double
N = 20000


def best(function, *args):
    times = []
    for _ in range(60):
        begin = time.perf_counter_ns()
        function(*args)
        times.append(time.perf_counter_ns() - begin)
    return min(times) / N


def loop():
    for _ in range(N):
        pass


def with_manager(manager):
    for _ in range(N):
        with manager:
            pass


def with_name():
    for _ in range(N):
        with sp.region("x"):
            pass


def calls(function):
    for _ in range(N):
        function(1)


def methods(instance):
    for _ in range(N):
        instance.method()


def plain(x):
    return x


class Bare:
    def method(self):
        pass


class Decorated:
    @sp.profile
    def method(self):
        pass


nothing = best(loop)
print(best(with_manager, library.empty_type()()) - nothing, library.two_reads(),
      best(with_manager, sp.region("x")) - nothing, best(with_name) - nothing,
      best(calls, sp.profile(plain)) - best(calls, plain), best(methods, Decorated()) - best(methods, Bare()))
