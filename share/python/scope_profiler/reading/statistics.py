"""Statistics of the regions of one or several runs as a document for JSON."""

import os

from .writing import write_document

_FIELDS = ("average", "min", "max", "first", "last", "std", "total")


def _fields(region):
    found = {"count": region.num_calls}
    for field in _FIELDS:
        found[field + "_duration_seconds"] = getattr(region, field + "_duration") if region.num_calls else None
    return found


def _region(results, region, ranks):
    chosen = region.ranks if ranks is None else [rank for rank in region.ranks if rank in ranks]
    found = _fields(region if ranks is None else region.of_ranks(ranks))
    found["per_rank"] = {str(rank): _fields(region[rank]) for rank in chosen}
    return found


def _labels(runs, labels):
    """The label of each run, numbered where they are equal."""
    labels = [run.display_label for run in runs] if labels is None else list(labels)
    if len(labels) != len(runs):
        raise ValueError("%d labels for %d runs" % (len(labels), len(runs)))
    return [label if labels.count(label) == 1 else "%s (%d)" % (label, labels[:at].count(label) + 1)
            for at, label in enumerate(labels)]


def _runs(profiling_data):
    runs = list(profiling_data) if isinstance(profiling_data, (list, tuple)) else [profiling_data]
    if not runs:
        raise ValueError("no results were given")
    return runs


def collect_region_statistics(profiling_data, ranks=None, include=None, exclude=None, labels=None):
    """A dict of the statistics of each region of each run, over all ranks and by rank; durations in seconds, None
    where they cannot be known.

    profiling_data: ProfilingResults, or a list of them; include, exclude: as get_regions() takes them; labels: one a
    run.
    """
    runs = _runs(profiling_data)
    ranks = [ranks] if isinstance(ranks, int) else None if ranks is None else sorted(set(ranks))
    files = []
    for run, label in zip(runs, _labels(runs, labels)):
        regions = run.get_regions(include, exclude)
        files.append({"label": label, "file_path": os.path.abspath(str(run.file_path)), "num_ranks": run.num_ranks,
                      "region_statistics": {region.name: _region(run, region, ranks) for region in regions}})
    first, rest = files[0]["region_statistics"], files[1:]
    return {"units": {"durations": "seconds"},
            "filters": {"include": include, "exclude": exclude, "ranks": ranks},
            "common_regions": [name for name in first if all(name in file["region_statistics"] for file in rest)],
            "files": files}


def write_region_statistics_json(profiling_data, filepath, ranks=None, include=None, exclude=None, labels=None):
    """Writes collect_region_statistics() to a file, and returns it."""
    document = collect_region_statistics(profiling_data, ranks, include, exclude, labels)
    write_document(document, filepath)
    return document
