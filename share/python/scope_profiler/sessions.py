"""Sessions, what setup() gives back, and sampling."""
from scope_profiler.regions import ROOT_REGION


class ProfilingRun:
    """What setup() gives back: the recording that it has begun."""

    def __init__(self, manager, config):
        self.manager, self.config = manager, config

    @property
    def output(self):
        """The file; None where nothing is written."""
        return None if self.config.deactivate_file_output else self.config.file_path

    @property
    def results(self):
        return self.manager.last_results()

    def finalize(self, **how):
        return self.manager.finalize(**how)

    def __repr__(self):
        return f"<ProfilingRun {self.output!r}>"


class Session:
    """setup(), a region around it all, finalize()."""

    def __init__(self, manager, settings, ending):
        self.manager, self.results = manager, None
        self._settings, self._ending = settings, ending
        self._root = None

    def __enter__(self):
        self.manager.setup(**self._settings)
        self._root = self.manager.region(ROOT_REGION)
        self._root.__enter__()
        return self

    def __exit__(self, kind, error, traceback):
        self._root.__exit__(kind, error, traceback)
        try:
            self.results = self.manager.finalize(**self._ending)
        except Exception:
            if error is None:
                raise  # the program's own exception is worth more than ours
        return False

    def __call__(self, function):
        from functools import wraps

        @wraps(function)
        def in_session(*args, **kwargs):
            with Session(self.manager, self._settings, self._ending) as session:
                value = function(*args, **kwargs)
            self.results = session.results
            return value

        return in_session


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


class Sampling:
    """Chooses steps of a loop."""

    def __init__(self, manager, every, start):
        if not _is_whole(every) or every < 1:
            raise ValueError(f"every must be a positive integer, not {every!r}")
        if not _is_whole(start):
            raise ValueError(f"start must be an integer, not {start!r}")
        self._manager, self._every, self._start = manager, every, start
        self._was_paused = False

    def __enter__(self):
        self._was_paused = self._manager.get_config().paused
        return self._step

    def __exit__(self, *error):
        self._set(self._was_paused)
        return False

    def _set(self, paused):
        if self._manager.is_configured():
            (self._manager.pause if paused else self._manager.resume)()

    def _step(self, number):
        if not _is_whole(number):
            raise TypeError(f"a step is an integer, not {number!r}")
        return _Step(self, number >= self._start and (number - self._start) % self._every == 0)


class _Step:
    def __init__(self, sampling, selected):
        self._sampling, self._selected = sampling, selected

    def __enter__(self):
        self._sampling._set(not self._selected)
        return self._selected

    def __exit__(self, *error):
        return False
