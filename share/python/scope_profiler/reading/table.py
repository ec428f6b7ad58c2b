"""The region summary as text: the table, and the box of notes under it. Held to the same bytes as those of
`scope-profiler inspect` by a test."""

from . import text
from .rows import PERCENTILES, SESSION, STATISTICS

try:
    from .made import COMMANDS  # by the build: those that the command has
except ImportError:
    COMMANDS = ()

HEADERS = {"region": "region", "ranks": "ranks", "calls": "n", "total": "total [s]", "percent": "% session",
           "parent_percent": "% parent", "avg": "avg/call [s]"}
HEADERS.update((key, key + " [s]") for key in STATISTICS if key not in ("avg", "imbalance"))
HEADERS["imbalance"] = "imbalance [%]"
_OF_TREE = ("total", "percent", "parent_percent", "avg")  # cells that stand as far right as their row's branch is long

_MPI = "mpi"  # only where the file has MPI calls
# heading of a group that begins here, label, command, what stands before and after the file's name
_HINTS = (
    ("Explore:", "Inspect:", "inspect", "inspect ", ""),
    (None, "MPI:", _MPI, "mpi ", ""),
    (None, "TUI:", "tui", "tui ", ""),
    ("Visualize and export:", "Plot:", "plot", "plot default ", " -o plots --show"),
    (None, "Report:", "report", "report ", " -o report.html"),
    (None, "Export:", "export", "export plot-data ", " -o data"),
    (None, "Lines:", "line-profile", "line-profile ", ""),
    ("Compare runs:", "Diff:", "diff", "diff BASE.h5 CANDIDATE.h5", None),
    (None, "Check:", "check", "check BASE.h5 CANDIDATE.h5", None),
)


# ---- numbers

def _number(form, value):
    if value is None:
        return "-"
    return form % (0.0 if -5e-7 < value < 0 else value + 0.0)


def count(calls):
    """Exact below 1000, else three digits and a unit."""
    if calls < 1000:
        return str(calls)
    value, units = float(calls), ["", "k", "M", "B"]
    while len(units) > 1 and value >= 999.5:  # 999.6 would be rounded to 1000 of its unit: it is 1 of the next
        value /= 1000
        units.pop(0)
    return ("%.3g" if value < 999.5 else "%.0f") % value + units[0]


def _percent(part, whole):
    return 100 * part / whole if part is not None and whole is not None and whole > 0 else None


# ---- cells

def _branch(depth):
    return "│ " * (depth - 1) + "└─ " if depth else ""


class _Cells:
    """The cells of one line: of a row, or (`own`) of the time that it did not spend in its children."""

    def __init__(self, row, rows, columns, own, exclusive_share):
        self.row, self.rows, self.columns, self.own = row, rows, columns, own
        self.exclusive_share = exclusive_share
        self.depth = row.depth + own

    def cell(self, column):
        if column == "region":
            return self._name()
        if column in _OF_TREE:
            return " " * len(_branch(self.depth)) + getattr(self, "_" + column)()
        if self.own:
            return ""
        if column == "ranks":
            return str(self.row.stats.ranks)
        if column == "calls":
            return count(self.row.stats.calls)
        return _number("%.2f" if column == "imbalance" else "%.3f", self.row.value(column))

    def _name(self):
        if self.own:
            return _branch(self.depth) + "(own)"
        calls = self.row.stats.calls
        counted = "" if calls == 1 or "calls" in self.columns else " (%sx)" % count(calls)
        return _branch(self.depth) + text.shown(self.row.name) + (" ↻" if self.row.recursive else "") + counted

    def _own_or(self, value):
        if not self.row.stats.calls:
            return None
        exclusive = self.row.stats.exclusive
        return (exclusive if exclusive == exclusive else None) if self.own else value

    def _total(self):
        return _number("%.6f", self._own_or(self.row.total))

    def _percent(self):
        part = self.row.stats.total if self.row.name == SESSION else self.row.coverage
        if self.exclusive_share and self.row.name != SESSION:
            part = self.row.stats.exclusive
        share = _percent(self._own_or(part), self.rows.session)
        return "-" if share is None else _number("%.2f%%", share)

    def _parent_percent(self):
        whole = self.row.coverage if self.own else self.row.parent_coverage
        share = _percent(self._own_or(self.row.coverage), whole)
        return "-" if share is None else _number("%.2f%%", share)

    def _avg(self):
        stats = self.row.stats
        average = self._own_or(self.row.value("avg"))
        if self.own and average is not None:
            average = stats.exclusive / stats.calls
        return "-" if average is None else "%.3e" % (average + 0.0)


# ---- the table

def default_columns(rows):
    return ["region", "total"] if rows.session is None else ["region", "percent", "total"]


def _box(left, right, dashes):
    return "  " + left + "─" * dashes + right + "\n"


def region_table(rows, columns, exclusive_share):
    """The lines of the table, and a blank one."""
    lines = []
    for row in rows.items:
        for own in (False, True) if row.has_children else (False,):
            cells = _Cells(row, rows, columns, own, exclusive_share)
            lines.append([cells.cell(column) for column in columns])
    headers = [HEADERS[column] for column in columns]
    widths = [max([text.width(header) + 2] + [text.width(line[i]) for line in lines])
              for i, header in enumerate(headers)]

    def printed(line):
        return "  │ " + "    ".join(text.padded(*cell) for cell in zip(line, widths)) + " │\n"
    dashes = sum(widths) + 4 * (len(widths) - 1) + 2
    return (_box("╭", "╮", dashes) + printed(headers) + _box("├", "┤", dashes) + "".join(map(printed, lines)) +
            _box("╰", "╯", dashes) + "\n")


# ---- the notes

def _hints(file, mpi):
    """Commands to go on with; only those that there are."""
    heading = None
    for starts, label, command, before, after in _HINTS:
        heading = starts or heading
        if command not in COMMANDS or (command == _MPI and not mpi):
            continue
        if heading:
            yield ""
            yield heading
            heading = None
        yield "  %-8s scope-profiler %s%s" % (label, before, "" if after is None else file + after)


def _remarks(rows, columns):
    yield "Durations are in seconds."
    if len(rows.items) > 1:
        yield "Regions may nest, so the summed total can exceed the wall-clock time."
    if any(row.recursive for row in rows.items):
        yield "↻ calls itself: all its calls are one row; their time is counted once."
    if "percent" in columns and rows.session is not None:
        yield "%% session is the share of %s." % SESSION
    if any(row.stats.calls == 0 for row in rows.items):
        yield "- stands where the selected ranks recorded no call."


def notes(title, file, rows, columns, mpi):
    """The box; file: None where there is none; mpi: whether it has MPI calls."""
    lines = ["Summary: " + title] + list(_hints(file, mpi) if file else ()) + [""] + list(_remarks(rows, columns))
    inner = max([6] + [text.width(line) for line in lines])
    body = "".join("  │ " + text.padded(line, inner) + " │\n" for line in lines)
    return "  ╭─ Info " + "─" * (inner - 5) + "╮\n" + body + _box("╰", "╯", inner + 2) + "\n"


def needs_calls(columns, key):
    """Whether percentiles are shown or sorted by."""
    return key in PERCENTILES or any(column in PERCENTILES for column in columns)
