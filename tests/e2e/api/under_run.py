"""What setup() and its like do while `scope-profiler run` records: nothing that the run's profile would notice."""
import sys

import scope_profiler as sp
from scope_profiler import ProfileManager as PM

assert sp.__spec__.origin == "built-in"


@sp.profile
def decorated():
    pass


with sp.region("before setup"):
    decorated()
run = sp.setup(file_path="other.h5", label="not this")
assert PM.is_active() and run.output.endswith("other.h5")
decorated()
results = sp.finalize(verbose=False, return_results=True)
assert results["decorated"].num_calls == 2 and results["before setup"].num_calls == 1
assert sp.finalize(verbose=False) is None
sp.setup(output=None, aggregation_mode=True)
mine = PM()
mine.setup(output="mine.h5")
with mine.region("another manager's"):
    decorated()
mine.finalize(verbose=False)
with sp.session(output="session.h5", verbose=False, replace=True) as session:
    PM.pause()
    decorated()
    PM.resume()
    with PM.sample_every(2) as step:
        for number in range(4):
            with step(number):
                decorated()
sp.setup(deactivate_profiling=True)
decorated()


@sp.profile("traced", recursive=True)
def entry():
    return inner()


def inner():
    return 3


assert entry() == 3
sp.setup(output=None)


@sp.profile("traced", recursive=True)
def entry():
    return inner()


assert entry() == 3
assert sp.region("decorated").num_calls == 5, sp.region("decorated").num_calls
print(sp.read_h5.__name__, sys.argv[1:])
print("done")
