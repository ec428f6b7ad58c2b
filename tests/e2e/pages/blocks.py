"""The Python code blocks of a page of documentation, and the lines that stand below each of them.

Some pages are Markdown with fences. The others are plain text of a web page, where code, its output and prose are
paragraphs like any other: code is what compiles and begins like a statement.
"""
import ast
import re

# How the first line of a cell begins. Prose may begin so, too, but does not compile.
STATEMENT = re.compile(r"(import |from |with |for |while |try:|if |def |class |@|#|%%?[a-z]|![a-z]|"
                       r"[A-Za-z_][\w.]*(\[[^]]*\])?\s*(=|\(|\.)|[a-z_]+\[|[a-z_]+$)")
MOST_PARAGRAPHS = 12  # of one statement: text in triple quotes has blank lines
MAGIC = re.compile(r"[%!]")


class Block:
    """`code`: its lines as text; `first`: the number of its first line in the page, from 1; `after`: the lines of the
    page behind it."""

    def __init__(self, lines, first, last):
        self.code = "\n".join(lines[first:last]) + "\n"
        self.first = first + 1
        self.after = lines[last:]
        self.name = self.code.strip().split("\n")[0][:60]


def compiles(code):
    first, _, rest = code.partition("\n")
    if first.startswith("%%"):
        return compiles(rest)
    if MAGIC.match(first):
        return all(MAGIC.match(line) for line in code.split("\n"))
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


def is_page_word(line):
    """Words of the page itself that would compile: headings of one word."""
    return re.fullmatch(r"[A-Z]\w*", line.strip()) is not None


def paragraphs(lines):
    """(first, last) of each run of lines without blank ones."""
    first = None
    for at, line in enumerate(lines + [""]):
        if line.strip() and first is None:
            first = at
        elif not line.strip() and first is not None:
            yield first, at
            first = None


def starts_code(line):
    return STATEMENT.match(line) is not None and not is_page_word(line)


def end_of_code(lines, parts, at):
    """The last paragraph of the code that begins with paragraph `at`; None where it is no code."""
    end = None
    for more in range(at, len(parts)):
        first = lines[parts[more][0]]
        unfinished = more - (at if end is None else end) <= MOST_PARAGRAPHS
        if not unfinished or (end is not None and not starts_code(first) and not first.startswith(" ")):
            break
        if compiles("\n".join(lines[parts[at][0]:parts[more][1]])):
            end = more
    return end


def of_text(lines):
    parts = list(paragraphs(lines))
    at = 0
    while at < len(parts):
        first = parts[at][0]
        end = end_of_code(lines, parts, at) if starts_code(lines[first]) else None
        if end is not None:
            yield Block(lines, first, parts[end][1])
            at = end
        at += 1


def of_markdown(lines):
    first = None
    for at, line in enumerate(lines):
        if first is None and re.fullmatch(r"``` ?python", line.strip()):
            first = at + 1
        elif first is not None and line.strip() == "```":
            block = Block(lines, first, at)
            block.after = lines[at + 1:]
            yield block
            first = None


def of_page(text):
    lines = text.split("\n")
    return list(of_markdown(lines) if any(line.startswith("```") for line in lines) else of_text(lines))


if __name__ == "__main__":
    import sys
    for path in sys.argv[1:]:
        for number, block in enumerate(of_page(open(path, encoding="utf-8").read()), 1):
            print("=== %s block %d line %d" % (path, number, block.first))
            print(block.code, end="")
