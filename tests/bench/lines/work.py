"""Workloads; prints the least seconds of several rounds of each: `work.py [line_profiler] NAME...`."""
import sys
import time


def hot(n):
    total = 0
    other = 1
    for i in range(n):
        total += i
        other = total ^ i
        total -= other & 7
        other += 1
    return total


def helper(x):
    return x + 1


def hotcall(n):
    total = 0
    for i in range(n):
        total = helper(total)
    return total


def tiny(x):
    return x


def tiny_loop(n):
    for i in range(n):
        tiny(i)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def arithmetic(n):
    x = 0
    for i in range(n):
        x = (x * 3 + i) & 0xFFFF
    return x


# name: (function, argument, lines of the chosen function `hot*`/`tiny` that run)
WORK = {
    "hot": (hot, 20000, 5 * 20000),
    "hotcall": (hotcall, 20000, 2 * 20000),
    "tiny": (tiny_loop, 30000, 30000),
    "fib": (fib, 20, 0),
    "arithmetic": (arithmetic, 200000, 0),
}


def main():
    names = sys.argv[1:]
    if names[0] == "line_profiler":
        import line_profiler
        profiler = line_profiler.LineProfiler()
        for function in (hot, hotcall, tiny):
            profiler.add_function(function)
        profiler.enable_by_count()
        names.pop(0)
    for name in names:
        function, argument, _ = WORK[name]
        best = 1e9
        for _ in range(7):
            begin = time.perf_counter()
            function(argument)
            best = min(best, time.perf_counter() - begin)
        print(best)


if __name__ == "__main__":
    main()
