"""The rows of a region summary: one a call path where calls nest, one a region where there is no call tree."""

from .library import EventDataUnavailableError, NestingError
from .profile import known

SESSION = "scope_profiler.session"  # the region whose total is the whole of `% session`

# Profiles with more calls are shown without a tree, from their stored summary, unless it is asked for.
TREE_LIMIT = 2000000

STATISTICS = {"avg": "average", "min": "minimum", "max": "maximum", "first": "first", "last": "last", "std": "std",
              "p50": "p50", "p95": "p95", "p99": "p99", "imbalance": "imbalance_pct"}
SORT_KEYS = ("start", "name", "total", "calls") + tuple(STATISTICS)
PERCENTILES = ("p50", "p95", "p99")


class SummaryRow:
    """`stats`: the library's; total, coverage and parent_coverage in seconds, None unknown."""

    def __init__(self, name, stats, depth=0):
        self.name = name
        self.stats = stats
        self.depth = depth
        self.recursive = self.has_children = False
        self.total = known(stats.total)
        self.coverage = self.parent_coverage = None

    def value(self, key):
        """What a sort key or a column of statistics says; None where it is not known, or there are no calls."""
        if key == "calls":
            return self.stats.calls
        if not self.stats.calls:
            return None
        return self.total if key == "total" else known(getattr(self.stats, STATISTICS[key]))


class Rows:
    """Rows in order of their first start; `session`: total of the session region, or None; `why_flat`: None, or why
    there is no tree though the profile has single calls."""

    def __init__(self):
        self.items = []
        self.session = None
        self.why_flat = None


def _flat_coverage(stats):
    """From a summary it is not known how long a region was open: no longer than its calls lasted together, nor than from
    the first to the last. Where these contradict each other it calls itself, or runs on several threads."""
    if not stats.calls:
        return None
    if stats.coverage == stats.coverage:
        return stats.coverage
    span = (stats.last_end - stats.first_start) * stats.ranks
    return None if stats.total > span + 1e-6 * span + 1e-6 else known(stats.total)


def _tree_rows(profile, nodes):
    path = []  # coverage of the ancestors
    for node in nodes:
        row = SummaryRow(profile.names[node.region], node.stats, node.depth)
        row.recursive, row.has_children = node.recursive, node.has_children
        row.coverage = known(node.coverage)
        if node.recursive:
            row.total = known(node.outermost)
        del path[node.depth:]
        path.append(row.coverage)
        if node.depth:
            row.parent_coverage = path[node.depth - 1]
        yield row


def _why_no_tree(profile, tree):
    if profile.is_partial:
        return "No call tree, one row a region: of some regions not every call was kept"
    if not tree and profile.num_calls > TREE_LIMIT:
        return "%d calls: one row a region; tree=True reads every call for the call tree" % profile.num_calls
    return None


def _add_tree(profile, selection, full, tree, rows):
    """Adds the tree's rows; the regions that it has."""
    if profile.is_aggregate or tree is False:
        return set()
    rows.why_flat = _why_no_tree(profile, tree)
    if rows.why_flat:
        return set()
    try:
        nodes = profile.tree(selection, full)
    except EventDataUnavailableError:
        return set()
    except NestingError as problem:
        rows.why_flat = "No call tree, one row a region: %s" % problem
        return set()
    rows.items.extend(_tree_rows(profile, nodes))
    return {node.region for node in nodes}


def build(profile, regions, selection, full, tree):
    """regions: the numbers of those selected; full: percentiles are wanted; tree: True, False, or None for up to
    TREE_LIMIT calls."""
    rows = Rows()
    seen = _add_tree(profile, selection, full, tree, rows)
    flat = []
    for region in regions:
        if region in seen:
            continue
        row = SummaryRow(profile.names[region], profile.region_stats(region, selection, full))
        row.coverage = _flat_coverage(row.stats)
        flat.append(row)
    flat.sort(key=lambda row: row.stats.first_start if row.stats.first_start == row.stats.first_start else float("inf"))
    rows.items.extend(flat)
    rows.session = next((row.stats.total for row in rows.items if row.name == SESSION and row.stats.calls), None)
    for row in rows.items:
        without = row.stats.coverage != row.stats.coverage
        if rows.session is not None and without and row.coverage is not None and row.coverage > rows.session:
            row.coverage = None  # it calls itself
    return rows


def sort(rows, key):
    """By one of SORT_KEYS: numbers descend with unknown ones last, names ascend."""
    if key == "name":
        rows.items.sort(key=lambda row: (row.name, row.depth))
    elif key != "start":
        rows.items.sort(key=lambda row: (row.value(key) is None, -(row.value(key) or 0), row.name, row.depth))
