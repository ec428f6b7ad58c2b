"""compare.py PAGE OUTPUTS COMMANDS: what the blocks of a page printed (a file of cells.py) against what stands in the page.

COMMANDS: what `scope-profiler --list-options` says. Only times, addresses, paths, versions and what describes the machine
may differ. Prints a verdict a block; the status is 1 where one is not as it should be.
"""
import json
import re
import sys

import blocks

MACHINE = re.compile(r"(chip_information|finalize_time_ns|num_nodes|omp_num_threads|platform|python_version|"
                     r"scope_profiler_version|start_time_ns|timestamp|total_cores): ")
NUMBER = re.compile(r"\d+\.\d*(e[-+]?\d+)?|\d+e[-+]?\d+|\b\d{7,}\b")
NOT_OF_THE_OUTPUT = ("Show output", "Per-line timings")  # what a page has around it: a button, a caption
# Lines that a program prints, as against those that an author writes.
LIKE_OUTPUT = re.compile(r"\s|[╭│╰├╮<{[\"']|.*\s:\s|Timer unit|Total time|File:|Function:|Line #|=====|Line profile:|Rank \d")
SORTS = ".sort_values("
HINT = re.compile(r"│ (\w+): scope-profiler (\S+)")


def normal(line):
    """The line without what may differ."""
    line = re.sub(r"[^\s'\"]*/(?=[^\s/]*)", "", line)  # a path is its last part
    line = re.sub(r"─+", "─", NUMBER.sub("#", line))
    line = re.sub(r"\s+", " ", line).strip().replace("[ ", "[").replace(" ]", "]")
    machine = MACHINE.match(line)
    return machine.group(0) if machine else line


def lines_of(text):
    return [line for line in text if line.strip() and line.strip() not in NOT_OF_THE_OUTPUT]


class Page:
    """The lines below a block; hints at commands that are not there are passed over, and noted."""

    def __init__(self, lines, commands):
        self.left = lines_of(lines)
        self.commands = commands
        self.missing = []

    def next(self):
        line = self.left.pop(0) if self.left else None
        hint = HINT.match(normal(line)) if line else None
        if hint and hint.group(2) not in self.commands:
            self.missing.append(hint.group(2))
            return self.next()
        return line


# What a page shows of a machine that did not have the command: it is compared with what its text says instead.
NO_COMMAND = "command not found"


def tables(output):
    """The functions whose lines are shown, one list for each `Line profile:`."""
    found = []
    for line in output.split("\n"):
        heading = re.match(r"Rank \d+ \| .* \| (\S+) \(", line)
        if line.startswith("Line profile:"):
            found.append([])
        elif heading:
            found[-1].append(heading.group(1))
    return found


def judge_commands(output):
    found = tables(output)
    if found == [["compute", "allocate"], ["compute"]]:
        return None, "the page's machine did not have the command: the functions shown are those that its text names"
    return "shown were %r" % (found,), ""


def judge(block, output, error, commands):
    """(what is wrong or None, a remark)."""
    if error:
        return error.strip().split("\n")[-1], ""
    page = Page(block.after, commands)
    if page.left and NO_COMMAND in page.left[0]:
        return judge_commands(output)
    printed = [normal(line) for line in lines_of(output.split("\n"))]
    wanted = [normal(page.next() or "") for _ in printed]
    if SORTS in block.code:  # by times: equal lines in another order are the same
        printed, wanted = sorted(printed), sorted(wanted)
    for number, (line, other) in enumerate(zip(printed, wanted), 1):
        if line != other:
            return "line %d is %r, and in the page %r" % (number, line, other), ""
    rest = page.next()
    if rest and not (rest.startswith("```") or blocks.starts_code(rest)) and LIKE_OUTPUT.match(rest):
        return "the page goes on with %r" % normal(rest), ""
    missing = "without the hints at %s, which this version does not have" % ", ".join(page.missing)
    return None, missing if page.missing else ""


def main(page, outputs, commands):
    with open(commands, encoding="utf-8") as file:
        known = {line.split("\t")[1] for line in file if line.startswith("command\t")}
    with open(page, encoding="utf-8") as file:
        cells = blocks.of_page(file.read())
    with open(outputs, encoding="utf-8") as file:
        printed = [json.loads(line) for line in file]
    bad = len(cells) != len(printed)
    for number, (block, (output, error)) in enumerate(zip(cells, printed), 1):
        wrong, remark = judge(block, output, error, known)
        bad |= wrong is not None
        print("%s block %d, line %d (%s): %s" % ("DIFFERS" if wrong else "same   ", number, block.first, block.name,
                                               wrong or remark or "as in the page"))
    print("%d blocks, %d ran" % (len(cells), len(printed)))
    return bad


sys.exit(main(*sys.argv[1:]))
