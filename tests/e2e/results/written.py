"""written.py: profiles of every kind that Python can have recorded, written by the package into this directory."""
import threading

import scope_profiler as sp


def work(name, times=3):
    for _ in range(times):
        with sp.region(name):
            with sp.region("inner"):
                pass


def record(path, body, **options):
    sp.setup(file_path=path, **options)
    body()
    sp.finalize(verbose=False)


@sp.profile("lines")
def lines():
    total = 0
    for i in range(10):
        total += i
    return total


def tagged():
    with sp.region("tagged", tags=["a", "ü"]):
        work("within")


def threads():
    started = [threading.Thread(target=work, args=("threaded", 50)) for _ in range(3)]
    for thread in started:
        thread.start()
    work("main thread")
    for thread in started:
        thread.join()


record("trace.h5", tagged, label="trace")
record("full.h5", tagged, metadata_detail="full", capture_region_source=True)
record("sums.h5", lambda: work("summed", 1000), aggregation_mode=True)
record("lines.h5", lines, use_line_profiler=True)
record("threads.h5", threads, track_threads=True)
record("packed.h5", lambda: work("packed", 30000), hdf5_compression="gzip")
