"""ProfileManager: what a program records with. The class is everybody's, an instance is a recording of its own."""
import os
import sys

from scope_profiler import regions as _regions
from scope_profiler._core import core

_UNSET = object()
INACTIVE, ACTIVE, FINALIZED = "inactive", "active", "finalized"


class _Manager:
    """All of it, for one recording."""

    def __init__(self, recording):
        self._recording = recording
        self._config = None
        self._configured = False
        self._state = INACTIVE
        self._given = {}  # settings that setup() was given, for messages and later ones
        self._completed = {}  # region: calls that finalize() has written
        self._definitions = {}
        self._functions = {}  # region: weak references to functions decorated with it
        self._classes = {}
        self._last_results = None
        self._memory = None  # the directory of a recording in memory
        self._auto_finalize = False
        self._at_exit_of = None  # the process that will call _at_exit
        self._mpi_calls = None
        self._metadata = None
        self._lines = None
        self._tracks_tasks = False
        self.start_time_ns = 0
        self.region = self.profile_region = recording.region
        self._use_class(_regions.DisabledProfileRegion)
        for region in recording.regions.values():
            region.__class__ = recording.region_type  # it came while this module was being imported

    # ---- settings ---------------------------------------------------------------------------------------------------

    def setup(self, options=None, *, auto_finalize=False, output=_UNSET, replace=False, config_path=None, **settings):
        """Begins a recording. It goes into `file_path` (or `output`; None: nowhere) at finalize().

        options: a ProfilingOptions; config_path: a TOML file with a table [profiling]. A keyword wins over options, and
        those over the file. replace: drops what is being recorded; without it that is a RuntimeError. Under
        `scope-profiler run` everything goes into the profile of the run.
        """
        if self._configured and self._state == ACTIVE and not replace:
            raise RuntimeError("profiling has been set up already: finalize() it first, or pass replace=True")
        from scope_profiler import options as _options

        unknown = set(settings) - set(_options.SETTINGS)
        if unknown:
            raise _options.unknown_setting(unknown)
        merged = _options.load_profiling_config(config_path) if config_path is not None else {}
        auto_finalize = merged.pop("auto_finalize", False) or auto_finalize
        if output is _UNSET and "output" in merged and not {"file_path", "deactivate_file_output"} & set(settings):
            output = merged.pop("output")
        merged.pop("output", None)
        if options is not None:
            merged.update(options.to_kwargs())
        if output is not _UNSET:
            both = [name for name in ("deactivate_file_output", "file_path") if settings.get(name) is not None]
            if both:
                raise TypeError(f"output cannot be combined with {', '.join(both)}")
            merged["deactivate_file_output"] = output is None
            if output is not None:
                merged["file_path"] = output
        merged.update((name, value) for name, value in settings.items() if value is not None)
        self._begin(_options.Config(merged))
        self._auto_finalize = bool(auto_finalize)
        from scope_profiler.sessions import ProfilingRun

        return ProfilingRun(self, self._config)

    def setup_from_env(self, **settings):
        """setup() as SCOPE_PROFILER_CONFIG, _OUTPUT, _RECURSIVE and _AUTO_FINALIZE say; keywords win."""

        def switch(name):
            value = os.environ.get(name)
            return None if value is None else value.strip().lower() in ("1", "true", "yes", "on")

        if os.environ.get("SCOPE_PROFILER_OUTPUT") is not None:
            settings.setdefault("output", os.environ["SCOPE_PROFILER_OUTPUT"])
        for variable, name in (
            ("SCOPE_PROFILER_RECURSIVE", "recursive_profile"),
            ("SCOPE_PROFILER_AUTO_FINALIZE", "auto_finalize"),
        ):
            if switch(variable) is not None:
                settings.setdefault(name, switch(variable))
        return self.setup(config_path=os.environ.get("SCOPE_PROFILER_CONFIG"), **settings)

    def get_config(self):
        """The settings; the defaults before setup()."""
        if self._config is None:
            from scope_profiler.options import Config

            self._config = Config({})
        return self._config

    # ---- begin and end ----------------------------------------------------------------------------------------------

    def _use_class(self, base):
        """Regions, also those of decorated functions, are of this class from now on."""
        if base not in self._classes:
            self._classes[base] = type(
                base.__name__, (base,), {"__slots__": (), "_manager": self, "__module__": base.__module__}
            )
        self._recording.region_type = self._classes[base]
        for region in self._recording.decorated.values():
            region.__class__ = self._classes[base]

    def _begin(self, config):
        self._stop_extras()
        self._discard()
        if self._config is not None and self._config.paused:
            self._pause(False)
        self._config, self._configured = config, True
        self._completed, self._last_results, self._metadata = {}, None, None
        self._auto_finalize = False
        off = config.deactivate_profiling
        self._state = INACTIVE if off else ACTIVE
        self._recording.silent = self._recording.undecorated = off
        self._use_class(_regions.class_for(config))
        self.start_time_ns = core.clock_ns()
        if not off and core.session() is None:
            self._open(config)
        if config.track_async and not off:
            self._track_tasks()
        self._bind()
        if not off:
            self._start_extras(config)

    def _open(self, config):
        try:
            self._open_recording(config)
        except (OSError, ValueError):
            self._state = INACTIVE
            self._discard()
            raise
        if self._at_exit_of != os.getpid():
            import atexit

            atexit.register(self._at_exit)
            self._at_exit_of = os.getpid()

    def _open_recording(self, config):
        from scope_profiler import launch, places

        world = launch.world()
        if config.deactivate_file_output:
            self._memory = places.make()
            path = os.path.join(self._memory, "profile.h5")
        else:
            path = config.file_path = os.path.abspath(config.file_path)
            places.check(path)
        core.configure("mode", "aggregate" if config.aggregation_mode else None)
        core.configure("metadata", "full" if config.metadata_detail == "full" else None)
        core.configure("capture_source", "1" if config.capture_region_source else None)
        rank, size = (world.rank, world.size) if world.size > 1 else (-1, -1)
        self._recording.open(path, rank, size)

    def _track_tasks(self):
        if self._recording is core.recording or core.session() is not None:
            self._tracks_tasks = core.track_tasks(True)
        else:
            print("scope-profiler: track_async: a manager of its own does not tell tasks apart", file=sys.stderr)

    def _bind(self):
        """The regions of the run: those that functions are decorated with, and the defined ones; others as they come."""
        recording = self._recording
        recording.regions.clear()
        recording.regions.update(recording.decorated)
        recording.number_regions()
        for name, (functions, tags) in self._definitions.items():
            self.region(name, functions, tags)

    def _discard(self):
        """What was recorded and not written is gone."""
        self._recording.close()
        if self._memory is not None and self._at_exit_of == os.getpid():
            from scope_profiler import places

            places.remove(self._memory)
        self._memory = None

    def _at_exit(self):
        if os.getpid() != self._at_exit_of:
            return
        if self._auto_finalize and self._state == ACTIVE:
            self.finalize()
        self._stop_extras()
        self._discard()

    def _start_extras(self, config):
        if config.use_line_profiler:
            from scope_profiler.lines import Lines

            self._lines = Lines(self)
        if config.profile_mpi_calls:
            from scope_profiler.mpi_calls import MPICalls

            self._mpi_calls = MPICalls(self)

    def _stop_extras(self):
        """Before the recording is closed."""
        if self._mpi_calls is not None:
            self._mpi_calls.stop()
        if self._lines is not None:
            self._recording.count_lines(False)
            self._recording.lines_in_scopes = False
        if self._tracks_tasks:
            core.track_tasks(False)
        self._mpi_calls, self._lines, self._tracks_tasks = None, None, False

    def finalize(self, verbose=True, return_results=False, native_traces=None, verbose_line_profiler=False):
        """Writes what was recorded since setup(), or since the finalize() before; recording goes on.

        Calls that are open are the next finalize()'s. verbose: prints a summary. return_results: gives the
        ProfilingResults. In an MPI program every rank has to call it; rank 0 has the results. Before setup() it does
        nothing.
        """
        from scope_profiler import finish

        if native_traces is not None:
            raise ValueError("native_traces: regions of C and Fortran are recorded by `scope-profiler run`")
        results = finish.finalize(self, verbose, return_results, verbose_line_profiler)
        if return_results:
            self._last_results = results
        return results if return_results else None

    def session(
        self,
        options=None,
        *,
        verbose=True,
        verbose_line_profiler=False,
        return_results=False,
        native_traces=None,
        **settings,
    ):
        """`with session(...) as run:` is setup(), a region around it all, and finalize(), also after an exception;
        run.results with return_results. As a decorator it does so for each call."""
        from scope_profiler.sessions import Session

        ending = {
            "verbose": verbose,
            "verbose_line_profiler": verbose_line_profiler,
            "return_results": return_results,
            "native_traces": native_traces,
        }
        return Session(self, dict(settings, options=options), ending)

    def run(self, function, *args, output=None, **settings):
        """Calls function(*args) in a session, quietly, and gives what it returns; last_results() has the results."""
        settings.setdefault("verbose", False)
        settings.setdefault("return_results", True)
        if output is not None:
            settings["output"] = output
        session = self.session(**settings)
        with session:
            value = function(*args)
        self._last_results = session.results
        return value

    # ---- regions ----------------------------------------------------------------------------------------------------

    def profile(self, region_name=None, recursive=None, metadata=None, record_outcome=False, *, name=None, tags=None):
        """Decorates a function: its calls are a region, named after it or as given.

        recursive: the Python functions that it calls are regions as well; None: as setup(recursive_profile=...) says.
        metadata: a dict, or a function of the call's arguments that makes one, for each call. record_outcome: adds
        whether it raised.
        """
        if callable(region_name) or isinstance(region_name, (staticmethod, classmethod)):
            return self._decorate(region_name, name, recursive, metadata, record_outcome, tags)
        chosen = region_name if region_name is not None else name
        if chosen is not None and not isinstance(chosen, str):
            raise TypeError(f"profile() takes a function, or the name of a region, not {chosen!r}")
        return lambda function: self._decorate(function, chosen, recursive, metadata, record_outcome, tags)

    def _decorate(self, function, name, recursive, metadata, record_outcome, tags):
        decorated = self._recording.profile(name=name, tags=tags)(function)
        if decorated is function:
            return function
        inner = getattr(function, "__func__", function)
        self._remember(inner, name if name is not None else inner.__name__)
        recursive = recursive if recursive is None else bool(recursive)
        if recursive is False and metadata is None and not record_outcome:
            return decorated
        if recursive is None and metadata is None and not record_outcome:
            # Whether functions are traced is known at setup(), and asked for at each call only then.
            return decorated if not self._may_trace() else self._traced(decorated, recursive, inner)
        from scope_profiler import calls

        if metadata is not None or record_outcome:
            decorated = calls.with_metadata(self, decorated, metadata, record_outcome)
        return self._traced(decorated, recursive, inner)

    def _traced(self, decorated, recursive, inner):
        from scope_profiler import calls

        return calls.traced(self, decorated, recursive, inner)

    def _may_trace(self):
        return self._config is not None and self._config.recursive_profile

    def _remember(self, function, name):
        import weakref

        try:
            self._functions.setdefault(name, []).append(weakref.ref(function))
        except TypeError:
            pass
        if self._lines is not None:
            self._lines.add(function, name)

    def decorated_functions(self):
        """Those that still exist."""
        found = [reference() for references in self._functions.values() for reference in references]
        return [function for function in found if function is not None]

    def _line_records(self):
        """What has been counted and is not written yet."""
        from scope_profiler import finish

        results = finish.so_far(self)
        return results.line_profile.get(0, []) if results is not None else []

    def _line_stats(self, name):
        from scope_profiler.lines import LineStats

        return self._lines.stats(name) if self._lines is not None else LineStats([])

    def get_region(self, region_name):
        """The region of this name; None where there is none."""
        return self._recording.regions.get(region_name)

    def get_all_regions(self):
        """dict: name -> region."""
        return dict(self._recording.regions)

    def registered_regions(self):
        """Names of all regions that the program has used or decorated functions with."""
        return tuple(self._recording.regions)

    def recorded_regions(self):
        """Names of those with calls."""
        return tuple(name for name, region in self._recording.regions.items() if region.num_calls > 0)

    def define_region(self, region_name, functions=None, tags=None):
        """A handle on a region that later setup()s leave as it is: a context manager, and a decorator."""
        definition = (
            None if functions is None else tuple(functions),
            None if tags is None else tuple(tags),
        )
        if self._definitions.setdefault(region_name, definition) != definition:
            raise ValueError(f"region {region_name!r} has been defined in another way already")
        self.region(region_name, functions, tags)
        return _regions.RegionHandle(self, region_name, functions, tags)

    def region_factory(self, region_name, *, tags=None):
        """`with factory(key=value):` is a call of the region with that metadata."""
        self.define_region(region_name, tags=tags)
        return _regions.RegionFactory(self, region_name, tags=tags)

    def instrument(self, module, *, include=("*",), exclude=(), prefix=None):
        """Decorates the functions of a module whose names match one of the globs; the new ones by name."""
        from fnmatch import fnmatchcase
        from types import FunctionType

        stem = prefix or getattr(module, "__name__", "module")
        changed = {}
        for name, function in list(vars(module).items()):
            if not isinstance(function, FunctionType) or not any(fnmatchcase(name, glob) for glob in include):
                continue
            if any(fnmatchcase(name, glob) for glob in exclude):
                continue
            changed[name] = self.profile(f"{stem}.{name}")(function)
            setattr(module, name, changed[name])
        return changed

    def metadata(self, **values):
        """`with metadata(key=value):` says so of the calls that complete inside."""
        from scope_profiler.calls import Metadata

        if self.is_active() and self._config.aggregation_mode:
            raise RuntimeError("metadata belongs to single calls, and aggregation_mode keeps none")
        return Metadata(self, values)

    # ---- pauses -----------------------------------------------------------------------------------------------------

    def _pause(self, on):
        if self._recording is core.recording or core.session() is not None:
            core.pause(on)
        else:
            self._recording.silent = on
            self._recording.number_regions()
        self._config.paused = on

    def _require_setup(self, what):
        if not self._configured:
            raise RuntimeError(f"{what}() needs a setup() before it")

    def pause(self):
        """Records nothing until resume(). Not while a region is open."""
        self._require_setup("pause")
        if self._config.paused or self._config.deactivate_profiling:
            self._config.paused = True
            return
        names = sorted({name for name in self._recording.open_regions() if name != _regions.ROOT_REGION})
        if names:
            more = ", ..." if len(names) > 3 else ""
            raise RuntimeError(f"pause() while regions are open: {', '.join(map(repr, names[:3]))}{more}")
        self._pause(True)

    def resume(self):
        """Ends a pause(); without one it does nothing."""
        self._require_setup("resume")
        if self._config.paused and not self._config.deactivate_profiling:
            self._pause(False)
        self._config.paused = False

    def sample_every(self, every, start=0):
        """`with sample_every(10) as step:`, and in the loop `with step(number):`: of the steps from `start` on every
        tenth is recorded; the others are paused."""
        from scope_profiler.sessions import Sampling

        return Sampling(self, every, start)

    # ---- scripts and commands ---------------------------------------------------------------------------------------

    def run_script(self, script_path, script_args=None, region_name=None, only_user_code=True, recursive=True):
        """Runs a script as __main__, between setup() and finalize(); recursive: its functions are regions."""
        from scope_profiler import scripts

        scripts.run(self, script_path, script_args, region_name, only_user_code, recursive)

    def profile_script(
        self,
        script_path,
        *,
        script_args=None,
        region_name=None,
        only_user_code=True,
        recursive=True,
        output=_UNSET,
        **settings,
    ):
        """setup(), run_script() and finalize() in one: the results, as of `scope-profiler run --recursive`.

        recursive=False: only the regions that the script has itself (`scope-profiler run`). With use_line_profiler=True
        the lines of every function that is traced are counted. output and settings: see setup().
        """
        if output is not _UNSET:
            settings["output"] = output
        recursive = settings.get("recursive_profile", recursive)
        self.setup(**settings)
        try:
            self.run_script(script_path, script_args, region_name, only_user_code, recursive)
        finally:
            results = self.finalize(verbose=False, return_results=True)
        return results

    def profile_command(self, command, *, output=None, recursive=False, all=False, mpi_calls=False):
        """Runs a command under `scope-profiler run`: its CompletedProcess, with the results in profile_results."""
        from scope_profiler import scripts

        return scripts.command(command, output, recursive, all, mpi_calls)

    # ---- questions --------------------------------------------------------------------------------------------------

    def is_configured(self):
        """True after setup()."""
        return self._configured

    def is_active(self):
        """True while regions record."""
        return self._configured and self._state != INACTIVE

    def last_results(self):
        """The results that were asked for last; None where none were."""
        return self._last_results

    def read_results(self):
        """The ProfilingResults of the file that finalize() wrote."""
        from scope_profiler import reading

        return reading.read_profile(self.get_config().file_path)


#: What the class has of the default manager, and an instance of its own.
_NAMES = [name for name in vars(_Manager) if not name.startswith("_")] + ["region", "profile_region"]


class ProfileManager(_Manager):
    """Used as it is, the recording that everybody shares: ProfileManager.setup(), .region(), .finalize() ... An instance
    is a recording of its own, with its own regions, settings and file."""

    def __init__(self):
        super().__init__(core.Recording())
        for name in _NAMES:
            if name not in self.__dict__:
                setattr(self, name, getattr(super(), name))


_default = _Manager(core.recording)
for _name in _NAMES:
    setattr(ProfileManager, _name, staticmethod(getattr(_default, _name)))
del _name
