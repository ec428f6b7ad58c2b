"""One recording after the other, in a Python that is not recorded: exact counts, and what finalize() leaves."""
import contextlib
import gc
import functools
import os
import subprocess
import sys
import threading

import scope_profiler as sp
from scope_profiler import ProfileManager as PM
from scope_profiler import places, read_h5
from scope_profiler._core import core


def raises(kind, text, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        assert text in str(error), (text, str(error))
    else:
        raise AssertionError(f"no {kind.__name__}: {text}")


def calls(results):
    return {region.name: region.num_calls for region in results}


def finalize(manager=PM):
    return manager.finalize(verbose=False, return_results=True)


# The names are the default manager's, and the same objects.
assert sp.setup is PM.setup and sp.region is PM.region and PM.profile_region is PM.region and sp.run is PM.run

# Before setup() nothing is recorded, and nothing is written.
with sp.region("early"):
    pass
assert PM.finalize() is None and not PM.is_active() and not PM.is_configured()
assert len(finalize()) == 0
raises(RuntimeError, "setup", PM.pause)
raises(RuntimeError, "setup", PM.resume)


@sp.profile
def before(x):
    return x + 1


assert type(PM.get_region("before")).__name__ == "DisabledProfileRegion" and before(1) == 2

# A file.
sp.setup(file_path="a.h5", label="first")
assert type(PM.get_region("before")).__name__ == "TimeOnlyProfileRegion"
assert PM.get_region("early") is None and PM.get_region("nothing") is None
raises(RuntimeError, "finalize", sp.setup, file_path="b.h5")
for i in range(7):
    before(i)
with sp.region("outer", tags=["x", "y"]) as region:
    with sp.region("inner"):
        pass
    with sp.region("inner"):
        pass
assert region is sp.region("outer") and region.tags == ("x", "y") and region.num_calls == 1
raises(ValueError, "tags", sp.region, "outer", tags=["z"])
try:
    with sp.region("raised"):
        raise KeyError
except KeyError:
    pass
threads = [threading.Thread(target=lambda: [before(0) for _ in range(100)]) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
assert PM.recorded_regions() == ("before", "outer", "inner", "raised"), PM.recorded_regions()
durations = sp.region("inner").get_durations_numpy()
assert len(durations) == 2 and all(0 < d < 10**9 for d in durations), durations
results = finalize()
assert calls(results) == {"before": 307, "outer": 1, "inner": 2, "raised": 1}, calls(results)
assert results.label == "first" and results.region_names == ["before", "outer", "inner", "raised"]
assert PM.last_results() is results and calls(PM.read_results()) == calls(results) and PM.is_active()
assert PM.get_region("before").num_calls == 307
source = results["inner"][0]
assert os.path.basename(source.source_file) == "recording.py", source.source_file

# finalize() is a checkpoint: the next one has what came after it, and what was open.
first = PM.region("first")
second = PM.region("second")
with first:
    with second:
        before(1)
    finalize()
    assert calls(read_h5("a.h5")) == {"before": 1, "second": 1}, calls(read_h5("a.h5"))
    with second:
        pass
assert calls(finalize()) == {"first": 1, "second": 1}
assert PM.get_region("first").num_calls == 1 and PM.get_region("second").num_calls == 2
stamp = os.stat("a.h5").st_mtime_ns
finalize()
assert os.stat("a.h5").st_mtime_ns == stamp, "nothing new, and the file was written again"

# The same where calls are added up.
sp.setup(file_path="sums.h5", aggregation_mode=True)
assert type(sp.region("x")).__name__ == "AggregateProfileRegion"
with sp.region("x"):
    for _ in range(1000):
        with sp.region("y"):
            pass
    finalize()
    assert calls(read_h5("sums.h5")) == {"y": 1000}
    before(1)
results = finalize()
assert calls(results) == {"x": 1, "before": 1} and results.events() == []

# In memory: no file, and what there was stays until the next setup().
before_files = set(os.listdir("."))
sp.setup(deactivate_file_output=True, file_path="unused.h5")
with sp.region("m"):
    pass
assert calls(finalize()) == {"m": 1}
with sp.region("m"):
    pass
results = finalize()
assert calls(results) == {"m": 2} and results["m"].total_duration > 0 and len(results.events()) == 2
assert set(os.listdir(".")) == before_files
sp.setup(output=None)
assert calls(finalize()) == {}

# Off.
sp.setup(deactivate_profiling=True, file_path="off.h5")


def plain():
    pass


assert sp.profile(plain) is plain and sp.profile("name")(plain) is plain
with sp.region("off"):
    before(1)
assert type(sp.region("off")).__name__ == "DisabledProfileRegion" and sp.region("off").num_calls == 0
assert sp.finalize() is None and not PM.is_active() and not os.path.exists("off.h5")

# Room for calls doubles.
sp.setup(buffer_limit=4, file_path="room.h5")
for _ in range(10):
    with sp.region("grows"):
        pass
assert (sp.region("grows").num_calls, sp.region("grows").capacity) == (10, 16)
sp.setup(file_path="room.h5", replace=True)  # what was recorded is dropped
assert calls(finalize()) == {}

# Managers of their own.
one, two = PM(), PM()
one.setup(file_path="one.h5")
two.setup(output=None, aggregation_mode=True)


@one.profile
def shared():
    with two.region("two's"):
        with sp.region("everybody's"):
            pass


shared()
shared()
assert calls(finalize(one)) == {"shared": 2} and calls(finalize(two)) == {"two's": 2}
assert calls(finalize()) == {"everybody's": 2}
assert calls(read_h5("one.h5")) == {"shared": 2} and one.region("shared") is not sp.region("shared")

# Sessions.
with sp.session(file_path="s.h5", verbose=False, return_results=True) as run:
    with sp.region("in it"):
        pass
assert calls(run.results) == {"scope_profiler.session": 1, "in it": 1}
try:
    with sp.session(file_path="s.h5", verbose=False) as run:
        raise LookupError("mine")
except LookupError as error:
    assert str(error) == "mine"
assert calls(read_h5("s.h5")) == {"scope_profiler.session": 1} and run.results is None


@sp.session(file_path="deco.h5", verbose=False)
def whole(x):
    return before(x)


assert whole(4) == 5 and calls(read_h5("deco.h5")) == {"scope_profiler.session": 1, "before": 1}
assert sp.run(before, 6, output="run.h5") == 7
assert calls(PM.last_results()) == {"scope_profiler.session": 1, "before": 1}

# Pauses.
sp.setup(output=None)
PM.resume()
for paused in (False, True, False):
    (PM.pause if paused else PM.resume)()
    before(1)
with sp.region("open"):
    raises(RuntimeError, "'open'", PM.pause)
with PM.sample_every(10) as step:
    for number in range(25):
        with step(number) as selected:
            assert selected is (number % 10 == 0)
            with sp.region("step"):
                pass
with PM.sample_every(2, start=3) as step:
    assert [number for number in range(8) if step(number).__enter__()] == [3, 5, 7]
assert calls(finalize()) == {"before": 2, "open": 1, "step": 3}, calls(finalize())
raises(ValueError, "every", PM.sample_every, 0)
raises(ValueError, "every", PM.sample_every, True)
with sp.session(output=None, verbose=False, return_results=True) as run:
    PM.pause()
    before(1)
    PM.resume()
assert calls(run.results) == {"scope_profiler.session": 1}

# However it is entered; a region of before a setup() is not the one of after it.
sp.setup(output=None)
stale = sp.region("entered")
sp.setup(output=None, replace=True)
assert sp.region("entered") is not stale and sp.region("entered") is PM.get_region("entered")
with contextlib.ExitStack() as stack:
    assert stack.enter_context(sp.region("entered")) is sp.region("entered")
entered = sp.region("entered")
assert type(entered).__enter__(entered) is entered and type(entered).__exit__(entered, None, None, None) is None
enter, leave = entered.__enter__, entered.__exit__
assert enter() is entered and leave(None, None, None) is None and enter.__self__ is entered
for name in ["entered", "".join(["ent", "ered"])]:
    for _ in range(2):
        with sp.region(name) as region:
            assert region is entered
raises(TypeError, "needs a region", type(entered).__enter__, 3)
raises(TypeError, "needs a region", type(entered).__exit__)
assert calls(finalize()) == {"entered": 7}, calls(finalize())
other = PM()
other.setup(output=None)
for number in range(100):
    with other.region(f"r{number}"):
        pass


def living():
    gc.collect()
    return sum(isinstance(thing, type(entered).__mro__[-2]) for thing in gc.get_objects())


many = living()
other.setup(output=None, replace=True)
assert many - living() == 100, (many, living())

# Definitions, factories, metadata, instrument.
sp.setup(output=None)
handle = PM.define_region("defined", tags=["t"])
raises(ValueError, "defined", PM.define_region, "defined", tags=["u"])
sp.setup(output=None, replace=True)
assert PM.get_region("defined").tags == ("t",)
with handle:
    pass
handle(plain)()
factory = PM.region_factory("made")
with factory(step=3):
    with PM.metadata(more=4) as values:
        assert values == {"step": 3, "more": 4}


@sp.profile("noted", metadata=lambda x: {"x": x}, record_outcome=True)
def noted(x):
    if x < 0:
        raise ValueError(x)
    return x


assert noted(1) == 1
raises(ValueError, "-1", noted, -1)
module = type(sys)("toy")
exec("def f(): return 1\ndef g(): return 2\ndef hidden(): return 3", module.__dict__)
assert set(PM.instrument(module, exclude=["hid*"])) == {"f", "g"}
assert (module.f(), module.g(), module.hidden()) == (1, 2, 3)
assert calls(finalize()) == {"defined": 2, "made": 1, "noted": 2, "toy.f": 1, "toy.g": 1}
sp.setup(output=None, aggregation_mode=True)
raises(RuntimeError, "aggregation_mode", PM.metadata, a=1)

# A script's generators and coroutines: resumptions are told from calls whichever tracer sees them.
with open("suspending.py", "w") as file:
    file.write("import asyncio\n\ndef numbers():\n    yield 1\n    yield 2\n\nasync def waits():\n")
    file.write("    await asyncio.sleep(0)\n    return list(numbers())\n\nasyncio.run(waits())\n")
finalize()
results = PM.profile_script("suspending.py", output=None, recursive_profile=True)
assert {name: count for name, count in calls(results).items() if name.startswith("__main__.")} == {
    "__main__.<module>": 1,
    "__main__.waits": 1,
    "__main__.waits [resumed]": 1,
    "__main__.numbers": 1,
    "__main__.numbers [resumed]": 2,
}, calls(results)

# As `run --recursive` does unless told otherwise; lines are those of every function that is traced, and afterwards of
# none; a function that the script decorates is its region alone.
with open("helper.py", "w") as file:
    file.write("def helper(n):\n    for i in range(n):\n        pass\n")
with open("lined.py", "w") as file:
    file.write("import helper, scope_profiler as sp\n\n@sp.profile('hot')\ndef hot():\n    return 1\n\n")
    file.write("def plain():\n    hot()\n    helper.helper(3)\n\nplain()\nplain()\n")
sys.path.insert(0, os.getcwd())
import helper


def lines(results):
    return {
        line["region"]: dict(zip(map(int, line["line_numbers"]), map(int, line["hits"])))
        for line in results.line_profile.get(0, [])
    }


sp.setup(output=None, use_line_profiler=True)
helper.helper(1)
assert lines(finalize()) == {}
own = {"hot": 2, "lined.py": 1, "__main__.<module>": 1, "__main__.plain": 2, "helper.helper": 2}
counted = {"hot": {5: 2}, "__main__.plain": {8: 2, 9: 2}, "helper.helper": {2: 8, 3: 6}}
for _ in range(2):
    results = PM.profile_script("lined.py", output=None, use_line_profiler=True)
    assert (calls(results), lines(results)) == (own, counted), (calls(results), lines(results))
    helper.helper(1)
    assert lines(finalize()).get("helper.helper") == counted["helper.helper"]
assert calls(PM.profile_script("lined.py", output=None)) == own
for off in {"recursive": False}, {"recursive_profile": False}:
    results = PM.profile_script("lined.py", output=None, use_line_profiler=True, **off)
    assert (calls(results), lines(results)) == ({"hot": 2}, {"hot": {5: 2}}), (calls(results), lines(results))

# Mistakes.
finalize()
raises(TypeError, "'file_path'", sp.setup, filepath="x")
raises(TypeError, "'aggregation_mode'", sp.setup, aggregate_mode=True)
raises(TypeError, "output cannot be combined with file_path", sp.setup, output="x.h5", file_path="y.h5")
raises(ValueError, "metadata_detail", sp.setup, metadata_detail="some")
raises(ValueError, "buffer_limit", sp.setup, buffer_limit=0)
raises(ValueError, "cannot be combined with", sp.setup, aggregation_mode=True, use_line_profiler=True)
raises(ValueError, "track_async cannot be combined with aggregation_mode", sp.setup, track_async=True, aggregation_mode=True)
raises(ValueError, "use_likwid", sp.setup, use_likwid=True)
raises(OSError, "nowhere", sp.setup, file_path="nowhere/x.h5")
for ending in places.FOREIGN_ENDINGS:
    raises(ValueError, f"x.{ending}: a profile is HDF5", sp.setup, file_path=f"x.{ending}")
    refused = subprocess.run([core.command_path(), "collect", "-o", f"x.{ending}", "."], capture_output=True, text=True)
    assert refused.returncode == 2 and f"x.{ending}: a profile is HDF5" in refused.stderr, refused
raises(IsADirectoryError, "'/tmp'", sp.setup, file_path="/tmp")
raises(OSError, "is no file", sp.setup, file_path="/dev/full")
raises(TypeError, "region", sp.region, 3)
raises(TypeError, "profile", sp.profile, 3)
raises(UnicodeEncodeError, "surrogates", sp.region, "name\udc80")
raises(UnicodeEncodeError, "surrogates", sp.profile("name\udc80"), before)
raises(TypeError, "needs a name", sp.profile, functools.partial(before, 1))
assert sp.profile("named")(functools.partial(int, "7"))() == 7
raises(TypeError, "'output' is an argument of setup()", sp.ProfilingOptions, output=None)
raises(AttributeError, "nothing", lambda: sp.nothing)
assert not PM.is_active()

# Files of settings, the environment, options.
with open("c.toml", "w") as file:
    file.write('# how\n[profiling]\nfile_path = "t.h5" # where\nlabel = "from # the file"\nbuffer_limit = 8\n')
    file.write('aggregation_mode = true\n[profiling.hdf5]\ncompression = "gzip"\n')
sp.setup(config_path="c.toml", label="mine")
config = PM.get_config()
assert (config.label, config.buffer_limit, config.aggregation_mode, config.hdf5_compression) == ("mine", 8, True, "gzip")
assert os.path.basename(config.file_path) == "t.h5"
before(1)
assert finalize().label == "mine"
with open("c.toml", "a") as file:
    file.write("leval = 3\n")
raises(TypeError, "c.toml", sp.setup, config_path="c.toml")
with open("c.toml", "w") as file:
    file.write("[profiling]\nlabel = {\n")
raises(ValueError, "c.toml", sp.setup, config_path="c.toml")
options = sp.ProfilingOptions(file_path="o.h5", label="options")
raises(TypeError, "'label'", sp.ProfilingOptions, lable="x")
sp.setup(options, label="keyword")
assert PM.get_config().label == "keyword" and os.path.basename(PM.get_config().file_path) == "o.h5"
finalize()
os.environ.update(SCOPE_PROFILER_OUTPUT="e.h5", SCOPE_PROFILER_RECURSIVE="yes")
PM.setup_from_env()
assert PM.get_config().recursive_profile and os.path.basename(PM.get_config().file_path) == "e.h5"
finalize()

# A forked child records into its parent's recording, and leaves it alone.
sp.setup(file_path="fork.h5")
before(1)
pid = os.fork()
if pid == 0:
    before(1)
    before(1)
    sp.finalize()
    sys.exit(0)
os.waitpid(pid, 0)
results = finalize()
assert calls(results) == {"before": 3} and results["before"].ranks == [0, 1]
print("done")
