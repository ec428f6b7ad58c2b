"""Lines of functions: which are counted, and the table of a function's lines."""
import linecache
import sys


class LineStats:
    """What was counted for some functions: dicts as in ProfilingResults.line_profile, with `path` beside `filename`."""

    def __init__(self, records):
        self.records = records

    @property
    def timings(self):
        """{(path, first line, function): [(line, hits, time in units), ...]}"""
        return {
            (r["path"], r["first_lineno"], r["function"]): list(zip(r["line_numbers"], r["hits"], r["times"]))
            for r in self.records
        }

    @property
    def unit(self):
        return self.records[0]["unit"] if self.records else 1e-9

    def print(self, stream=None):
        for record in self.records:
            print(_listing(record), file=stream or sys.stdout)


def _per_hit(value):
    text = f"{value:.1f}"
    return text if len(text) <= 8 else f"{value:.3g}"


def _source(record):
    """The lines of the function, from its first one on."""
    if record.get("source"):
        return record["source"].splitlines()
    import inspect

    linecache.checkcache(record["path"])
    lines = linecache.getlines(record["path"])
    return [line.rstrip("\r\n") for line in inspect.getblock(lines[record["first_lineno"] - 1:])] if lines else []


def _listing(record):
    """One function, as line profilers print it."""
    first = record["first_lineno"]
    counted = dict(zip(record["line_numbers"], zip(record["hits"], record["times"])))
    total = sum(float(time) for _, time in counted.values())
    rows = [
        f"Timer unit: {record['unit']:g} s",
        "",
        f"Total time: {total * record['unit']:g} s",
        f"File: {record['path']}",
        f"Function: {record['function']} at line {first}",
        "",
        "Line #      Hits         Time  Per Hit   % Time  Line Contents",
        "=" * 62,
    ]
    source = _source(record)
    for number in range(first, first + max(len(source), max(counted, default=first - 1) - first + 1)):
        text = source[number - first] if number - first < len(source) else ""
        if number in counted:
            hits, time = int(counted[number][0]), float(counted[number][1])
            share = 100 * time / total if total else 0.0
            cells = f"{number:6} {hits:9} {time:12.1f} {_per_hit(time / hits if hits else 0):>8} {share:8.1f}"
        else:
            cells = f"{number:6} {'':9} {'':12} {'':8} {'':8}"
        rows.append(f"{cells}  {text}".rstrip())
    return "\n".join(rows) + "\n"


class Lines:
    """The functions of a recording whose lines are counted."""

    def __init__(self, manager):
        self._manager = manager
        self._codes = {}  # region: code objects, in the order of their coming
        self.written = None  # records of the profile that was written last
        manager._recording.count_lines(True)
        manager._recording.lines_in_scopes = True
        for name, references in manager._functions.items():
            for reference in references:
                if reference() is not None:
                    self.add(reference(), name)

    def restart(self):
        """The recording has been completed: what comes is the next one's."""
        self._manager._recording.count_lines(True)

    def add(self, function, name):
        """function: one, or its code."""
        function = getattr(function, "__wrapped__", function)
        code = getattr(function, "__code__", function)
        codes = self._codes.setdefault(name, [])
        if code in codes or not hasattr(code, "co_firstlineno"):
            return
        codes.append(code)
        self._manager._recording.count_lines_of(code, name)
        if hasattr(sys, "monitoring"):
            sys.monitoring.restart_events()  # it may have run before

    def stats(self, name):
        """Those of a region, as far as they are written or, before the first finalize(), recorded."""
        records = self.written if self.written is not None else self._manager._line_records()
        found = []
        region = self._manager.get_region(name)
        scoped = [*(region._functions or ()), *(region._seen or ())] if region is not None else []
        for code in dict.fromkeys([*self._codes.get(name, ()), *scoped]):
            same = [
                r
                for r in records
                if r["region"] == name and r["function"] == code.co_name and r["first_lineno"] == code.co_firstlineno
            ]
            found.append(dict(same[0] if same else _none(name, code), path=code.co_filename))
        return LineStats(found)


def _none(name, code):
    return {
        "region": name,
        "filename": code.co_filename,
        "function": code.co_name,
        "first_lineno": code.co_firstlineno,
        "line_numbers": [],
        "hits": [],
        "times": [],
        "unit": 1e-9,
    }
