"""tables.py CASES: prints into got.1, got.2, ... what print_summary() prints for each line of CASES: a profile's name and
options of `scope-profiler inspect`, with tabs between."""
import sys

from scope_profiler import reading


def keywords_of(words):
    keywords, words = {}, iter(words)
    for word in words:
        name = word.lstrip("-")
        if name == "tree":
            keywords[name] = True
            continue
        value = next(words)
        keywords[name] = value.split(",") if name == "columns" else [int(value)] if name == "ranks" else value
    return keywords


with open(sys.argv[1], encoding="utf-8") as cases:
    for number, line in enumerate(cases, 1):
        name, *options = line.rstrip("\n").split("\t")
        with open("got.%d" % number, "w", encoding="utf-8") as output:
            reading.load(name).print_summary(stream=output, **keywords_of(options))
